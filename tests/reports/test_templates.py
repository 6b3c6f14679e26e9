"""Templates are data: whole, with headings in both languages; a bad one is refused by name."""

from __future__ import annotations

import re

import pytest

from leadline.domain.claims import ClaimState, Conflict, ConflictKind
from leadline.domain.config import ReportLength, ReportTemplate
from leadline.domain.projection import RunView
from leadline.errors import InvalidTemplate
from leadline.reports.plain import citations_in
from leadline.reports.templates import Part, load_template, parse_template
from leadline.reports.texts import CHINESE, ENGLISH
from tests.reports.samples import C1, set_state, view
from tests.reports.test_compose import outlined, report

NAMES = [template.value for template in ReportTemplate]
GOOD = """+++
words = 500

[[section]]
id = "body"
heading = { en = "Body", zh = "正文" }
claims = "all"
share = 100
instruction = "Write."
parts = ["text", "conflicts", "gaps", "blocked", "references", "claims"]
+++
Be brief.
"""


def headings(markdown: str, level: str = "##") -> list[str]:
    return re.findall(rf"^{level} (.*)$", markdown, re.MULTILINE)


def at_odds() -> RunView:
    """A run with an open contradiction, a superseded value and a claim that may not be used."""
    run = view()
    run.conflicts = (
        Conflict(
            kind=ConflictKind.CONTRADICTION,
            claims=("c1", "c2"),
            about="the tower",
            reason="They give other builders.",
            found_by="verifier",
        ),
        Conflict(
            kind=ConflictKind.SUPERSEDED,
            claims=("c2", "c3"),
            about="lamps",
            reason="The second is newer.",
        ),
    )
    set_state(run, "c1", ClaimState.DISPUTED, against=("c2",))
    set_state(run, "c2", ClaimState.QUALIFIED, superseded_by="c3")
    set_state(run, "c4", ClaimState.CONTRADICTED)
    return run


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("case", ["nothing", "one", "conflicts"])
def test_every_template_in_both_languages(name: str, language: str, case: str) -> None:
    """S0-37, S2-37, S3-45, S1-8: the same promises whatever the form."""
    run = {"nothing": lambda: view(claims=()), "one": lambda: view(claims=(C1,))}.get(
        case, at_odds
    )()
    result = report(run, {}, template=name, language=language)
    texts = ENGLISH if language == "en" else CHINESE
    assert (texts.nothing in result.markdown) is (case == "nothing")
    assert result.citations == result.resolved == len(citations_in(result.markdown))
    assert [c for s in result.sentences for c in s.citations] == citations_in(result.markdown)
    assert "Every page was a wall." in result.markdown
    assert headings(result.markdown) == list(dict.fromkeys(headings(result.markdown)))
    if case != "nothing":
        assert "| c1 |" in result.markdown
        assert all(texts.state(state.value) in result.markdown for state in ClaimState)
    if case == "conflicts":
        assert "They give other builders." in result.markdown
        assert result.markdown.index("They give other builders.") < result.markdown.index("| c1 |")


