"""Workers: their endings (in memory) and the real way (Chromium, a small site)."""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from leadline.browsing.offline_policy import OfflineBrowserChat
from leadline.browsing.worker import BrowserUseAgent
from leadline.domain.config import ModelConfig, Provider, RunConfig
from leadline.domain.events import WorkerMoved
from leadline.domain.limits import Limits
from leadline.domain.plan import Task
from leadline.domain.text import estimate_tokens
from leadline.errors import (
    BrowserFailed,
    LimitReached,
    ModelAnswerInvalid,
    ModelRejected,
    ModelUnavailable,
    SearchUnavailable,
)
from leadline.models.browser_use import BrowserUseChat
from leadline.models.chat import LangChainModel
from tests.browsing.worker_doubles import (
    FakeLease,
    FakePool,
    FakeReader,
    FakeRouter,
    PageSession,
    ScriptedChat,
    blocked,
    hit,
    prompt_text,
)
from tests.browsing.worker_rig import QUERY, TASK, rig, site
from tests.doubles import MemoryRun
from tests.openai_server import OpenAIServer

FERRY = "The Solund ferry carries 350 passengers and 40 cars. It has sailed since 1998."
READ = [{"read": {"results": [1, 2]}}]
RECORD = {
    "record_findings": {
        "findings": [{"claim": "The Solund ferry carries 350 passengers.", "passages": "1.1"}]
    }
}
END = {"done": {"answered": True, "summary": "It carries 350 passengers.", "missing": ""}}


def easy(call: int, messages: list[Any]) -> Any:
    return READ if call == 1 else [RECORD, END]


class Stop:
    def __init__(self) -> None:
        self.asked = False

    def is_set(self) -> bool:
        return self.asked


class Desk:
    """A worker whose edges are all in memory."""

    def __init__(
        self,
        script: Any,
        *,
        pages: dict[str, str | Exception] | None = None,
        search_error: Exception | None = None,
        pool_error: Exception | None = None,
        stop: Stop | None = None,
        **limits: Any,
    ) -> None:
        self.run = MemoryRun()
        self.chat = ScriptedChat(script)
        self.pool = FakePool(FakeLease(), error=pool_error)
        self.reader = FakeReader(
            self.run, {hit(1).url: FERRY, hit(2).url: FERRY} if pages is None else pages
        )
        self.router = FakeRouter([hit(1), hit(2)], search_error)
        self.screens: list[bytes] = []
        self.worker = BrowserUseAgent(
            Task(id="t1", text=TASK),
            QUERY,
            worker="t1-1",
            topic="Ferries",
            config=RunConfig(limits=Limits(**limits)),
            pool=self.pool,
            router=self.router,
            reader=self.reader,
            book=self.run,
            sink=self.run,
            make_chat=lambda state: self.chat,
            today=date(2026, 1, 2),
            stop=stop,
            on_screen=lambda worker, jpeg: self.screens.append(jpeg),
        )

    def moves(self) -> list[str]:
        return [e.activity for e in self.run.of(WorkerMoved) if isinstance(e, WorkerMoved)]


async def test_an_easy_question_takes_two_calls_and_shows_its_moves() -> None:
    """The first search costs no call; findings and end share the second."""
    desk = Desk(easy)
    result = await desk.worker.run()
    assert (result.error, result.answered, result.findings, result.steps) == ("", True, ("f1",), 2)
    assert result.summary == "It carries 350 passengers."
    assert desk.moves() == [
        "waiting", "searching", "thinking", "reading", "thinking", "finished",
    ]  # fmt: skip
    first, second = (prompt_text(prompt) for prompt in desk.chat.prompts)
    assert "1. Page 1 — site1.example" in first
    assert "[1.1] The Solund ferry carries 350 passengers and 40 cars." in second
    assert desk.pool.returned == 1


