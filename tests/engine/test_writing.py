"""What the writer is given, what becomes of what it gives, and which report is kept."""

from __future__ import annotations

import hashlib
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from leadline.domain.claims import ClaimCheck, ClaimState, Conflict, ConflictKind, fingerprint
from leadline.domain.claims import Verification as Level
from leadline.domain.config import ReportLength, ReportTemplate, RunConfig
from leadline.domain.events import ClaimChecked, ConflictFound, ReportReady
from leadline.domain.run import RunStatus
from leadline.engine.graph import run_graph
from leadline.engine.writing import write_partial_report, write_report
from leadline.errors import ModelUnavailable
from leadline.models.offline import OfflineModel
from leadline.models.requests import SectionRequest, TextRequest
from leadline.reports.plain import citations_in, plain_text
from leadline.reports.texts import CHINESE, ENGLISH
from tests.engine.rig import Bench, Rig, a_config, a_plan

PROMPTS = Path(__file__).parent / "snapshots"
NAMES = [template.value for template in ReportTemplate]
BREAKS = "<breaks off>"
DEPTH = "Depth: the measured value is 1 metres"


class Scripted(OfflineModel):
    """A writer whose answers are given by heading; after ``BREAKS`` the endpoint is gone."""

    def __init__(self, **answers: list[str]) -> None:
        super().__init__()
        self.answers = {key.replace("_", " "): list(texts) for key, texts in answers.items()}
        self.asked: list[SectionRequest] = []

    async def write(self, request: TextRequest) -> AsyncIterator[str]:
        assert isinstance(request, SectionRequest)
        self.asked.append(request)
        texts = self.answers.get(request.heading) or self.answers.get("all") or [""]
        text = texts.pop(0) if len(texts) > 1 else texts[0]
        before, broken, _ = text.partition(BREAKS)
        yield before
        if broken:
            raise ModelUnavailable("The model does not answer.")

    def requests(self, heading: str) -> list[SectionRequest]:
        return [request for request in self.asked if request.heading == heading]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "runs")


def config(**fields: Any) -> RunConfig:
    return a_config().model_copy(update={"verification": Level.OFF, **fields})


@contextmanager
def researched(bench: Bench, model: OfflineModel, **fields: Any) -> Iterator[Rig]:
    """A run of two parts; what each found is one claim."""
    folder = bench.run(config(**fields), a_plan(["Depth"], ["Width"]))
    with bench.session(folder, model=model) as rig:
        yield rig


def put_at_odds(rig: Rig) -> None:
    """The two claims of the run contradict each other."""
    session = rig.session
    for claim in session.view.claims.values():
        check = ClaimCheck(
            claim=claim.id,
            state=ClaimState.DISPUTED,
            reason="Another page says otherwise.",
            usable=True,
            against=tuple(c for c in session.view.claims if c != claim.id),
            fingerprint=fingerprint(claim),
        )
        session.emit(ClaimChecked(check=check))
    conflict = Conflict(
        kind=ConflictKind.CONTRADICTION, claims=("c1", "c2"), about="size", reason="They differ."
    )
    session.emit(ConflictFound(conflict=conflict))


def report_of(rig: Rig) -> str:
    return rig.folder.report() or ""


async def test_a_known_finding_reaches_the_writer_and_the_report(bench: Bench) -> None:
    """W2-1, S2-35, S0-36: as a claim, with the plan's tasks and their marks."""
    model = Scripted(Part_1=[f"{DEPTH} [c1]."], Part_2=["It is so [c2]."])
    with researched(bench, model) as rig:
        await run_graph(rig.context)
        (request,) = model.requests("Part 1")
        assert [(c.id, c.claim, c.state) for c in request.claims] == [
            ("c1", f"{DEPTH}.", "not checked")
        ]
        assert [(t.text, t.state) for t in request.tasks] == [("Depth", "done")]
        assert f"{DEPTH} [" in report_of(rig)


