"""What a competent model would answer to Leadline's own requests, by rule, for the test server.

It reads nothing but the rendered messages, as a model would: a request that does not show a
finding, a row or a passage gets an answer without it.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable
from datetime import date
from typing import Any

from leadline.demo.truth import load_truth, subjects
from leadline.domain.config import Profile
from leadline.domain.limits import Limits
from leadline.domain.plan import Plan, Task
from leadline.domain.ranking import rank
from leadline.domain.subject import keywords
from leadline.domain.text import shorten, terms
from leadline.domain.views import role_of
from leadline.models.offline_plan import offline_plan

_SIGNS = {
    "planner": "You plan web research",
    "reflector": "You look for gaps",
    "verifier": "You check statements",
    "writer": "You write a research report",
    "worker": "You research one task on the web",
    "exam": "You answer a question from numbered passages",
}
_ROW = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
_PASSAGE = re.compile(r"^\[(\d+\.\d+)\] (.+)$", re.MULTILINE)
_TRAP = re.compile(r"ignore (?:all|any|previous|the)|instruction|system prompt|忽略", re.IGNORECASE)


def kind_of(system: str) -> str:
    """Which of Leadline's requests this is; ``other`` for anything else."""
    return next((kind for kind, sign in _SIGNS.items() if sign in system), "other")


def answer(kind: str, system: str, user: str) -> Any:
    """An object for a structured request, a string for a text request."""
    match kind:
        case "planner":
            return plan(system, user)
        case "reflector":
            return {"reason": "Nothing important is missing.", "new_tasks": []}
        case "writer":
            return section(user)
        case "verifier":
            return verdicts(user)
        case "worker":
            return worker_step(user)
        case "exam":
            return passage_answer(user)
        case _:
            return "OK"


_PLANS = (
    (Profile.HIERARCHICAL, r"Write ({n}) categories with ({n}) tasks"),
    (Profile.TODO, r"Break the topic into ()({n}) tasks"),
    (Profile.PERSPECTIVES, r"choose ({n})() views"),
)


def plan(system: str, user: str) -> dict[str, Any]:
    topic = _after(user, "Topic: ")
    found = (
        (profile, re.search(sign.replace("{n}", r"\d+(?: to \d+)?"), system))
        for profile, sign in _PLANS
    )
    profile, counts = next(((p, c) for p, c in found if c), (Profile.HIERARCHICAL, None))
    assert counts, "the planner prompt says how many"
    least_categories, most_categories = _counts(counts[1])
    least_tasks, most_tasks = _counts(counts[2])
    limits = Limits(
        min_categories=least_categories,
        max_categories=most_categories,
        min_tasks_per_category=least_tasks,
        max_tasks_per_category=most_tasks,
    )
    drawn = offline_plan(topic, limits, language="", today=date(2025, 1, 1), profile=profile)
    return _PLAN_SHAPES[profile](drawn)


def _counts(text: str) -> tuple[int, int]:
    found = re.findall(r"\d+", text) or ["1"]
    return int(found[0]), int(found[-1])


def _queries(task: Task) -> list[str]:
    return list(task.queries) or [keywords(task.text)]


_PLAN_SHAPES: dict[Profile, Callable[[Plan], dict[str, Any]]] = {
    Profile.HIERARCHICAL: lambda drawn: {
        "categories": [
            {"name": c.name, "tasks": [{"text": t.text, "queries": _queries(t)} for t in c.tasks]}
            for c in drawn.categories
        ]
    },
    Profile.TODO: lambda drawn: {
        "tasks": [
            {"title": shorten(t.text, 10), "intent": t.text, "query": _queries(t)[0]}
            for t in drawn.tasks()
        ]
    },
    Profile.PERSPECTIVES: lambda drawn: {
        "question_type": "general",
        "perspectives": [
            {
                "name": c.name,
                "role": role_of(c),
                "sub_question": t.text,
                "keywords": _queries(t),
                "source_types": ["media"],
            }
            for c in drawn.categories
            for t in c.tasks[:1]
        ],
    },
}


def claims_in(user: str) -> list[dict[str, Any]]:
    """The claims that a writer's request shows."""
    lines = [line for line in user.splitlines() if line.startswith('{"id"')]
    return [json.loads(line) for line in lines]


def verdicts(user: str) -> dict[str, Any]:
    """What an honest checker says: a claim is supported when its passages hold its words."""
    rows = [json.loads(line) for line in user.splitlines() if line.startswith("{")]
    shown = {row["passage"]: row["text"] for row in rows if "passage" in row}
    found = []
    for row in rows:
        if "claim" not in row:
            continue
        said = " ".join(shown.get(ref, "") for ref in row["passages"])
        own = terms(row["claim"])
        holds = bool(own) and len(own & terms(said)) >= 0.7 * len(own)
        verdict = {
            "claim": row["id"],
            "verdict": "supports" if holds else "does not address",
            "reason": "The passage says it." if holds else "The passage does not say it.",
            "passages": row["passages"],
        }
        found.append(verdict)
    return {"verdicts": found, "conflicts": []}


def section(user: str) -> str:
    sentences = []
    for shown in claims_in(user):
        claim = " ".join(shown["claim"].split())
        stop = "" if claim.endswith(("。", "！", "？")) else "."
        claim = claim.rstrip(" .。")
        sentences.append(f"{claim} [{shown['id']}]{stop or '。'}")
    return " ".join(sentences) or "There is nothing to report."


def passage_answer(user: str) -> dict[str, Any]:
    question = _after(user, "Question: ")
    passages = [(ref, text) for ref, text in _PASSAGE.findall(user) if not _TRAP.search(text)]
    texts = [text for _, text in passages]
    wanted = terms(question)
    for index, _ in rank(question, texts):
        if len(terms(texts[index]) & wanted) >= 2:
            return {"answered": True, "claim": texts[index], "passages": [passages[index][0]]}
    return {"answered": False, "claim": "", "passages": []}


