"""W0-4, W0-6, W0-7, S0-34: think sections and tool-call text never reach a reader."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.models.think import ThinkFilter, clean

PIECES = st.sampled_from(
    ["<think>", "</think>", "<THINKING>", "</thinking>", "<th", "ink>", "<", "/", ">",
     "[TOOL_CALL:", "[TOOL_", "CALL:note:", '{"tags":["a","]"],"x":"\\"]"}', "]", "[", "{", "}",
     '"', "\\", "text ", "<tool_call>", "</tool_call>", "\n", "深度", "a<b", "[1]"]
)  # fmt: skip


def stream(chunks: list[str]) -> str:
    filter_ = ThinkFilter()
    return "".join(filter_.feed(c) for c in chunks) + filter_.close()


@given(st.lists(PIECES, max_size=30), st.data())
def test_chunking_never_changes_the_result_w0_7(pieces: list[str], data: st.DataObject) -> None:
    text = "".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    chunks = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert stream(chunks) == stream([text]) == stream(list(text))


@given(st.text(alphabet=st.characters(exclude_characters="<["), min_size=0))
def test_text_without_marks_is_untouched(text: str) -> None:
    assert stream(list(text)) == text.lstrip()


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("<think>secret</think>Answer", "Answer"),
        ("A<Thinking>secret</THINKING>B", "AB"),
        ("</think> shown <think>secret", "shown"),
        ("open <think>never closed", "open"),
        ("<think><think>doubled</think>Answer", "Answer"),
        ('X[TOOL_CALL:note:{"tags":["deep"],"content":"a ] b \\" ]"}]Y', "XY"),
        ('X[TOOL_CALL:search:query=5" pipe, n=[1]]Y', "XY"),
        ("X[TOOL_CALL:never closed", "X"),
        ('<tool_call>{"name":"x"}</tool_call>done', "done"),
        ("a < b and [1] <thin", "a < b and [1] <thin"),
        ("", ""),
    ],
)
def test_clean(text: str, seen: str) -> None:
    """W0-4 nested brackets, W0-6 unmatched tags."""
    assert clean(text) == seen


def test_a_split_tag_is_held_back_w0_7() -> None:
    filter_ = ThinkFilter()
    assert filter_.feed("Hello <th") == "Hello "
    assert filter_.feed("ink>secret</thi") == ""
    assert filter_.feed("nk> world") == " world"


@pytest.mark.parametrize(
    "unit", ["<think>", "</think>", "[TOOL_CALL:", "<", "[", "<think></think>"]
)
def test_time_is_linear_w0_6(unit: str) -> None:
    start = time.perf_counter()
    clean(unit * (400_000 // len(unit)))
    assert time.perf_counter() - start < 3