async def test_what_is_written_down_of_a_report_is_the_report(bench: Bench) -> None:
    """S3-47: template, hash and sentences are in the log."""
    with researched(bench, OfflineModel()) as rig:
        await run_graph(rig.context)
        ready = rig.session.view.report_ready
        assert ready is not None
        assert ready.template == "thematic"
        content = rig.folder.file("report.md").read_bytes()
        assert ready.sha256 == hashlib.sha256(content).hexdigest()
        report = content.decode("utf-8")
        assert citations_in(report) == [c for s in ready.sentences for c in s.citations]
        assert all(sentence.text in plain_text(report) for sentence in ready.sentences)
        assert {s.state for s in ready.sentences} == {ClaimState.NOT_CHECKED}


async def test_a_text_that_does_not_stand_is_asked_for_once_more(bench: Bench) -> None:
    model = Scripted(Part_1=["It is 999 metres [c1].", f"{DEPTH} [c1]."])
    with researched(bench, model) as rig:
        await run_graph(rig.context)
        assert len(model.requests("Part 1")) == 2
        assert f"{DEPTH} [" in report_of(rig)
        assert "999" not in report_of(rig)


@pytest.mark.parametrize("second", ["", "It is 999 metres [c1].", BREAKS])
async def test_asking_is_limited_and_ends_in_the_claims_themselves(
    bench: Bench, second: str
) -> None:
    """S3-46, W2-3: two tries, then what was found."""
    model = Scripted(Part_1=["It is 999 metres [c1].", second])
    with researched(bench, model) as rig:
        await run_graph(rig.context)
        assert len(model.requests("Part 1")) == 2
        assert DEPTH in report_of(rig)
        assert "999" not in report_of(rig)


async def test_a_draft_that_broke_off_is_kept_as_far_as_it_stands(bench: Bench) -> None:
    """users, Stop, W3-8: keep the best draft."""
    model = Scripted(Part_1=[f"Here {DEPTH.lower()} [c1]. And then {BREAKS}"])
    with researched(bench, model) as rig:
        last = await run_graph(rig.context)
        assert last.status is RunStatus.DONE
        assert "Here depth: the measured value is 1 metres [" in report_of(rig)
        assert "And then" not in report_of(rig)
        assert any("could not be written to its end" in n.message for n in rig.session.view.notices)


async def test_a_writer_that_is_gone_costs_no_report(bench: Bench) -> None:
    """S3-46: from the data, and it says that it is automatic."""
    with researched(bench, Scripted(all=[BREAKS])) as rig:
        last = await run_graph(rig.context)
        assert last.status is RunStatus.DONE
        assert ENGLISH.automatic_all in report_of(rig)
        assert DEPTH in report_of(rig)


async def test_a_failed_second_writing_leaves_the_good_report(bench: Bench) -> None:
    """users, Stop: a retry replaced a good draft and then failed."""
    with researched(bench, Scripted(Part_1=[f"Here {DEPTH.lower()} [c1]."])) as rig:
        await run_graph(rig.context)
        good = report_of(rig)
        rig.model = Scripted(all=[BREAKS])
        assert await write_report(rig.context)
        assert report_of(rig) == good
        write_partial_report(rig.session, RunStatus.STOPPED, "Stopped.")
        assert report_of(rig) == good
        put_at_odds(rig)
        assert await write_report(rig.context)
        assert report_of(rig) != good, "what was checked since is told"
        assert "*(disputed)*" in report_of(rig)


async def test_a_claim_that_may_not_be_used_never_reaches_the_writer(bench: Bench) -> None:
    """W3-1: nor the report, but for the table of claims."""
    with researched(bench, Scripted()) as rig:
        await run_graph(rig.context)
        claim = rig.session.view.claims["c1"]
        check = ClaimCheck(
            claim="c1",
            state=ClaimState.CONTRADICTED,
            reason="Its passage says otherwise.",
            usable=False,
            fingerprint=fingerprint(claim),
        )
        rig.session.emit(ClaimChecked(check=check))
        rig.model = model = Scripted()
        await write_report(rig.context)
        assert {c.id for request in model.asked for c in request.claims} == {"c2"}
        (line,) = [line for line in report_of(rig).splitlines() if DEPTH in line]
        assert line.startswith("| c1 |")