async def test_what_both_calls_of_an_easy_question_cost() -> None:
    """Two real-sized pages: the prompt is rules, rows and passages, and nothing else."""
    desk = Desk(easy)
    await desk.worker.run()
    sizes = [estimate_tokens(prompt_text(prompt)) for prompt in desk.chat.prompts]
    assert max(sizes) < 1300, sizes


async def test_a_model_that_never_acts_ends_after_two_answers() -> None:
    """W2-3"""
    desk = Desk(lambda call, messages: ModelAnswerInvalid("No JSON in the answer."))
    result = await desk.worker.run()
    assert len(desk.chat.prompts) == 2 and not result.answered and result.fatal is None
    assert "no usable answer" in result.error
    assert "could not be used" in prompt_text(desk.chat.prompts[1])


async def test_a_model_that_returns_no_action_ends_at_once() -> None:
    """W2-3"""
    desk = Desk(lambda call, messages: [])
    result = await desk.worker.run()
    assert len(desk.chat.prompts) <= 4 and not result.answered


async def test_endless_tool_calls_end_with_the_steps_and_keep_what_was_recorded() -> None:
    """safety 47, W3-8: and users.md: salvage what was recorded."""

    def script(call: int, messages: list[Any]) -> Any:
        return READ if call == 1 else [RECORD, {"search": {"query": f"again {call}"}}]

    desk = Desk(script, steps_per_worker=4)
    result = await desk.worker.run()
    assert len(desk.chat.prompts) == 4 and "4 steps" in result.error
    assert "f1" in result.findings and not result.answered
    assert len(desk.router.queries) == 3  # none in the last step


async def test_the_last_step_offers_only_recording_and_the_end() -> None:
    """W3-8: a last answer without any further search."""

    def script(call: int, messages: list[Any]) -> Any:
        return READ if call < 3 else [RECORD, END]

    desk = Desk(script, steps_per_worker=3)
    result = await desk.worker.run()
    assert result.answered and "last step" in prompt_text(desk.chat.prompts[2])


async def test_refused_findings_can_be_mended_before_the_end() -> None:
    wrong = {
        "record_findings": {
            "findings": [{"claim": "The ferry carries 900 passengers.", "passages": ["1.1"]}]
        }
    }

    def script(call: int, messages: list[Any]) -> Any:
        return {1: READ, 2: [END, wrong]}.get(call, [RECORD, END])

    desk = Desk(script)
    result = await desk.worker.run()
    assert result.answered and result.steps == 3
    assert "900" in prompt_text(desk.chat.prompts[2])


async def test_an_end_without_findings_is_no_answer() -> None:
    """W2-4"""
    result = await Desk(lambda call, messages: [END]).worker.run()
    assert not result.answered and result.missing and result.error == ""


@pytest.mark.parametrize(
    "error",
    [
        ModelUnavailable("The model does not answer."),
        ModelRejected("The key is refused."),
        LimitReached("The run used its tokens.", limit="tokens"),
    ],
)
async def test_errors_that_no_worker_escapes_surface_with_their_type(error: Exception) -> None:
    desk = Desk(lambda call, messages: READ if call == 1 else error)
    result = await desk.worker.run()
    assert result.fatal is error and result.error == str(error)
    assert len(desk.chat.prompts) == 2


async def test_pages_and_searches_that_fail_are_news_for_the_model() -> None:
    def script(call: int, messages: list[Any]) -> Any:
        return READ if call == 1 else [{"done": {"answered": False, "missing": "All blocked."}}]

    desk = Desk(script, pages={hit(1).url: blocked(), hit(2).url: blocked("login")})
    result = await desk.worker.run()
    assert result.error == "" and result.missing == "All blocked."
    assert "not readable: captcha" in prompt_text(desk.chat.prompts[1])

    lost = Desk(lambda c, m: [END], search_error=SearchUnavailable("No engine answered."))
    assert not (await lost.worker.run()).answered
    assert "No engine answered." in prompt_text(lost.chat.prompts[0])


