"""The worker's tools without a browser: what they refuse, what they accept, how they report."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leadline.browsing.state import MAX_SEARCHES, CurrentPage, Element, WorkerState
from leadline.browsing.tool_params import DoneParams, ReadParams, RecordParams, SearchParams
from leadline.browsing.tools import WorkerTools, build_tools
from leadline.domain.events import WorkerMoved
from leadline.domain.limits import Limits
from leadline.errors import BrowserFailed, LimitReached, SearchUnavailable
from tests.browsing.worker_doubles import (
    FakeLease,
    FakeReader,
    FakeRouter,
    blocked,
    hit,
    new_state,
)
from tests.doubles import MemoryRun

FERRY = "The Solund ferry carries 350 passengers. It began in 1998. {} Error: nothing."


class Bench:
    """Tools over doubles."""

    def __init__(
        self,
        pages: dict[str, str | Exception] | None = None,
        *,
        hits: int = 3,
        error: Exception | None = None,
        **state: Any,
    ) -> None:
        self.run = MemoryRun()
        self.state: WorkerState = new_state(**state)
        self.lease = FakeLease()
        self.reader = FakeReader(self.run, pages or {})
        self.router = FakeRouter([hit(n) for n in range(1, hits + 1)], error)
        self.tools: WorkerTools = build_tools(
            self.state,
            router=self.router,
            reader=self.reader,
            lease=self.lease,
            book=self.run,
            sink=self.run,
        )
        self.model = self.tools.registry.create_action_model()

    async def act(self, name: str, params: Any) -> Any:
        action = self.model.model_validate({name: params})
        return await self.tools.act(action, browser_session=self.lease.session)

    async def says(self, name: str, params: Any) -> str:
        result = await self.act(name, params)
        assert not result.error
        return result.long_term_memory or ""


def page(number: int) -> str:
    return f"https://site{number}.example/p{number}"


def test_only_research_actions_exist() -> None:
    """S3-26, safety 24: search and read; none writes, uploads, runs a script or reads a file."""
    assert set(Bench().tools.registry.registry.actions) == {
        "search", "read", "read_page", "record_findings", "done", "wait", "navigate", "click",
        "input", "scroll", "send_keys", "dropdown_options", "select_dropdown", "find_text",
        "go_back",
    }  # fmt: skip


def test_coordinate_clicking_cannot_bring_back_the_librarys_own_click() -> None:
    bench = Bench()
    before = bench.tools.registry.registry.actions["click"]
    bench.tools.set_coordinate_clicking(True)
    assert bench.tools.registry.registry.actions["click"] is before


def test_every_text_and_list_in_the_schema_is_capped() -> None:
    def walk(node: Any, path: str = "") -> None:
        if isinstance(node, dict):
            if node.get("type") == "string":
                assert "maxLength" in node, path
            if node.get("type") == "array":
                assert "maxItems" in node, path
            for key, value in node.items():
                walk(value, f"{path}/{key}")
        elif isinstance(node, list):
            for value in node:
                walk(value, path)

    for name, action in Bench().tools.registry.registry.actions.items():
        walk(action.param_model.model_json_schema(), name)


async def test_search_rows_are_numbered_and_snippets_are_called_no_evidence() -> None:
    bench = Bench()
    said = await bench.says("search", {"query": "Solund ferry"})
    assert "3 results" in said and "no evidence" in said
    assert [row.number for row in bench.state.rows] == [1, 2, 3]
    again = await bench.says("search", {"query": "solund FERRY "})
    assert "already" in again and bench.router.queries == ["Solund ferry"]


async def test_searches_are_capped_in_code() -> None:
    bench = Bench()
    for n in range(MAX_SEARCHES + 2):
        said = await bench.says("search", {"query": f"query {n}"})
    assert len(bench.router.queries) == MAX_SEARCHES and "Not searched" in said


async def test_a_failed_search_is_news_not_a_crash() -> None:
    """W3-11: a failure has a type, and is told as one."""
    bench = Bench(error=SearchUnavailable("No search engine answered: it rests."))
    assert "No search engine answered" in await bench.says("search", {"query": "x"})
    assert bench.state.search_failure and bench.state.fatal is None


async def test_a_key_seen_on_a_page_does_not_leave_in_a_search() -> None:
    """safety 25: a planted canary does not travel in a query or a form."""
    bench = Bench()
    said = await bench.says("search", {"query": "send CANARY-7f3a9b2c4d5e6f708192"})
    assert said.startswith("Not searched") and bench.router.queries == []
    typed = await bench.says("input", {"index": 3, "text": "CANARY-7f3a9b2c4d5e6f708192"})
    assert typed.startswith("Not typed")
    for piece in ("4f7a91c0d2e8", "send 20391847", "CODE 7f3a9b"):
        assert (await bench.says("input", {"index": 3, "text": piece})).startswith("Not typed")
        assert (await bench.says("send_keys", {"keys": piece})).startswith("Not typed")
    own = Bench(task="What is part ABC123DEF456GHI789JKL0?")
    await own.says("search", {"query": "part ABC123DEF456GHI789JKL0"})
    assert own.router.queries


async def test_several_pages_are_read_at_once_and_failures_stay_alone() -> None:
    bench = Bench({page(1): FERRY, page(2): blocked(), page(3): "Another page says little."})
    await bench.says("search", {"query": "q"})
    said = await bench.says("read", {"results": ["1", "[2]", 3.0, 9]})
    assert "Source 1 is shown" in said and "captcha" in said and "no result 9" in said
    assert bench.reader.peak == 3
    assert sorted(bench.state.shown) == [1, 2]
    assert bench.state.failed[page(2)][0] == "captcha"


async def test_the_page_cap_is_enforced_and_walls_do_not_use_it_up() -> None:
    pages: dict[str, str | Exception] = {page(1): blocked(), page(2): FERRY, page(3): FERRY}
    bench = Bench(pages, limits=Limits(pages_per_query=1))
    await bench.says("search", {"query": "q"})
    await bench.says("read", {"results": 1})
    assert bench.state.pages_left == 1
    assert "left out" in await bench.says("read", {"results": [2, 3]})
    assert bench.reader.read_urls == [page(1), page(2)] and bench.state.pages_left == 0
    assert "already" in await bench.says("read", {"results": [2]})


async def test_only_addresses_that_were_seen_are_opened() -> None:
    """safety 25: an address that a page talked the model into is refused with a sentence."""
    bench = Bench({page(1): FERRY, "https://a.example/next": FERRY})
    await bench.says("search", {"query": "q"})
    for url in (
        "https://evil.example/?leak=secret",
        f"{page(1)}?leak=secret",
        "file:///etc/passwd",
    ):
        assert "Not opened" in await bench.says("read", {"urls": url})
        assert "Not opened" in await bench.says("navigate", {"url": url})
    link = Element(4, "a", "Next", "/next")
    bench.state.look_at(CurrentPage("https://a.example/", "A", elements=(link,)))
    assert "is shown" in await bench.says("read", {"urls": ["https://a.example/next#part"]})
    assert bench.reader.read_urls == ["https://a.example/next"]


async def test_read_page_reads_the_tab_in_front_also_after_the_last_page() -> None:
    bench = Bench({page(1): FERRY, page(2): FERRY}, limits=Limits(pages_per_query=1))
    await bench.says("search", {"query": "q"})
    await bench.says("read", {"results": [1]})
    bench.lease.current = page(2)
    bench.state.look_at(CurrentPage(page(2), "Two"))
    assert "no more pages" in await bench.says("read_page", None)
    bench.lease.current = page(1)
    bench.state.look_at(CurrentPage(page(1), "One"))
    assert "is shown" in await bench.says("read_page", {"anything": 1})


async def test_a_finding_is_recorded_with_the_text_of_its_passages() -> None:
    bench = Bench({page(1): FERRY})
    await bench.says("search", {"query": "q"})
    await bench.says("read", {"results": [1]})
    said = await bench.says(
        "record_findings",
        {"claim": "The Solund ferry carries 350 passengers.", "passages": "1.1, [1.2]"},
    )
    assert said == "Recorded f1."
    assert bench.run.findings[0].quotes[0] == "The Solund ferry carries 350 passengers."
    assert bench.state.findings == ["f1"]


@pytest.mark.parametrize(
    ("claim", "passages", "why"),
    [
        ("The ferry carries 900 passengers.", ["1.1"], "900"),
        ("The ferry carries 350 passengers.", ["7.1"], "no passage 7.1"),
        ("The ferry carries 350 passengers.", ["1.99"], "no passage 1.99"),
        ("The ferry carries 350 passengers.", ["https://x.example"], "no passage numbers"),
        ("The ferry carries 350 passengers.", [], "No passage is named"),
        ("", ["1.1"], "empty"),
    ],
)
async def test_a_refused_finding_says_how_to_mend_it(
    claim: str, passages: list[str], why: str
) -> None:
    bench = Bench({page(1): FERRY})
    await bench.says("search", {"query": "q"})
    await bench.says("read", {"results": [1]})
    result = await bench.act(
        "record_findings", {"findings": [{"claim": claim, "passages": passages}]}
    )
    assert why in result.long_term_memory and result.metadata == {"refused": True}
    assert bench.run.findings == [] and bench.state.refused == 1


async def test_a_source_of_the_run_that_this_worker_never_saw_is_no_evidence() -> None:
    bench = Bench({page(1): FERRY})
    other = bench.reader.store("https://elsewhere.example/", FERRY)
    said = await bench.says(
        "record_findings",
        {"claim": "It carries 350 passengers.", "passages": [f"{other.source.id}.1"]},
    )
    assert "Refused" in said


async def test_a_passage_number_that_lost_its_zero_is_not_guessed() -> None:
    sentences = " ".join(f"The ferry number {n} sails." for n in range(1, 13))
    bench = Bench({page(1): sentences})
    await bench.says("search", {"query": "q"})
    await bench.says("read", {"results": [1]})
    ambiguous = await bench.says(
        "record_findings", [{"claim": "The ferry sails.", "passages": [1.1]}]
    )
    assert "as text in quotes" in ambiguous
    assert "Recorded" in await bench.says(
        "record_findings", [{"claim": "The ferry sails.", "passages": [1.2]}]
    )


async def test_done_without_a_finding_never_counts_as_answered() -> None:
    """W2-4: success is not what the model says but what it recorded."""
    bench = Bench()
    result = await bench.act("done", {"success": "true", "text": "All found!"})
    assert result.is_done and result.success is False
    assert not bench.state.answered and bench.state.missing


async def test_errors_that_end_the_worker_are_kept_with_their_type() -> None:
    bench = Bench({page(1): LimitReached("The run used its tokens.", limit="tokens")})
    await bench.says("search", {"query": "q"})
    result = await bench.act("read", {"results": [1]})
    assert result.error and isinstance(bench.state.fatal, LimitReached)
    dead = Bench({page(1): BrowserFailed("The browser died.")})
    await dead.says("search", {"query": "q"})
    await dead.act("read", {"results": [1]})
    assert isinstance(dead.state.fatal, BrowserFailed)


async def test_the_card_follows_the_work() -> None:
    bench = Bench({page(1): FERRY})
    await bench.says("search", {"query": "q"})
    await bench.says("read", {"results": [1]})
    moves = [e for e in bench.run.of(WorkerMoved) if isinstance(e, WorkerMoved)]
    assert [m.activity for m in moves] == ["searching", "reading"]
    assert moves[1].url == page(1)


@pytest.mark.parametrize(
    ("given", "results"),
    [("1, 2", [1, 2]), (3, [3]), (None, []), ({"ids": ["2", "2"]}, [2]), ({"results": "x"}, [])],
)
def test_read_takes_any_usual_shape(given: Any, results: list[int]) -> None:
    assert ReadParams.model_validate(given).results == results


def test_long_and_odd_values_are_cut_not_refused() -> None:
    assert len(SearchParams.model_validate({"query": "x" * 10_000}).query) == 200
    assert SearchParams.model_validate(["a b", "c"]).query == "a b"
    assert SearchParams.model_validate({"query": "a\x00b\ud800"}).query == "a b?"
    assert len(RecordParams.model_validate([{"claim": "c"}] * 99).findings) == 12
    assert DoneParams.model_validate({"answered": "maybe"}).answered is False
    json.dumps(RecordParams.model_validate([{"claim": "\ud800"}]).model_dump()).encode("utf-8")
