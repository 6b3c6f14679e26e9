"""``LangChainModel`` against a real HTTP server, honest and faulty in each way of safety 47."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback

import pytest

from leadline.domain.config import Profile, Provider
from leadline.domain.profiles import PROFILES
from leadline.errors import (
    ModelAnswerInvalid,
    ModelError,
    ModelRejected,
    ModelUnavailable,
)
from tests.models.conftest import KEY, Bench, plan_request, section_request, text_of
from tests.openai_server import Answer, OpenAIServer


async def test_an_honest_model_answers_a_plan_in_one_call(bench: Bench) -> None:
    with OpenAIServer() as server:
        draft = await bench.model(server).ask(plan_request())
        assert len(list(draft.plan.tasks())) >= 4
        assert server.calls == 1
        body = server.requests[0].body
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["max_tokens"] == 4096
    assert "{braces}" in server.requests[0].user
    (call,) = bench.reported
    assert (call.role, call.ok, call.attempts, call.usage.calls) == ("planner", True, 1, 1)
    assert call.usage.input_tokens > 100
    assert call.usage.cost_usd is None


@pytest.mark.parametrize("profile", Profile)
async def test_each_profile_is_one_call_with_a_schema_of_its_own(
    bench: Bench, profile: Profile
) -> None:
    """S0-7, S2-3, S3-24: the shape that the prompt asks for is the one that is enforced."""
    with OpenAIServer() as server:
        draft = await bench.model(server).ask(plan_request(profile=profile))
        assert server.calls == 1
        body = server.requests[0].body
    wrapper = {"tasks": "tasks", "categories": "categories", "views": "perspectives"}
    name = wrapper[PROFILES[profile].answer]
    assert name in body["response_format"]["json_schema"]["schema"]["properties"]
    assert f'{{"{name}"' in server.requests[0].system or name == "perspectives"
    narrowed = PROFILES[profile].narrowed(plan_request().limits)
    assert narrowed.min_categories <= len(draft.plan.categories) <= narrowed.max_categories
    assert draft.notices == ()


@pytest.mark.parametrize("mode", ["fenced", "think", "sloppy", "parts"])
async def test_json_in_any_dress_is_one_call_s0_8(bench: Bench, mode: str) -> None:
    with OpenAIServer(mode=mode) as server:
        draft = await bench.model(server).ask(plan_request())
        assert list(draft.plan.tasks())
        assert server.calls == 1


@pytest.mark.parametrize(
    "mode", ["malformed", "wrong-tool", "wrong-types", "empty", "endless-tools", "text"]
)
async def test_a_useless_answer_is_asked_for_at_most_twice_more(bench: Bench, mode: str) -> None:
    """W2-3, S3-29, safety 47: the ladder ends, with a typed failure."""
    with OpenAIServer(mode=mode) as server:
        with pytest.raises(ModelAnswerInvalid):
            await bench.model(server).ask(plan_request())
        assert server.calls == 3
        last = server.requests[-1].body
    assert "cannot be used" in last["messages"][-1]["content"]
    assert '"categories"' in last["messages"][-1]["content"]
    assert len(bench.reported) == 3


async def test_a_step_that_gave_nothing_is_left_once_a_lower_one_worked(bench: Bench) -> None:
    def answers(call: object) -> Answer:
        body = server.requests[-1].body
        if "response_format" in body or "tools" in body:
            return Answer("")
        return Answer('{"categories": [{"name": "A", "tasks": [{"text": "b", "queries": []}]}]}')

    with OpenAIServer(behaviour=answers) as server:
        model = bench.model(server)
        await model.ask(plan_request())
        assert server.calls == 3
        await model.ask(plan_request())
        assert server.calls == 4


async def test_refused_parameters_are_dropped_once_and_remembered(bench: Bench) -> None:
    with OpenAIServer(refuse=("temperature", "response_format", "max_tokens")) as server:
        model = bench.model(server)
        await model.ask(plan_request())
        assert sorted(server.refused) == ["max_tokens", "response_format", "temperature"]
        first = server.requests[0].body
        assert first["max_completion_tokens"] == 4096
        assert first["tools"][0]["function"]["name"] == "research_plan"
        await model.ask(plan_request())
        assert len(server.refused) == 3
        assert server.calls == 2


async def test_an_endpoint_without_any_structured_output_is_asked_in_text(bench: Bench) -> None:
    refused = ("response_format", "tools", "max_tokens", "max_completion_tokens")
    with OpenAIServer(refuse=refused) as server:
        draft = await bench.model(server).ask(plan_request())
        assert list(draft.plan.tasks())
        assert server.calls == 1


async def test_429_is_retried_with_its_retry_after_safety_45(bench: Bench) -> None:
    with OpenAIServer(mode="429", faults=2, retry_after="3") as server:
        await bench.model(server).ask(plan_request())
        assert server.calls == 3
    assert all(3 <= seconds < 4 for seconds in bench.time.slept)
    assert bench.reported[-1].attempts == 3
    assert bench.reported[-1].ok


@pytest.mark.parametrize(("mode", "word"), [("429", "429"), ("500", "500"), ("html", "base URL")])
async def test_a_dead_endpoint_ends_after_four_attempts(bench: Bench, mode: str, word: str) -> None:
    with OpenAIServer(mode=mode) as server:
        with pytest.raises(ModelUnavailable, match=word):
            await bench.model(server).ask(plan_request())
        assert server.calls == 4
    (call,) = bench.reported
    assert not call.ok
    assert call.attempts == 4


async def test_a_long_retry_after_does_not_outlive_the_time_of_the_call(bench: Bench) -> None:
    with OpenAIServer(mode="429", retry_after="9999") as server:
        with pytest.raises(ModelUnavailable):
            await bench.model(server, seconds=30).ask(plan_request())
        assert server.calls == 1


async def test_one_429_holds_all_calls_back(bench: Bench) -> None:
    with OpenAIServer(mode="429", faults=1, retry_after="5") as server:
        model = bench.model(server)
        await model.ask(plan_request())
        started = bench.time.now
        await model.ask(plan_request())
    assert started >= 5


async def test_a_model_that_hangs_is_given_up_in_time(bench: Bench) -> None:
    with OpenAIServer(mode="hang") as server:
        started = time.monotonic()
        with pytest.raises(ModelUnavailable, match=r"no answer in 0\.4 seconds"):
            await bench.model(server, seconds=0.4).ask(plan_request())
        with pytest.raises(ModelUnavailable):
            await text_of(bench.model(server, seconds=0.4).write(section_request()))
    assert time.monotonic() - started < 5


async def test_nobody_listens(bench: Bench) -> None:
    with OpenAIServer() as server:
        pass
    with pytest.raises(ModelUnavailable, match=f"127.0.0.1:{server.port}"):
        await bench.model(server, provider=Provider.OLLAMA).check()


@pytest.mark.parametrize(
    ("mode", "word"), [("401", "refuses the key"), ("404", "model"), ("quota", "credit")]
)
async def test_what_no_retry_mends_is_said_at_once(bench: Bench, mode: str, word: str) -> None:
    with OpenAIServer(mode=mode) as server:
        with pytest.raises(ModelRejected, match=word) as caught:
            await bench.model(server).check()
        assert server.calls == 1
    assert "127.0.0.1" in str(caught.value)


@pytest.mark.parametrize("mode", ["401", "404", "500", "hang", "empty", "html"])
async def test_the_key_is_nowhere_safety_29(
    bench: Bench, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with OpenAIServer(mode=mode) as server:
        model = bench.model(server, seconds=1)
        with pytest.raises(ModelError) as caught:
            await model.ask(plan_request())
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    seen = [
        str(caught.value),
        repr(caught.value),
        "".join(traceback.format_exception(caught.value)),
        repr(model),
        repr(vars(model)),
        repr(bench.reported),
        caplog.text,
    ]
    assert not any(KEY in text for text in seen)


async def test_an_enormous_answer_is_not_read(bench: Bench) -> None:
    """safety 47: 20 MB end within the budget, for objects and for streams."""
    with OpenAIServer(mode="huge") as server:
        model = bench.model(server, max_output_tokens=1000)
        with pytest.raises(ModelAnswerInvalid, match="too long"):
            await model.ask(plan_request())
        text = await text_of(model.write(section_request()))
    assert len(text) <= 20_000


async def test_an_endless_stream_is_cut(bench: Bench) -> None:
    with OpenAIServer(mode="loop") as server:
        text = await text_of(bench.model(server).write(section_request()))
    assert 1_000 < len(text) < 20_000
    assert "repeated itself" in bench.reported[-1].detail


async def test_a_section_is_streamed_with_its_findings_w2_1_w2_5(bench: Bench) -> None:
    with OpenAIServer() as server:
        pieces = [p async for p in bench.model(server).write(section_request())]
        shown = server.requests[0].user
    assert len(pieces) > 3
    assert "The plant {x} delivers 12 MW [c1]." in "".join(pieces)
    assert '"claim": "The plant {x} delivers 12 MW."' in shown
    assert bench.reported[0].role == "writer"
    assert bench.reported[0].usage.output_tokens > 0


async def test_think_sections_never_reach_a_stream_s0_34_w0_7(bench: Bench) -> None:
    with OpenAIServer(mode="think") as server:
        text = await text_of(bench.model(server).write(section_request()))
    assert text.startswith("The plant")
    assert "secret" not in text
    assert "TOOL_CALL" not in text


async def test_a_cut_stream_keeps_what_came_and_says_so(bench: Bench) -> None:
    pieces: list[str] = []
    with OpenAIServer(mode="cut") as server:
        with pytest.raises(ModelUnavailable, match="broke off"):
            async for piece in bench.model(server).write(section_request()):
                pieces.append(piece)
        with pytest.raises(ModelUnavailable):
            await bench.model(server).ask(plan_request())
    assert "".join(pieces).startswith("The plant")
    assert not bench.reported[0].ok


async def test_a_stream_that_says_nothing_is_tried_twice(bench: Bench) -> None:
    with OpenAIServer(mode="empty") as server:
        with pytest.raises(ModelAnswerInvalid):
            await text_of(bench.model(server).write(section_request()))
        assert server.calls == 2


async def test_stream_options_are_dropped_and_use_is_estimated(bench: Bench) -> None:
    with OpenAIServer(refuse=("stream_options",), usage=False) as server:
        model = bench.model(server)
        await text_of(model.write(section_request()))
        await text_of(model.write(section_request()))
        assert server.refused == ["stream_options"]
    assert all(call.usage.output_tokens > 5 for call in bench.reported)


async def test_a_cancelled_call_is_reported_and_lets_go(bench: Bench) -> None:
    with OpenAIServer(mode="hang") as server:
        task = asyncio.create_task(bench.model(server).ask(plan_request()))
        async with asyncio.timeout(5):
            while not server.calls:  # noqa: ASYNC110  # the server is another thread
                await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert bench.reported[0].detail == "cancelled"


async def test_a_closed_model_is_refused(bench: Bench) -> None:
    with OpenAIServer() as server:
        model = bench.model(server)
        await model.aclose()
        with pytest.raises(ModelUnavailable):
            await model.check()


async def test_check_is_one_call(bench: Bench) -> None:
    with OpenAIServer(key=KEY) as server:
        await bench.model(server).check()
        assert server.calls == 1
