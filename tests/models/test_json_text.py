"""S0-8, S0-11, S3-49, W0-5, W3-5: the JSON in an answer is found, and quotes stay what they are."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.models.json_text import json_values

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def first(text: str) -> Any:
    return next(json_values(text), None)


@given(st.dictionaries(st.text(), JSON, min_size=1, max_size=4))
def test_any_object_is_read_back_plain_and_fenced(value: dict[str, Any]) -> None:
    for dump in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        for text in (dump, f"Here it is:\n```json\n{dump}\n```\nDone."):
            if "<" not in dump and "[" not in text.replace(dump, "") and "`" not in dump:
                assert value in list(json_values(text))


@given(st.text())
def test_any_text_is_read_without_a_crash(text: str) -> None:
    assert all(isinstance(value, dict | list) for value in json_values(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('<think>{"no": 1}</think>{"tasks": []}', {"tasks": []}),
        ('Sure!\n```\n[{"a": 1}]\n```', [{"a": 1}]),
        ('{"a": "他说“你好”"}', {"a": "他说“你好”"}),
        ('{"a": "他说“你好”",}', {"a": "他说“你好”"}),
        ("{'a': None, b: True, // why\n 'c': [1,2,]}", {"a": None, "b": True, "c": [1, 2]}),
        (r'{"a": "\alpha \(x\)"}', {"a": r"\alpha \(x\)"}),
        ('{"tasks": [{"title": "a"}, {"title": "b', {"tasks": [{"title": "a"}, {"title": "b"}]}),
        ('<tool_call>{"name": "plan", "arguments": {"tasks": [1]}}</tool_call>', {"tasks": [1]}),
        ('{"name": "plan", "arguments": "{\\"tasks\\": [1]}"}', {"tasks": [1]}),
        ("[TOOL_CALL:plan:query=deep sea, n=3]", {"query": "deep sea", "n": "3"}),
        ('[TOOL_CALL:plan:{"tasks":[{"tags":["a]"]}]}]', {"tasks": [{"tags": ["a]"]}]}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ("no json at all", None),
        ("", None),
    ],
)
def test_first_value(text: str, value: object) -> None:
    """S3-49: plain, fenced, inside text, and with the usual faults repaired."""
    assert first(text) == value


def test_s3_49_what_is_valid_comes_before_what_was_repaired() -> None:
    """Direct, then the fence, then the largest balanced value, and repairs last."""
    fenced = (
        'Of {"s": 0}, {"a": 1, "b": {"c": [1, 2]}} and\n```json\n{"fence": 1}\n```\nand {x: 1,}'
    )
    values = list(json_values(fenced))
    assert values[:3] == [{"fence": 1}, {"a": 1, "b": {"c": [1, 2]}}, {"s": 0}]
    assert first('{"whole": "```json\\n{}\\n```"}') == {"whole": "```json\n{}\n```"}
    assert first('{a: None, "b": [True, False,], /* why */ "c": 1}') == {
        "a": None, "b": [True, False], "c": 1,
    }  # fmt: skip


QUOTED = "“开放”和‘免费’不同"


@pytest.mark.parametrize(
    "text",
    [
        f'{{"a": "他说{QUOTED}。"}}',
        f'```json\n{{"a": "他说{QUOTED}。"}}\n```',
        f'好的：{{"a": "他说{QUOTED}。"}} 完毕',
        f'{{"a": "他说{QUOTED}。",}}',
    ],
)
def test_w3_5_curly_quotes_in_a_string_stay_what_they_are(text: str) -> None:
    assert first(text) == {"a": f"他说{QUOTED}。"}


def test_w3_5_curly_quotes_around_a_string_are_a_repair() -> None:
    assert first("{“a”: “b”}") == {"a": "b"}


def test_a_note_call_before_the_plan_does_not_hide_it_w0_5() -> None:
    text = '[TOOL_CALL:note:{"tags":["x"],"content":"y"}]\nThe plan: {"tasks":[{"title":"t"}]} ok?'
    assert first(text) == {"tasks": [{"title": "t"}]}


def test_every_balanced_value_is_tried_longest_first_w0_5() -> None:
    text = 'see [1] and {"meta": 1} then {"tasks": [{"title": "long enough"}]} and {"z": 2}'
    values = list(json_values(text))
    assert values[0] == {"tasks": [{"title": "long enough"}]}
    assert {"meta": 1} in values
    assert {"z": 2} in values


@pytest.mark.parametrize("unit", ['{"a":', "[", '{"a":[', "```", "{'", "[TOOL_CALL:", '{"a":"b"}'])
def test_hostile_text_takes_bounded_time(unit: str) -> None:
    start = time.perf_counter()
    list(json_values(unit * (200_000 // len(unit))))
    assert time.perf_counter() - start < 10
