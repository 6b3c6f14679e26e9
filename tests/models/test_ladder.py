"""The ladder by itself: which step is asked, what is read, what is remembered."""

from __future__ import annotations

from typing import Any

import pytest

from leadline.models.ladder import (
    LadderMemory,
    Question,
    Reply,
    Step,
    StepRefused,
    UnreadableAnswer,
    climb,
)
from leadline.models.prompts import Message
from leadline.models.requests import AnswerUnusable


def parse(value: Any) -> int:
    if isinstance(value, dict) and isinstance(value.get("n"), int):
        return int(value["n"])
    raise AnswerUnusable("n is missing")


QUESTION = Question(
    messages=(Message("system", "s"), Message("user", "u")),
    name="count",
    schema={"type": "object", "properties": {"n": {"type": "integer"}}},
    parse=parse,
    role="planner",
    explained=False,
)


class Scripted:
    def __init__(self, *replies: Reply, refuses: tuple[Step, ...] = ()) -> None:
        self.replies = list(replies)
        self.refuses = refuses
        self.asked: list[tuple[Step, tuple[Message, ...]]] = []

    async def __call__(self, messages: tuple[Message, ...], step: Step) -> Reply:
        if step in self.refuses:
            raise StepRefused
        self.asked.append((step, messages))
        return self.replies.pop(0)


async def test_the_first_good_answer_is_one_call() -> None:
    call = Scripted(Reply('{"n": 3}'))
    assert await climb(QUESTION, LadderMemory(), call) == 3
    assert [step for step, _ in call.asked] == [Step.SCHEMA]


async def test_arguments_under_any_tool_name_are_read() -> None:
    call = Scripted(Reply(tool_args=({"x": 1}, '{"n": 4}')))
    assert await climb(QUESTION, LadderMemory(), call) == 4


async def test_refused_steps_cost_no_ask_and_are_remembered() -> None:
    memory = LadderMemory()
    call = Scripted(Reply('n: {"n": 5}'), refuses=(Step.SCHEMA, Step.TOOL))
    assert await climb(QUESTION, memory, call) == 5
    assert memory.without == {Step.SCHEMA, Step.TOOL}
    step, messages = call.asked[0]
    assert step is Step.TEXT
    assert '"integer"' in messages[-1].text


async def test_asking_again_says_what_was_wrong_and_goes_down_the_ladder() -> None:
    """S3-29: a correcting prompt."""
    call = Scripted(Reply('{"m": 1}'), Reply("no"), Reply('{"n": 6}', cut=True))
    assert await climb(QUESTION, LadderMemory(), call) == 6
    assert [step for step, _ in call.asked] == [Step.SCHEMA, Step.TOOL, Step.TEXT]
    again = call.asked[1][1]
    assert [m.role for m in again] == ["system", "user", "assistant", "user"]
    assert "n is missing" in again[-1].text
    assert len(call.asked[2][1]) == 4, "the history does not grow with every ask (W2-14)"


async def test_the_end_is_typed_and_keeps_the_text_w2_3() -> None:
    """S3-29, W3-8: after two corrections, and what was said last is not lost."""
    call = Scripted(Reply("<think>x</think>plain words"), Reply(""), Reply("", problem="filtered"))
    with pytest.raises(UnreadableAnswer, match="3 tries: filtered") as caught:
        await climb(QUESTION, LadderMemory(), call)
    assert caught.value.text == "plain words"
