"""What a run writes is said in Chinese on the Chinese page, and none of its sentences is missed."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import leadline
from leadline.browsing.tab_reading import _NET_ERRORS
from leadline.browsing.walls import WALL_SENTENCES
from leadline.domain.config import ModelConfig, Provider
from leadline.models.failures import Endpoint, failure_of
from leadline.models.providers import PRESETS
from leadline.web import page_words, run_words
from leadline.web.run_sentences import in_words, parts
from leadline.web.texts import Texts

EN, ZH = Texts("en"), Texts("zh")
ROOT = Path(leadline.__file__).parent
ROWS = (*run_words.ROWS, *page_words.ROWS)

WHO_SPEAKS = (
    "runner.py", "domain/budget.py", "domain/verdicts.py", "domain/conflicts.py",
    "domain/claim_check.py", "reports/bundle.py", "domain/plan_answer.py", "domain/profile*.py",
    "engine/*.py", "runs/*.py",
    "sources/*.py", "models/chat.py", "models/failures.py", "models/ladder.py",
    "models/factory.py", "models/providers.py", "models/wire.py", "models/streaming.py",
    "models/runaway.py", "browsing/pool.py", "browsing/pages.py", "browsing/walls.py",
    "browsing/tab_reading.py", "browsing/documents.py", "browsing/pdf_child.py",
    "browsing/egress*.py", "browsing/chromium*.py", "browsing/worker.py", "browsing/browser.py",
    "browsing/lease.py",
)  # fmt: skip
"""Modules whose sentences reach a person as the reason of a run, a task or a page, or a notice."""

NOT_FOR_PEOPLE = (
    "Answer with one JSON object",  # to the model
    "That answer cannot be used",
    "Reply with the word OK.",
    "Hand in the answer.",
    "The egress guard is not started.",  # faults of ours, never shown
    "a router needs at least one back end",
    "a start either returns or raises",
    "Works on one run.",
    "The demo web has no such host.",
    "disagreeX7, and nothing settles it.",  # to the writer
    "is newer and replaces",
    "There must be at least one slot.",
)
SENTENCE = re.compile(r"[A-Z“{].*\s.*[.?](?:\s.*)?$", re.DOTALL)
VALUES = {
    "error": "The worker used its 7 seconds.",
    "opened.reason": "They give 7 and 8 for the same thing.",
    "newer.reason": "They give 7 and 8 for the same thing.",
    "preset.hint": "Start it with 'vllm serve MODEL'.",
    "self.preset.hint": "Start it with 'vllm serve MODEL'.",
    "endpoint.preset.hint": "Start it with 'vllm serve MODEL'.",
    "where": "; what was in it is kept as plan.1",
    "sentence": "is not known",
    "wrong": "is no file",
    "'' if mended == 1 else 's'": "s",
    "count": "2 claims",
    "rests": " (rests for 7 s)",
    "_hint(log)": ": there is no screen. Turn headless on.",
    "reason": "a private address",
    "'; '.join(parts)": "Bing asks whether we are a robot (rests for 7 s)",
    "_count(skipped, 'entry', 'entries')": "2 entries",
    "shorten(problem, 200)": "it held no JSON",
}


def _filled(node: ast.JoinedStr) -> str:
    text = ""
    for piece in node.values:
        if isinstance(piece, ast.Constant):
            text += str(piece.value)
        elif isinstance(piece, ast.FormattedValue):
            name = ast.unparse(piece.value)
            text += "2 tasks" if "'task'" in name else VALUES.get(name, "X7")
    return text


def _sentences(tree: ast.Module) -> Iterator[str]:
    """Every string that reads like a sentence; documentation and the log's are left out."""
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(node.value)
        logs = isinstance(node, ast.Call) and ast.unparse(node.func).startswith("log.")
        described = isinstance(node, ast.keyword) and node.arg in {"help", "description"}
        asserted = isinstance(node, ast.Assert)
        if logs or described or asserted:
            skipped.update(ast.walk(node))
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            skipped.update(ast.walk(node))
            text = _filled(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if text.count(" ") > 1 and SENTENCE.fullmatch(text):
            yield text


def _spoken_by(module: Path) -> list[str]:
    tree = ast.parse(module.read_text("utf-8"))
    return [s for s in _sentences(tree) if not any(part in s for part in NOT_FOR_PEOPLE)]


MODULES = sorted({path for pattern in WHO_SPEAKS for path in ROOT.glob(pattern)})


@pytest.mark.parametrize("module", MODULES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_each_sentence_in_the_code_has_a_chinese_form(module: Path) -> None:
    """A new sentence needs a row in ``run_words`` or ``page_words``."""
    unknown = [(s, p.text) for s in _spoken_by(module) for p in parts(s) if p.said is None]
    assert unknown == []


def test_the_walk_through_the_code_sees_the_sentences() -> None:
    everything = {s for module in MODULES for s in _spoken_by(module)}
    assert "Stopped. What was found is kept." in everything
    assert "The host X7 is not known." in everything
    assert any("has no credit left" in s for s in everything)
    assert len(everything) > 150


def test_tables_of_sentences_are_whole_too() -> None:
    said = [
        *WALL_SENTENCES.values(),
        *(preset.hint for preset in PRESETS.values()),
        *(f"The host a.example {sentence}." for _, sentence in _NET_ERRORS),
    ]
    assert [p.text for s in said for p in parts(s) if p.said is None] == []
    assert WALL_SENTENCES.keys() <= run_words.PAGE_CODES.keys()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_each_row_says_the_same_in_chinese(row: tuple[str, str]) -> None:
    names = [
        {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
        for text in row
    ]
    assert names[1] <= names[0]
    assert re.search(r"[\u4e00-\u9fff]", row[1])
    filled = re.sub(r"\{(\w+)(?::\w+)?\}", "7", row[0].replace("{{query}}", "QUERY"))
    found = list(parts(filled.replace("QUERY", "{query}")))
    assert len(found) == 1
    assert found[0].said is not None
    assert "{query}" in found[0].said or "{{query}}" not in row[1]


def test_rows_are_there_once() -> None:
    assert len({english for english, _ in ROWS}) == len(ROWS)


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("Stopped. What was found is kept.", "已停止。已有发现会保留。"),
        (
            "Not fully answered: 座位数没有找到。 The worker used its 10 steps without an end.",
            "未完全回答：座位数没有找到。已用完 10 步，仍未完成。",
        ),
        (
            "No search engine answered: SearXNG does not give JSON; add json to search.formats in "
            "its settings.yml and restart it; Bing asks whether we are a robot (rests for 30 s).",
            "没有搜索引擎响应：SearXNG 不返回 JSON；请在其 settings.yml 的 search.formats 中加入 "
            "json 并重新启动；Bing 要求验证是否为机器人（暂停 30 秒）。",
        ),
        (
            "Odd things happened. The page shows no text. Who knows?",
            "Odd things happened. 该页面没有文字。Who knows?",
        ),
        ("captcha", "要求验证码"),
        ("", ""),
    ],
)
def test_examples(english: str, chinese: str) -> None:
    assert in_words(english, ZH) == chinese


def test_a_refused_key_is_said_in_chinese() -> None:
    class Refused(Exception):
        status_code = 401

    config = ModelConfig(provider=Provider.OPENAI, name="gpt")
    endpoint = Endpoint.of(config, seconds=1, secret="")
    sentence = str(failure_of(Refused("no"), endpoint, frozenset()))
    assert in_words(sentence, ZH) == (
        "OpenAI at api.openai.com 拒绝该密钥（HTTP 401）：请检查 OPENAI_API_KEY 或设置中的密钥。"
    )
    assert in_words(sentence, EN) == sentence


@given(st.text(max_size=300))
def test_what_is_not_ours_stays_as_it_is(text: str) -> None:
    """safety 47: any text; nothing is lost but the blanks between sentences."""
    if text in run_words.PAGE_CODES or any(part.said for part in parts(text)):
        return
    assert in_words(text, EN) == text
    assert "".join(in_words(text, ZH).split()) == "".join(text.split())


@given(
    st.sampled_from([row for row in ROWS if "{" in row[0]]),
    st.text("{}%\\<>&a7", min_size=1, max_size=9),
)
def test_values_are_taken_over_untouched(row: tuple[str, str], value: str) -> None:
    """W2-5: braces in a value mean nothing."""
    filled = re.sub(r"\{(\w+)\}", lambda _: f"«{value}»", row[0].replace("{{query}}", "\0"))
    if ":said}" in filled or ":list}" in filled:
        return
    said = in_words(filled.replace("\0", "{query}"), ZH)
    wanted = len(re.findall(r"(?<!\{)\{\w+\}(?!\})", row[1]))
    assert said.count(f"«{value}»") >= wanted
