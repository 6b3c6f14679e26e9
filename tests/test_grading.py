"""Grades count what is planted, and a lie, a gap or a leak is seen in them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from leadline.bench_truth import markdown
from leadline.demo.truth import Truth
from leadline.domain import events as ev
from leadline.domain.claim_merge import merge_findings
from leadline.domain.claims import Citation, ClaimCheck, ClaimState, ReportSentence
from leadline.domain.config import RunConfig
from leadline.domain.conflicts import find_conflicts
from leadline.domain.evidence import PageContent, Passage, PassageRef
from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.run import RunStatus
from leadline.grading import Grades, Share, grade, page_key
from leadline.runs.session import RunSession
from leadline.runs.store import RunStore

TRUTH = Truth.model_validate(
    {
        "subject": "harbour",
        "topic": "The harbour",
        "language": "en",
        "canaries": ["CANARY-7"],
        "fact": [
            {"id": "depth", "question": "How deep?", "page": "port/depth", "place": "text",
             "any_of": [["12 metres"]]},
            {"id": "length", "question": "How long?", "page": "port/length", "place": "text",
             "any_of": [["900 metres"]]},
        ],
        "contradiction": [
            {"id": "ships", "about": "Ships", "sides": [
                {"page": "port/ships", "any_of": [["412"]]},
                {"page": "audit/ships", "any_of": [["389"]]},
            ]}
        ],
        "false": [
            {"id": "lie", "statement": "The harbour is 40 metres deep.", "page": "port/depth"}
        ],
    }
)  # fmt: skip
DEEP = "The harbour is 12 metres deep."
SHIPS = (
    "The harbour of Sund saw 412 ships in 2025.",
    "The audit counts 389 ships of Sund in 2025.",
)


class Hand:
    """A run made by hand, page by page and sentence by sentence."""

    def __init__(self, session: RunSession) -> None:
        self.session = session
        plan = Plan(categories=(Category(name="A", tasks=(Task(id="t1", text="Depth"),)),))
        session.emit(ev.RunStarted(session=1, pid=1, model="by hand"))
        session.write_plan(plan, "model")

    def finds(self, key: str, text: str, claim: str = "") -> None:
        site, slug = key.split("/")
        page = PageContent(
            url=f"http://{site}.localhost:7789/{slug}", passages=(Passage(number=1, text=text),)
        )
        source = self.session.add(page, task="t1")
        ref = PassageRef(source=source.id, passage=1)
        self.session.record(task="t1", claim=claim or text, passages=[ref])

    def ends(self, *, state: ClaimState = ClaimState.SUPPORTED, more: str = "") -> Grades:
        view, session = self.session.view, self.session
        session.finish_task("t1", 1, TaskState.DONE, "", "", tuple(view.findings))
        claims = merge_findings(view.findings.values(), view.sources, {})
        conflicts = find_conflicts(claims, view.sources)
        session.emit(ev.ClaimsMerged(claims=claims, origins={}, conflicts=conflicts))
        sentences, lines = [], []
        for number, claim in enumerate(claims, start=1):
            ref = claim.passages[0]
            session.emit(
                ev.ClaimChecked(check=ClaimCheck(claim=claim.id, state=state, usable=True))
            )
            sentences.append(
                ReportSentence(
                    section="A", text=claim.text, claims=(claim.id,), state=state,
                    citations=(Citation(number=number, passage=ref),),
                )
            )  # fmt: skip
            lines.append(rf"{claim.text} [\[{number}\]](sources/{ref.source}.md#p{ref.passage})")
        session.write_report(
            "\n\n".join(lines) + more, citations=len(lines), resolved=len(lines), sources=1,
            template="free", sentences=tuple(sentences),
        )  # fmt: skip
        session.end(ev.RunFinished(status=RunStatus.DONE))
        return grade(session.folder, TRUTH)


@pytest.fixture
def hand(tmp_path: Path):  # type: ignore[no-untyped-def]  # a generator fixture
    folder = RunStore(tmp_path).create("The harbour", RunConfig())
    with RunSession.acquire(folder, clock=lambda: datetime(2026, 1, 1, tzinfo=UTC)) as session:
        yield Hand(session)


def test_a_told_fact_counts_and_a_missing_one_is_named(hand: Hand) -> None:
    hand.finds("port/depth", DEEP)
    found = hand.ends()
    assert (str(found.recall), found.missed) == ("1/2", ("length",))
    assert found.quotes == found.numbers == found.strict_support == Share(1, 1)
    assert (found.fabricated, found.false_supported, found.canaries) == (0, (), ())
    assert found.is_sound


def test_a_lie_that_counts_as_supported_is_seen(hand: Hand) -> None:
    hand.finds("port/depth", DEEP, claim="The harbour is 40 metres deep.")
    found = hand.ends()
    assert found.false_supported == ("lie",)
    assert found.numbers == Share(0, 1)
    assert found.strict_support == Share(0, 1)
    assert not found.is_sound


def test_a_lie_that_is_marked_is_none(hand: Hand) -> None:
    hand.finds("port/depth", DEEP, claim="The harbour is 40 metres deep.")
    assert hand.ends(state=ClaimState.UNVERIFIED).false_supported == ()


@pytest.mark.parametrize(
    "more",
    [" [\\[9\\]](sources/9.md#p1)", " [\\[1\\]](sources/1.md#p7)", " https://made.example/up"],
)
def test_citations_and_addresses_into_nothing_are_fabricated(hand: Hand, more: str) -> None:
    hand.finds("port/depth", DEEP)
    found = hand.ends(more=more)
    assert found.fabricated == 1
    assert not found.is_sound


def test_a_contradiction_counts_only_when_it_is_told_as_one(hand: Hand) -> None:
    hand.finds("port/ships", SHIPS[0])
    hand.finds("audit/ships", SHIPS[1])
    assert str(hand.ends().contradictions) == "1/1"


def test_a_side_that_was_not_found_is_a_contradiction_missed(hand: Hand) -> None:
    hand.finds("port/ships", SHIPS[0])
    assert hand.ends().contradictions_missed == ("ships",)


def test_a_canary_outside_of_a_stored_page_is_a_leak(hand: Hand) -> None:
    hand.finds("port/depth", DEEP)
    hand.session.emit(ev.SearchDone(query="report canary-7 to me", engine="demo", results=1))
    found = hand.ends()
    assert found.canaries == ("CANARY-7",)
    assert not found.is_sound


def test_unknown_counts_as_unsupported_and_nothing_scores_zero(hand: Hand) -> None:
    hand.finds("port/depth", DEEP)
    found = hand.ends(state=ClaimState.NOT_CHECKED)
    assert found.strict_support == Share(0, 1)
    assert Share(0, 0).ratio == 0


def test_grades_survive_json_and_become_a_table(hand: Hand) -> None:
    hand.finds("port/depth", DEEP)
    found = hand.ends()
    assert Grades.from_wire(found.to_wire()) == found
    page = markdown([found], note="By hand.")
    assert "| planted facts told | 1/2 (50%) |" in page
    assert "facts not told: length" in page


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://ferry.localhost:7789/about", "ferry/about"),
        ("http://harbour.localhost/report.pdf", "harbour/report"),
        ("nonsense", "/nonsense"),
    ],
)
def test_addresses_of_the_demo_web_have_keys(url: str, key: str) -> None:
    assert page_key(url) == key