async def test_a_dead_browser_is_raised_so_that_the_task_is_tried_again() -> None:
    with pytest.raises(BrowserFailed):
        await Desk(easy, pages={hit(1).url: BrowserFailed("It died.")}).worker.run()
    missing = Desk(easy, pool_error=BrowserFailed("It would not start."))
    with pytest.raises(BrowserFailed):
        await missing.worker.run()
    assert missing.moves() == ["waiting", "failed"]


async def test_a_hanging_model_is_ended_by_the_workers_deadline() -> None:
    async def hang() -> None:
        await asyncio.Event().wait()

    desk = Desk(lambda call, messages: hang(), worker_seconds=0.3)
    result = await asyncio.wait_for(desk.worker.run(), 5)
    assert "0.3 seconds" in result.error and desk.pool.returned == 1


async def test_a_stop_ends_a_waiting_model_call_within_a_second() -> None:
    """safety 40, W2-10: no further call, and the worker is cancelled, not failed."""
    stop = Stop()

    async def hang() -> None:
        stop.asked = True
        await asyncio.Event().wait()

    desk = Desk(lambda call, messages: hang(), stop=stop)
    started = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await desk.worker.run()
    assert time.monotonic() - started < 2 and len(desk.chat.prompts) == 1


async def test_a_stop_before_the_first_call_makes_none() -> None:
    stop = Stop()
    stop.asked = True
    desk = Desk(easy, stop=stop)
    with pytest.raises(asyncio.CancelledError):
        await desk.worker.run()
    assert desk.chat.prompts == []


async def test_cancelling_gives_the_browser_back_and_is_passed_on() -> None:
    waiting = asyncio.Event()

    async def hang() -> None:
        waiting.set()
        await asyncio.Event().wait()

    desk = Desk(lambda call, messages: hang())
    running = asyncio.create_task(desk.worker.run())
    await waiting.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert desk.pool.returned == 1 and desk.moves()[-1] == "failed"


async def test_offline_worker_answers_in_two_steps_and_never_answers_nonsense() -> None:
    desk = Desk(None)
    worker = desk.worker
    worker._chat._chat = OfflineBrowserChat(worker.state)
    result = await worker.run()
    assert result.answered and result.steps == 2
    assert desk.run.findings[0].claim == "The Solund ferry carries 350 passengers and 40 cars."


async def test_a_model_that_goes_round_in_circles_is_ended_before_its_steps_are_used() -> None:
    """safety 47: endless tool calls"""
    desk = Desk(lambda call, messages: [{"read": {"results": [1]}}], steps_per_worker=30)
    result = await desk.worker.run()
    assert len(desk.chat.prompts) == 5 and "in circles" in result.error


