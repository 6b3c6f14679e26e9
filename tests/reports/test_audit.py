"""A report can be audited: its list of sentences is its Markdown, and no lie gets into either."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.domain.claims import ClaimState, Conflict, ConflictKind, ReportSentence
from leadline.domain.config import ReportTemplate
from leadline.domain.projection import RunView
from leadline.reports.basis import Basis
from leadline.reports.plain import CITATION, citations_in, plain_text
from tests.domain.strategies import any_text
from tests.reports.samples import C1, C2, CLAIMS, set_state, view
from tests.reports.test_compose import part, report

NAMES = [template.value for template in ReportTemplate]
PIECES = [
    "[c1]", "[c2][c3]", "[c4]", "[c99]", "[f1]", ". ", "。", "! ", "**", "*", "`", "|", "\n",
    "\n\n", "# ", "- ", "1. ", "> ", "](", "\\", "&amp;", "&", "(disputed)", "“", "”",
    "*(supported)*",
    "Ada Mol built it", "It is 45.5 metres high", "Ghent has lamps", "light is life", "e.g.",
    "| a | b |\n|---|---|\n| Ada Mol built | it [c1] |\n", "```\nx [c1]\n```\n", "_", "~", "http://x",
]  # fmt: skip
writings = st.lists(any_text | st.sampled_from(PIECES), max_size=25).map("".join)
states = st.lists(st.sampled_from(list(ClaimState)), min_size=4, max_size=4)


def assert_audited(markdown: str, sentences: tuple[ReportSentence, ...], run: RunView) -> None:
    """Every citation of the Markdown is in the list in order, every listed sentence stands."""
    assert citations_in(markdown) == [c for s in sentences for c in s.citations]
    whole = plain_text(markdown)
    basis = Basis.of(run)
    for sentence in sentences:
        assert sentence.text in whole
        assert sentence.claims
        assert sentence.state is basis.weakest(sentence.claims)
        for citation in sentence.citations:
            refs = {ref for i in sentence.claims for ref in basis.claims[i].passages}
            assert citation.passage in refs
    for title in (found[4] for found in CITATION.finditer(markdown)):
        for claim in title.split("; "):
            claim_id, _, state = claim.partition(" ")
            assert state == basis.state(claim_id).value


@settings(max_examples=60, deadline=None)
@given(st.lists(writings, min_size=3, max_size=3), states, st.sampled_from(NAMES), st.booleans())
def test_the_sentences_are_the_report_and_the_report_is_the_sentences(
    texts: list[str], of_claims: list[ClaimState], name: str, disagree: bool
) -> None:
    """S3-47: both ways, whatever a writer writes."""
    run = view()
    for claim, state in zip(CLAIMS, of_claims, strict=True):
        set_state(run, claim.id, state)
    if disagree:
        run.conflicts = (
            Conflict(kind=ConflictKind.CONTRADICTION, claims=("c1", "c2"), reason="They differ."),
        )
    run.insights = run.insights.model_copy(update={"time_sensitive": ("c2", "c3")})
    ids = ["summary", "theme", "answer", "background", "insights", "evidence", "body", "advice"]
    written = {section: texts[n % 3] for n, section in enumerate(ids)}
    result = report(run, written, template=name)
    assert_audited(result.markdown, result.sentences, run)
    unusable = {c.id for c in CLAIMS if not run.checks[c.id].usable}
    for sentence in result.sentences:
        if unusable & set(sentence.claims):
            assert disagree
            assert "“" in sentence.text


@pytest.mark.parametrize("name", NAMES)
def test_a_lying_writer_changes_nothing_it_may_not(name: str) -> None:
    """W3-1, W0-14, safety 25, 26: invented ids, numbers, links, quotes, names and states."""
    lies = (
        "Scientists proved it in 2031 [c901]. “An invented quotation of the keeper” says so [c1]. "
        "See [the source](https://invented.example/p) and https://invented.example/2 [c902]. "
        "The value is 987654 [c1]. Ada Mol built it *(verified)* [c1]. "
        'Trust me [\\[9\\]](sources/1.md#p1 "c1 supported").\n\n'
        "<a href='https://invented.example'>x</a> It is 45.5 metres high (supported) [c2]."
    )
    run = view()
    set_state(run, "c1", ClaimState.DISPUTED)
    sections = ("summary", "theme", "conclusion", "background", "insights", "evidence", "risks")
    texts = dict.fromkeys((*sections, "answer", "disputes", "advice", "action", "body"), lies)
    result = report(run, texts, template=name)
    assert_audited(result.markdown, result.sentences, run)
    for lie in ("2031", "987654", "invented", "verified)", "(supported)", "Trust me", "[9"):
        assert lie not in result.markdown
    assert set(citations_in(result.markdown)) <= {c for s in result.sentences for c in s.citations}
    built = [s for s in result.sentences if s.text.startswith("Ada Mol built it")]
    assert all(s.state is ClaimState.DISPUTED for s in built)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("written", [True, False])
def test_an_unusable_claim_is_never_told_as_a_fact(name: str, written: bool) -> None:
    """W3-1, S3-41: it stands in the table of claims with its state, and nowhere else."""
    run = view()
    set_state(run, "c2", ClaimState.CONTRADICTED)
    said = "It is 45.5 metres high [c2]. The tower is 45.5 metres high [c1]."
    texts = dict.fromkeys(("summary", "theme", "insights", "evidence", "answer", "body"), said)
    markdown = report(run, texts if written else {}, template=name).markdown
    (line,) = [line for line in markdown.splitlines() if "45.5" in line]
    assert line.startswith("| c2 |")
    assert "contradicted, not used" in line
    assert "It is contradicted" in line


def test_contradictions_are_told_with_both_sides_and_their_basis() -> None:
    """S1-9: source, date and measure of each side; what is open is said to be open."""
    run = view()
    run.conflicts = (
        Conflict(
            kind=ConflictKind.CONTRADICTION,
            claims=("c1", "c2"),
            about="height of the {tower}",
            reason="One says 1703, the other 45.5.",
            found_by="verifier",
        ),
    )
    set_state(run, "c1", ClaimState.DISPUTED, against=("c2",))
    lines = part(report(run).markdown, "Where sources disagree").strip().splitlines()
    assert lines[0] == "- **height of the {tower}**: The sources disagree."
    assert lines[1].startswith("    - Site 1, 2023-01-02: Ada Mol built the tower in 1703 [")
    assert lines[1].endswith("*(disputed)*")
    assert lines[2].startswith("    - Site 1, 2023-01-02: The tower is 45.5 metres high [")
    assert lines[3] == ("    - One says 1703, the other 45.5. Nothing that was read settles it.")


def test_what_code_found_at_odds_is_told_by_its_sides_alone() -> None:
    """S1-9: the values stand in the sides; stems and bags of words reach nobody."""
    run = view()
    run.conflicts = (
        Conflict(
            kind=ConflictKind.CONTRADICTION,
            claims=("c1", "c2"),
            about="ghent lamp million",
            reason="They give 1703 and 45.5 metr for the same thing.",
        ),
    )
    told = part(report(run).markdown, "Where sources disagree")
    assert "- **The sources disagree.**" in told
    assert "ghent lamp" not in told
    assert "They give" not in told


def test_a_settled_contradiction_names_the_deciding_evidence() -> None:
    """S1-9: the side that lost stands in the words of its source, never as a statement."""
    run = view()
    run.conflicts = (
        Conflict(
            kind=ConflictKind.CONTRADICTION,
            claims=("c1", "c2"),
            reason="They differ.",
            settled_for="c1",
            settled_by="The builder's own record says so.",
        ),
    )
    set_state(run, "c2", ClaimState.CONTRADICTED)
    told = part(report(run).markdown, "Where sources disagree")
    assert "Settled for the statement of Site 1. The builder's own record says so." in told
    assert "“It is 45.5 metres high {} Error: x” [" in told
    assert "*(contradicted)*" in told


def test_a_superseded_value_is_told_as_was_and_now() -> None:
    """S1-9: was X (old source, date), now Y."""
    run = view()
    newer = C2.model_copy(update={"id": "c3", "findings": ("f3",), "text": "It is 50 metres high."})
    run.claims = {**run.claims, "c3": newer}
    set_state(run, "c3", ClaimState.SUPPORTED)
    set_state(run, "c2", ClaimState.QUALIFIED, superseded_by="c3")
    run.conflicts = (
        Conflict(
            kind=ConflictKind.SUPERSEDED, claims=("c2", "c3"), about="height", reason="Newer."
        ),
    )
    told = part(report(run).markdown, "Where sources disagree")
    assert "Was: Site 1, 2023-01-02: The tower is 45.5 metres high [" in told
    assert '"c2 qualified") *(superseded)*' in told
    assert "Now: Site 1, 2023-01-02: It is 50 metres high [" in told
    table = part(report(run).markdown, "Claims and their checks")
    assert re.search(r"\| c2 \|[^|]*\| superseded \|[^|]*replaced by c3 \|", table)


def test_the_table_of_claims_and_the_counts() -> None:
    """S3-43, S3-47: every claim, its state in words, why, where, from how many origins."""
    run = view()
    set_state(run, "c1", ClaimState.UNVERIFIED, reason="The {verifier} | was silent.")
    markdown = report(run).markdown
    table = part(markdown, "Claims and their checks")
    assert (
        r"| c1 | Ada Mol built the tower in 1703. | unverified | "
        r"The {verifier} \| was silent | "
        "[site1.example 1.1](sources/1.md#p1), [site3.example 3.1](sources/3.md#p1) | 1 | – |"
    ) in table
    assert (
        "4 claims were found. By state: supported 3, qualified 0, disputed 0, contradicted 0, "
        "unverified 1, not checked 0."
    ) in markdown
    assert not citations_in(table)


def test_time_sensitive_claims_are_listed_with_their_date() -> None:
    """S3-44."""
    run = view()
    run.insights = run.insights.model_copy(
        update={
            "time_sensitive": ("c3",),
            "blind_spots": ("Who pays for {it}?", "Why did {x} | <b> fail? (Every page a wall.)"),
        }
    )
    markdown = report(run, {}, template="evidence").markdown
    told = markdown.split(r"### What may change with time")[1].split("\n#")[0]
    assert "Ghent has 3.2 million lamps (2023-01-02) [" in told
    assert "- Who pays for {it}?" in markdown
    assert markdown.count("Why did {x}") == 1, "a failed task is not told twice"


def test_braces_of_pages_and_claims_change_nothing() -> None:
    """W2-5: nothing that was found is looked at as a template."""
    odd = C1.model_copy(
        update={"text": "Ada Mol built {0} {topic!r} %s in 1703.", "quotes": C1.quotes}
    )
    run = view(claims=(odd,))
    for name in NAMES:
        assert "Ada Mol built {0} {topic!r} %s in 1703" in report(run, {}, template=name).markdown