async def test_a_stopped_run_tells_what_it_found_as_not_checked(bench: Bench) -> None:
    """safety 45: a partial report needs neither a model nor the checks."""
    with researched(bench, OfflineModel()) as rig:
        await run_graph(rig.context)
        events = [e for e in rig.log if not isinstance(e.event, ReportReady)]
        assert events
        rig.session.view.report_ready = None
        rig.session.view.claims, rig.session.view.checks = {}, {}
        write_partial_report(rig.session, RunStatus.STOPPED, "Stopped by its user.")
        report = report_of(rig)
    assert ENGLISH.stopped in report
    assert DEPTH in report
    assert "*(not checked)*" in report
    assert ENGLISH.automatic not in report


@pytest.mark.parametrize(("length", "words"), [("short", 0.5), ("standard", 1), ("long", 2)])
async def test_the_length_setting_reaches_the_writer(
    bench: Bench, length: str, words: float
) -> None:
    """users, Output: wants more detail."""
    model = Scripted()
    with researched(bench, model, report_length=ReportLength(length)) as rig:
        await run_graph(rig.context)
    assert model.requests("Part 1")[0].words == 750 * words


@pytest.mark.parametrize("name", NAMES)
async def test_the_rendered_prompts_of_each_template(bench: Bench, name: str) -> None:
    """S1-9, W2-5: snapshots; both sides of a contradiction are in the writer's input.

    What each template adds to the system prompt is shown once. ``UPDATE_SNAPSHOTS=1`` writes anew.
    """
    with researched(bench, OfflineModel(), report_template=ReportTemplate(name)) as rig:
        await run_graph(rig.context)
        put_at_odds(rig)
        rig.model = model = Scripted()
        await write_report(rig.context)
    rendered = [request.render(make_nonce=lambda: "NONCE") for request in model.asked]
    style = model.asked[0].style
    assert all(style in system.text for system, _ in rendered)
    asked = (
        f"===== user ({request.words} words)\n{user.text}"
        for request, (_, user) in zip(model.asked, rendered, strict=True)
    )
    text = "\n".join((f"===== style\n{style}", *asked))
    path = PROMPTS / f"writer_{name}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8", newline="\n")
    assert text + "\n" == path.read_text("utf-8")
    assert "c1 and c2 disagree on size, and nothing settles it. They differ." in text


async def test_the_language_setting_decides_headings_and_prose(bench: Bench) -> None:
    """users, Output, W3-19: language and template are settings."""
    model = Scripted()
    with researched(
        bench, model, report_language="zh", report_template=ReportTemplate.FIVE_PART
    ) as rig:
        await run_graph(rig.context)
        report = report_of(rig)
    assert "## 核心洞见" in report
    assert CHINESE.automatic_all in report
    assert {request.language for request in model.asked} == {"zh"}


@pytest.mark.parametrize("name", NAMES)
async def test_the_offline_digest_says_nothing_twice(bench: Bench, name: str) -> None:
    """users, Output: a summary does not repeat its sections word for word; marks are on each."""
    with researched(bench, OfflineModel(), report_template=ReportTemplate(name)) as rig:
        await run_graph(rig.context)
        put_at_odds(rig)
        await write_report(rig.context)
        ready = rig.session.view.report_ready
        report = report_of(rig)
    assert ready is not None
    quoted = [s.text for s in ready.sentences if s.text.startswith("“")]
    assert len(quoted) == len(set(quoted)) > 0
    lines = [line for line in report.splitlines() if citations_in(line)]
    assert all("*(disputed)*" in line for line in lines)
    for heading in ("Part 1", "Part 2"):
        if name in ("thematic", "evidence", "evidence-action"):
            assert f"# {heading}\n" in report