def reads_everything(user: str) -> dict[str, Any]:
    """A worker that reads every page that a search showed before it records anything."""
    unread = _unread(user)
    if unread and int(_number(user, r"may still be read: (\d+)")):
        return _step({"read": {"results": unread[:4]}})
    return worker_step(user)


def _unread(user: str) -> list[int]:
    """Numbers of the results that were neither read nor found unreadable."""
    rows = _ROW.findall(_between(user, "Search results:", "Passages:"))
    return [int(n) for n, text in rows if "(read: " not in text and "(not readable" not in text]


def worker_step(user: str) -> dict[str, Any]:
    task = _after(user, "The task:\n")
    recorded = int(_number(user, r"Findings recorded: (\d+)"))
    pages_left = int(_number(user, r"may still be read: (\d+)"))
    passages = [(ref, text) for ref, text in _PASSAGE.findall(user) if not _TRAP.search(text)]
    unread = _unread(user)
    if recorded:
        return _step({"done": _done(True, "The findings answer the task.")})
    if passages:
        findings = _findings(task, passages)
        if findings:
            return _step(
                {"record_findings": {"findings": findings}},
                {"done": _done(True, "The pages answer the task.")},
            )
    if unread and pages_left:
        return _step({"read": {"results": unread[: min(3, pages_left)]}})
    return _step({"done": _done(False, "", "The pages do not say it.")})


def _findings(task: str, passages: list[tuple[str, str]]) -> list[dict[str, Any]]:
    texts = [text for _, text in passages]
    wanted = terms(task)
    chosen = [
        passages[index]
        for index, _ in rank(task, texts)
        if len(terms(texts[index]) & wanted) >= min(2, len(wanted)) and len(texts[index]) < 500
    ]
    return [{"claim": text, "passages": [ref]} for ref, text in chosen[:4]]


def _step(*actions: dict[str, Any]) -> dict[str, Any]:
    return {"memory": "Going on.", "action": list(actions)}


def _done(answered: bool, summary: str, missing: str = "") -> dict[str, Any]:
    return {"answered": answered, "summary": summary, "missing": missing}


def _after(text: str, mark: str) -> str:
    return text.partition(mark)[2].partition("\n")[0].strip()


def _between(text: str, start: str, end: str) -> str:
    return text.partition(start)[2].partition(end)[0]


def _number(text: str, pattern: str) -> str:
    match = re.search(pattern, text)
    return match[1] if match else "0"


def invented(kind: str, system: str, user: str) -> Any:
    """As ``answer``, with quotes, ids, passage numbers and addresses that do not exist."""
    honest = answer(kind, system, user)
    if kind == "writer":
        return (
            "Scientists at Nowhere proved it in 2031 [c901]. “An invented quotation” says so [c1]. "
            "See [the source](https://invented.example/paper) and https://invented.example/2 "
            "[c902]. The value is 987654 *(supported)* [c1]."
        )
    if kind == "exam":
        return {"answered": True, "claim": "The invented value is 987654.", "passages": ["901.7"]}
    if kind != "worker":
        return honest
    actions = honest["action"]
    if "record_findings" not in actions[0]:
        return _step({"read": {"urls": ["https://invented.example/page"]}}, *actions)
    lies = [
        {"claim": "The invented value is 987654 units.", "passages": ["901.7"]},
        {"claim": "Sources agree on 123123 invented percent.", "passages": ["1.1"]},
    ]
    return _step({"record_findings": {"findings": lies}}, *actions)


def lying(kind: str, system: str, user: str) -> Any:
    """As ``answer``, and every second thing is a lie: claims, sentences and verdicts alike.

    The lies are the false statements of the demo web's truth files; they cite real passages and
    real claims, so nothing but what they say is wrong with them.
    """
    honest = answer(kind, system, user)
    match kind:
        case "worker":
            return _lying_step(honest, user)
        case "writer":
            return _lying_section(user)
        case "verifier":
            return {**honest, "verdicts": [_turned(v) for v in honest["verdicts"]]}
        case _:
            return honest


def _lies(text: str) -> list[str]:
    truths = [load_truth(name) for name in subjects()]
    mine = [truth for truth in truths if truth.topic[:40] in text] or truths
    return [lie.statement for truth in mine for lie in truth.false_statements]


def _lie(lies: list[str], seed: str) -> str:
    return lies[zlib.crc32(seed.encode()) % len(lies)]


def _is_lied_about(seed: str) -> bool:
    return zlib.crc32(seed.encode()) % 2 == 0


def _lying_step(honest: dict[str, Any], user: str) -> dict[str, Any]:
    lies = _lies(user)
    for action in honest["action"]:
        for finding in action.get("record_findings", {}).get("findings", ()):
            if _is_lied_about(finding["claim"]):
                finding["claim"] = _lie(lies, finding["claim"])
    return honest


def _lying_section(user: str) -> str:
    lies = _lies(user)
    sentences = []
    for row in claims_in(user):
        claim = " ".join(row["claim"].split()).rstrip(" .。")
        said = _lie(lies, claim).rstrip(" .。") if _is_lied_about(claim) else claim
        sentences.append(f"{said} [{row['id']}].")
    return " ".join(sentences) or "There is nothing to report."


def _turned(verdict: dict[str, Any]) -> dict[str, Any]:
    if not _is_lied_about(verdict["claim"]):
        return verdict
    turned = "does not address" if verdict["verdict"] == "supports" else "supports"
    return {**verdict, "verdict": turned}
