"""``BrowserUseChat``: browser-use's output through the same ladder, against the real server."""

from __future__ import annotations

import json
from typing import Any

import pytest
from browser_use.agent.views import AgentOutput
from browser_use.llm.exceptions import ModelProviderError
from browser_use.llm.messages import (
    AssistantMessage,
    BaseMessage,
    ContentPartImageParam,
    ContentPartTextParam,
    ImageURL,
    SystemMessage,
    UserMessage,
)
from browser_use.tools.registry.views import ActionModel
from browser_use.tools.service import Tools
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, RootModel, create_model

from leadline.errors import ModelRejected, ModelUnavailable
from leadline.models.browser_use import BrowserUseChat, done_with, read_output, to_message
from leadline.models.requests import AnswerUnusable
from tests.models.conftest import Bench
from tests.openai_server import Answer, OpenAIServer


class Search(BaseModel):
    query: str


class Read(BaseModel):
    results: list[int] = []


class Done(BaseModel):
    answered: bool = False
    summary: str = ""
    missing: str = ""


def output_format() -> type[AgentOutput]:
    models = [
        create_model(f"{name.title()}ActionModel", __base__=ActionModel, **{name: (params, ...)})
        for name, params in (("search", Search), ("read", Read), ("done", Done))
    ]
    union: Any = models[0] | models[1] | models[2]
    root = create_model("ActionModelUnion", __base__=RootModel[union])
    return AgentOutput.type_with_custom_actions_flash_mode(root)  # type: ignore[arg-type]  # as browser-use builds it


OUTPUT = output_format()
MESSAGES: list[BaseMessage] = [
    SystemMessage(content="You browse."),
    AssistantMessage(content="Before."),
    UserMessage(
        content=[
            ContentPartTextParam(text="Go on."),
            ContentPartImageParam(image_url=ImageURL(url="data:image/png;base64,AAAA")),
        ]
    ),
]


def actions(answer: Any) -> list[dict[str, Any]]:
    return [action.model_dump(exclude_none=True) for action in answer.action]


@pytest.mark.parametrize(
    "value",
    [
        {"memory": "m", "action": [{"read": {"results": [1]}}]},
        {"action": {"read": {"results": [1]}}},
        {"actions": [{"read": {"results": [1]}}], "explanation": "x"},
        [{"read": {"results": [1]}}],
        {"read": {"results": [1]}},
        {"name": "read", "arguments": {"results": [1]}},
        {"action": [{"name": "read", "parameters": {"results": [1]}}]},
        {"action": [{"read": {"results": [1]}, "search": None}, {"fly": {}}, 7]},
    ],
)
def test_a_step_is_read_in_any_shape_s3_50(value: Any) -> None:
    assert actions(read_output(value, OUTPUT)) == [{"read": {"results": [1]}}]


def test_an_unknown_action_is_named_to_the_model() -> None:
    with pytest.raises(AnswerUnusable, match="there is no teleport"):
        read_output({"action": [{"teleport": {"to": "moon"}}]}, OUTPUT)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=10),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["action", "read", "done", "results", "name", "arguments"]), inner
            )
        ),
        max_leaves=12,
    )
)
def test_any_value_is_read_or_refused(value: Any) -> None:
    try:
        answer = read_output(value, OUTPUT)
    except AnswerUnusable:
        return
    assert answer.action


def test_text_becomes_a_done_that_is_not_answered_w2_3() -> None:
    ending = done_with(OUTPUT, "Probably {42}.")
    assert ending is not None
    (done,) = actions(ending)
    assert done["done"]["answered"] is False
    assert done["done"]["summary"] == "Probably {42}."
    stock = AgentOutput.type_with_custom_actions(Tools().registry.create_action_model())
    theirs = done_with(stock, "Probably.")
    assert theirs is not None
    assert actions(theirs)[0]["done"]["success"] is False
    assert done_with(OUTPUT, "") is None


async def test_a_step_is_one_call_and_reported_as_the_workers(bench: Bench) -> None:
    step = {"memory": "m", "action": [{"search": {"query": "tides"}}]}
    with OpenAIServer(behaviour=lambda call: Answer(json.dumps(step))) as server:
        chat = BrowserUseChat(bench.model(server))
        got = await chat.ainvoke(MESSAGES, OUTPUT, session_id="x")
        body = server.requests[0].body
    assert actions(got.completion) == [{"search": {"query": "tides"}}]
    assert body["response_format"]["json_schema"]["name"] == "agent_output"
    assert [m["role"] for m in body["messages"]] == ["system", "assistant", "user"]
    assert "image" not in json.dumps(body["messages"]), "no vision, no images"
    assert [call.role for call in bench.reported] == ["worker"]


async def test_images_go_to_models_that_see_and_are_dropped_when_refused(bench: Bench) -> None:
    step = {"action": [{"search": {"query": "tides"}}]}
    answer = Answer(json.dumps(step))
    with OpenAIServer(behaviour=lambda call: answer) as server:
        await BrowserUseChat(bench.model(server, vision=True)).ainvoke(MESSAGES, OUTPUT)
        assert "base64,AAAA" in json.dumps(server.requests[0].body)
    with OpenAIServer(behaviour=lambda call: answer, refuse=("images",)) as server:
        model = bench.model(server, vision=True)
        await BrowserUseChat(model).ainvoke(MESSAGES, OUTPUT)
        await BrowserUseChat(model).ainvoke(MESSAGES, OUTPUT)
        assert server.refused == ["images"]
        assert not model.vision


async def test_a_model_that_only_talks_ends_unanswered_w2_3(bench: Bench) -> None:
    with OpenAIServer(mode="text") as server:
        got = await BrowserUseChat(bench.model(server)).ainvoke(MESSAGES, OUTPUT)
        assert server.calls == 3
    (done,) = actions(got.completion)
    assert done["done"]["answered"] is False
    assert "forty-two" in done["done"]["summary"]


async def test_failures_are_those_that_its_agent_expects(bench: Bench) -> None:
    for mode, kind in (
        ("empty", ModelProviderError),
        ("401", ModelRejected),
        ("500", ModelUnavailable),
    ):
        with OpenAIServer(mode=mode) as server, pytest.raises(kind):
            await BrowserUseChat(bench.model(server)).ainvoke(MESSAGES, OUTPUT)


async def test_plain_text_is_cleaned(bench: Bench) -> None:
    with OpenAIServer(mode="think") as server:
        got = await BrowserUseChat(bench.model(server)).ainvoke(MESSAGES)
    assert got.completion == "OK"
    assert to_message(MESSAGES[2], vision=False).images == ()