FIVE = {
    "en": ["Background", "Key insights", "Evidence and data", "Risks and challenges", "References"],
    "zh": ["背景概览", "核心洞见", "证据与数据", "风险与挑战", "参考来源"],
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("empty", [True, False])
def test_five_part_has_exactly_its_five_sections(language: str, empty: bool) -> None:
    """S0-37, S0-38: exactly five, no cover and no closing; what is missing is said."""
    run = view(claims=()) if empty else view()
    markdown = report(run, {}, template="five-part", language=language).markdown
    assert headings(markdown) == FIVE[language]
    said = "暂无相关信息" if language == "zh" else ENGLISH.no_information
    assert (said in markdown) is empty
    assert markdown.count(said) == (4 if empty else 0)


def test_five_part_insights_are_three_to_five_and_each_is_cited() -> None:
    """S0-37: whatever the writer does; too many are cut, too few are filled up."""
    many = "\n".join(
        f"{n + 1}. {text}"
        for n, text in enumerate(
            [
                "Ada Mol built the tower [c1].", "It is 45.5 metres high [c2].",
                "Ghent has lamps [c3].", "Light is life [c4].", "The tower is of 1703 [c1].",
                "The keeper has light [c4].", "Lamps are in Ghent, 3.2 million [c3].",
            ]
        )
    )  # fmt: skip
    for text in (many, "1. Ada Mol built it [c1].", ""):
        markdown = report(None, {"insights": text}, template="five-part").markdown
        body = markdown.split("## Key insights\n")[1].split("\n## ")[0]
        listed = re.findall(r"^(?:\d+\.|-) .*$", body, re.MULTILINE)
        assert 3 <= len(listed) <= 5, text
        assert all(citations_in(line) for line in listed)


def test_five_part_references_name_their_tasks() -> None:
    """S0-37: by task, title and link."""
    references = report(None, {}, template="five-part").markdown.split("## References\n")[1]
    assert "for: Who built it?" in references.split("\n2. ")[0]


def test_the_two_forms_of_the_evidence_report() -> None:
    """S3-45: registry names and the names of the task prompt, with time and score."""
    run = view()
    run.overall_score = 82
    registry = report(run, {}, template="evidence", language="zh").markdown
    assert headings(registry) == [
        "执行摘要", "多视角全景", "争议与不确定性", "可操作建议", "来源索引",
    ]  # fmt: skip
    assert headings(registry, "###")[:2] == ["History", "Today"]
    prompt = report(run, {}, template="evidence-action", language="zh").markdown
    assert headings(prompt) == [
        "直接回答", "关键证据", "不同观点与争议", "如果你要行动", "我们还不确定的", "来源索引",
    ]  # fmt: skip
    head = prompt.split("## ")[0]
    assert "2024-05-06 07:08 UTC" in head
    assert "82/100" in head


def test_in_the_free_form_the_writer_sets_the_headings() -> None:
    """S1-8: checked the same way."""
    text = (
        "## Who built it\n\nAda Mol built it in 1703 [c1].\n\n"
        "## A lie\n\nIt fell in 1950 [c1].\n\n## Light\n\nGhent has lamps [c3]."
    )
    markdown = report(None, {"body": text}, template="free").markdown
    assert headings(markdown)[:2] == ["Who built it", "Light"]
    assert "1950" not in markdown
    assert headings(report(None, {}, template="free").markdown)[0] == ENGLISH.findings


@pytest.mark.parametrize("name", NAMES)
def test_advice_is_never_a_list_of_quotes(name: str) -> None:
    """S3-45: without a writer that judges there are no recommendations, and that is said."""
    markdown = report(None, {}, template=name).markdown
    for heading in ("Recommendations", "If you want to act"):
        if heading in headings(markdown):
            body = markdown.split(f"## {heading}\n")[1].split("\n## ")[0]
            assert body.strip() == ENGLISH.no_information


@pytest.mark.parametrize("name", NAMES)
def test_every_usable_claim_has_a_section(name: str) -> None:
    """W2-1: whatever the form, what was found reaches the writer."""
    given = {c.id for plan in outlined(view(), name) if plan.asks_model for c in plan.claims}
    assert given == {"c1", "c2", "c3", "c4"}


def test_a_length_scales_the_words() -> None:
    """users, Output: one sentence per topic; wants more detail."""
    template = load_template("thematic")
    summary = template.sections[0]
    words = [template.words_for(summary, length) for length in ReportLength]
    assert words == [100, 200, 400]
    assert template.words_for(template.sections[1], ReportLength.STANDARD, 3) == 500


def test_both_sides_of_a_conflict_are_given_to_the_writer() -> None:
    """S1-9: also when they are in different parts of the plan."""
    run = at_odds()
    run.conflicts = (
        Conflict(kind=ConflictKind.CONTRADICTION, claims=("c1", "c3"), about="x", reason="y."),
    )
    history = next(p for p in outlined(run) if p.heading == "History")
    assert [c.id for c in history.claims] == ["c1", "c2", "c3"]


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("words = 500", "words = 5", "words"),
        ("words = 500", "word = 500", "words"),
        ("share = 100", "share = 101", "section body.share"),
        ('claims = "all"', 'claims = "some"', "section body.claims"),
        ('claims = "all"', 'claims = "none"', "section body"),
        ('claims = "all"', 'claims = "numbers"\nitems = [5, 3]', "items"),
        ('instruction = "Write."', 'instruction = ""', "instruction"),
        ('en = "Body", ', "", "section body.heading.en"),
        ('"gaps", ', "", "gaps"),
        ('"text", "conflicts"', '"text", "conflicts", "conflicts"', "conflicts"),
        ('"references", "claims"]', '"claims"]', "references"),
        ('"gaps", "blocked", "references"', '"references", "gaps", "blocked"', ""),
        ('["text", ', '["references", "text", ', "references"),
        ('id = "body"', 'id = "Body 1"', "id"),
        ("Be brief.\n", "", "style"),
        ("words = 500", "words = ", "TOML"),
        ("+++\nBe", "Be", "+++"),
    ],
)
def test_a_bad_template_is_refused_by_file_and_field(old: str, new: str, field: str) -> None:
    assert old in GOOD
    text = GOOD.replace(old, new)
    if field == "":
        assert parse_template(text, "mine").sections
        return
    with pytest.raises(InvalidTemplate) as refused:
        parse_template(text, "mine")
    message = str(refused.value)
    assert message.startswith("templates/mine.md: ")
    assert field in message
    assert "\n" not in message


def test_an_unknown_template_is_named() -> None:
    with pytest.raises(InvalidTemplate, match=r"templates/none\.md"):
        load_template("none")


def test_templates_tell_everything_once() -> None:
    for name in NAMES:
        parts = [part for section in load_template(name).sections for part in section.parts]
        for part in (Part.CONFLICTS, Part.GAPS, Part.BLOCKED, Part.REFERENCES, Part.CLAIMS):
            assert parts.count(part) == 1, (name, part)