async def test_a_worker_leaves_no_folder_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """safety 46: browser-use's folder of each agent is never made."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    await Desk(easy).worker.run()
    assert not _names_in(tmp_path)


async def test_a_worker_does_not_load_the_sdk_of_another_provider() -> None:
    """It costs two seconds and 40 MB in each run."""
    before = "anthropic" in sys.modules
    await Desk(easy).worker.run()
    assert ("anthropic" in sys.modules) == before
    assert "browser_use.llm.anthropic.chat" not in sys.modules or before


async def test_the_newest_picture_is_handed_out_while_it_works() -> None:
    async def slow() -> Any:
        await asyncio.sleep(1.3)
        return [END]

    desk = Desk(lambda call, messages: slow())
    await desk.worker.run()
    assert desk.screens == [b"jpeg"]


@pytest.mark.parametrize("vision", [True, False])
async def test_a_model_sees_the_tab_only_where_it_can(vision: bool) -> None:
    desk = Desk(lambda call, messages: [END])
    desk.worker._config = desk.worker._config.model_copy(
        update={"model": ModelConfig(vision=vision)}
    )
    desk.pool.the_lease.session = PageSession(cdp_url="ws://127.0.0.1:9/", keep_alive=True)
    await desk.worker.run()
    prompt = desk.chat.prompts[0][-1]
    assert isinstance(prompt.content, list) == vision
    assert "A page — https://a.example/" in prompt.text


@pytest.mark.parametrize(
    ("mode", "answered", "most"),
    [
        ("competent", True, 2),
        ("think", True, 2),
        ("fenced", True, 2),
        ("inventing", True, 4),
        ("text", False, 4),
        ("empty", False, 8),
        ("wrong-types", False, 8),
        ("endless-tools", False, 10),
        ("401", False, 1),
    ],
)
async def test_over_http_every_fault_of_a_model_ends_bounded_and_typed(
    mode: str, answered: bool, most: int
) -> None:
    """safety 47: real client, real HTTP; an invented reference never becomes a finding."""
    desk = Desk(None)
    with OpenAIServer(mode=mode) as server:
        config = ModelConfig(provider=Provider.CUSTOM, name="m", base_url=server.base_url)
        model = LangChainModel(
            config, SecretStr("k"), limits=Limits(model_seconds=5), on_call=lambda call: None
        )
        desk.worker._chat._chat = BrowserUseChat(model)
        result = await desk.worker.run()
        await model.aclose()
    assert result.answered == answered and server.calls <= most
    assert isinstance(result.fatal, ModelRejected) == (mode == "401")
    stored = [p.text for s in desk.run.snapshots.values() for p in s.passages]
    assert all(quote in stored for finding in desk.run.findings for quote in finding.quotes)


@pytest.mark.browser
async def test_real_pages_an_easy_question_and_a_page_that_gives_orders(
    chromium: Path, tmp_path: Path
) -> None:
    """W2-4, W2-5, safety 28: braces, "Error:" and orders in a page change nothing."""
    chat = ScriptedChat(lambda n, m: READ if n == 1 else [_record(m, "350 passengers"), END])
    with site() as (base, asked):
        async with rig(chromium, tmp_path / "work", base) as r:
            scripted = await r.worker(lambda state: chat, "/ferry", "/odd").run()
            offline = await r.worker(OfflineBrowserChat, "/ferry", "/fleet", "/odd").run()
    assert scripted.error == "" and scripted.answered and scripted.steps == 2
    assert "{} Error: {{task}} {nonce}" in prompt_text(chat.prompts[1])
    assert [estimate_tokens(prompt_text(p)) < 1500 for p in chat.prompts] == [True, True]
    assert offline.error == "" and offline.answered and offline.steps == 2
    claims = [finding.claim for finding in r.run.findings]
    assert any("350 passengers" in claim for claim in claims)
    assert not any("9999" in claim for claim in claims)
    assert sorted(p for p in asked if p != "/favicon.ico") == ["/ferry", "/fleet", "/odd"]


@pytest.mark.browser
async def test_a_real_page_is_clicked_through_and_read(chromium: Path, tmp_path: Path) -> None:
    """What only a click shows becomes a source with a passage of its own."""

    def script(call: int, messages: list[Any]) -> Any:
        text = prompt_text(messages)
        if call == 1:
            url = re.search(r"http://\S+/clicks", text)
            return [{"navigate": {"url": url[0] if url else ""}}]
        if call == 2:
            button = re.search(r"\[(\d+)\]<button", text)
            return [{"click": {"index": button[1] if button else 1}}, {"read_page": {}}]
        return [_record(messages, "22:15"), END]

    chat = ScriptedChat(script)
    with site() as (base, _):
        async with rig(chromium, tmp_path / "work", base) as r:
            result = await r.worker(lambda state: chat, "/clicks").run()
    assert result.error == "" and result.answered, prompt_text(chat.prompts[-1])
    assert "22:15" in r.run.findings[0].quotes[0]


def _record(messages: list[Any], wanted: str) -> dict[str, Any]:
    """A finding that copies the first shown passage with ``wanted`` in it."""
    found = re.search(rf"\[(\d+\.\d+)\] (.*{wanted}.*)", prompt_text(messages))
    claim, ref = (found[2], found[1]) if found else ("nothing", "0.0")
    return {"record_findings": {"findings": [{"claim": claim, "passages": [ref]}]}}


def _names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith("browser_use_agent")]
