"""From gaps to tasks by rule: what the offline model answers a reflector's question with.

A contradiction becomes a question for what both claims measure, a failed task is asked once more
in other words, a claim with little behind it is looked for elsewhere. A thin view alone gives no
rule for what to ask next, so it adds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from leadline.domain.gaps import Gap, GapKind
from leadline.domain.subject import keywords, query_subject, research_object
from leadline.domain.text import detect_language, shorten, terms
from leadline.models.reflect_request import NewTask, ReflectAnswer, ReflectRequest

_MAX_TEXT = 300
_CLAIM_CHARS = 110
_QUERY_CHARS = 120
_AGAIN = {False: "In other words: ", True: "换个说法："}
_WHICH = {False: "Which is right: {a}, or {b}?", True: "哪个说法正确：{a}；还是：{b}？"}
_ELSEWHERE = {False: "Another source for: {a}", True: "另一个来源：{a}"}
# Numbers are what is in question; a year tells which value is meant.
_VALUE = re.compile(r"(?<![\w.])(?!(?:1[5-9]|20|21)\d\d(?!\d|[.,]\d))\d[\d.,:]*%?")
_ORDER = (GapKind.CONTRADICTION, GapKind.FAILED, GapKind.WEAK)


def tasks_for_gaps(request: ReflectRequest) -> ReflectAnswer:
    """At most as many new tasks as the request allows, the most telling gaps first."""
    texts = {task.text for task in request.tasks}
    found: dict[str, NewTask] = {}
    for kind in _ORDER:
        for gap in request.gaps:
            new = _RULES[kind](gap, request) if gap.kind is kind else None
            if new and new.queries and new.text not in texts and new.text not in found:
                found[new.text] = new
    new_tasks = tuple(found.values())[: request.max_new_tasks]
    reason = (
        "What failed or is contradicted is asked once more." if new_tasks else "No gap is left."
    )
    return ReflectAnswer(new_tasks=new_tasks, reason=reason)


def _for_contradiction(gap: Gap, request: ReflectRequest) -> NewTask | None:
    one, other = gap.about[0], gap.about[-1]
    chinese = detect_language(one) == "zh"
    a, b = (shorten(text, _CLAIM_CHARS).rstrip(" .。") for text in (one, other))
    text = _WHICH[chinese].replace("{a}", a).replace("{b}", b)
    return _task(gap, text, [_measured(one), _measured(other)], request)


def _for_failed(gap: Gap, request: ReflectRequest) -> NewTask | None:
    text = gap.about[0]
    if text.startswith(tuple(_AGAIN.values())):
        return None  # it was asked twice already
    subject = query_subject(research_object(request.topic))
    rest = " ".join(w for w in keywords(text).split() if not terms(w) <= terms(subject))
    again = f"{_AGAIN[detect_language(text) == 'zh']}{text}"
    return _task(gap, again, [f"{rest} {subject}".strip(), subject], request)


def _for_weak(gap: Gap, request: ReflectRequest) -> NewTask | None:
    text = gap.about[0]
    said = shorten(text, 2 * _CLAIM_CHARS).rstrip(" .。")
    asked = _ELSEWHERE[detect_language(text) == "zh"].replace("{a}", said)
    return _task(gap, asked, [_measured(text)], request)


_RULES: Mapping[GapKind, Callable[[Gap, ReflectRequest], NewTask | None]] = {
    GapKind.CONTRADICTION: _for_contradiction,
    GapKind.FAILED: _for_failed,
    GapKind.WEAK: _for_weak,
}


def _measured(claim: str) -> str:
    """What a claim gives a value for: its words without the value, the years kept."""
    return shorten(keywords(_VALUE.sub(" ", claim)), _QUERY_CHARS)


def _task(gap: Gap, text: str, queries: list[str], request: ReflectRequest) -> NewTask:
    kept = tuple(dict.fromkeys(query for query in queries if query))[: request.queries_per_task]
    return NewTask(category=gap.category, text=shorten(text, _MAX_TEXT), queries=kept)
