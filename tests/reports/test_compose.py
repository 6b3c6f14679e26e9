"""The report as a whole: what is in it, what it says of itself, and that nothing breaks it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from leadline.domain.claims import ClaimState
from leadline.domain.evidence import BlockedPage
from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.projection import RunView, TaskView
from leadline.domain.run import RunStatus
from leadline.reports.basis import Basis
from leadline.reports.citations import check_section
from leadline.reports.compose import Made, Report, SectionText, compose_report
from leadline.reports.outline import SectionPlan, outline
from leadline.reports.templates import load_template
from leadline.reports.texts import CHINESE, ENGLISH, Texts, fill, texts_for
from tests.reports.samples import C1, CLAIMS, SNAPSHOTS, claim, set_state, view

TEXTS = {
    "In short": "The tower was Ada Mol's work [c1].",
    "History": "Ada Mol built it in 1703 [c1]. It is 45.5 metres high [c2].",
    "Today": "Ghent has 3.2 million lamps [c3].",
}


def outlined(run: RunView, template: str = "thematic", language: str = "en") -> list[SectionPlan]:
    plan = run.plan or Plan()
    return outline(load_template(template), plan, Basis.of(run), run, language=language)


def report(
    run: RunView | None = None,
    texts: dict[str, str] | None = None,
    *,
    template: str = "thematic",
    language: str = "en",
    **made: Any,
) -> Report:
    """A report whose sections say ``texts``, by heading or id; others list their claims."""
    run = run or view()
    said = TEXTS if texts is None else texts
    sources = run.sources
    sections = [
        SectionText(
            plan,
            check_section(said.get(plan.heading, said.get(plan.spec.id, "")), plan.claims, sources),
        )
        for plan in outlined(run, template, language)
    ]
    return compose_report(
        "Who built {the} tower?",
        sections,
        run,
        Basis.of(run),
        load_template(template),
        language=language,
        made=Made(**made),
    )


def part(markdown: str, heading: str) -> str:
    return markdown.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]


def test_the_parts_in_their_order() -> None:
    """S2-37, S2-38, W2-6: title, summary, sections, gaps, a real list of references."""
    result = report(model="gpt-x")
    assert re.findall(r"^#+ (.*)$", result.markdown, re.MULTILINE) == [
        "Who built {the} tower?", "In short", "History", "Today", "Conclusion",
        "What was not found", "References", "Claims and their checks",
    ]  # fmt: skip
    assert "*Research report of 2024-05-06*" in result.markdown
    assert "Written by gpt-x" in result.markdown


def test_a_known_finding_is_in_the_report_with_its_citation() -> None:
    """W2-1."""
    result = report()
    assert r'Ada Mol built it in 1703 [\[1\]](sources/1.md#p1 "c1 supported")' in part(
        result.markdown, "History"
    )
    assert result.citations == result.resolved


def test_copies_of_one_text_are_one_source() -> None:
    """users, Citations: one wire story on several sites."""
    result = report()
    references = part(result.markdown, "References")
    assert r"same text as \[1\]" in references.splitlines()[2]
    assert result.sources == 2


def test_a_copy_whose_original_is_not_cited_names_it() -> None:
    run = view(claims=(claim(1, C1.text, "3.1"),))
    assert "same text as Page 1" in part(report(run).markdown, "References")


def test_references_are_written_from_stored_sources() -> None:
    """W2-6, safety 26."""
    first = part(report().markdown, "References").strip().splitlines()[0]
    assert first == (
        "1. [Page 1](<https://site1.example/page?a=1&b=(1)>) · Site 1 · Eve · "
        "published 2023-01-02 · <https://site1.example/page?a=1&b=(1)> · accessed 2024-05-06 · "
        "[stored text](sources/1.md)"
    )


def test_every_link_is_a_source_of_the_run() -> None:
    """safety 26, also when the model invents links in every answer."""
    texts = {
        heading: f"{text} [x](https://evil.example/) <a href='https://evil.example'>y</a>"
        for heading, text in TEXTS.items()
    }
    targets = re.findall(r"\]\(<?([^)>]+)", report(texts=texts).markdown)
    own = {s.source.url.split("(")[0] for s in SNAPSHOTS.values()}
    assert targets
    assert all(t.startswith("sources/") or t.split("(")[0] in own for t in targets)


def test_what_was_not_found_says_why() -> None:
    assert part(report().markdown, "What was not found").strip() == (
        r"- Why did {x} \| \<b\> fail? — Every page was a wall."
    )


def test_open_tasks_and_tasks_ticked_by_hand_are_told() -> None:
    run = view(
        plan=Plan(categories=(Category(name="A", tasks=(
            Task(id="t1", text="one", state=TaskState.DONE),
            Task(id="t4", text="four"),
            Task(id="t5", text="five", state=TaskState.DONE),
        )),))
    )  # fmt: skip
    run.tasks = {**run.tasks, "t5": TaskView("t5", state=TaskState.DONE, by_user=True)}
    lines = part(report(run).markdown, "What was not found").strip().splitlines()
    assert lines == [
        "- four — not worked on",
        "- five — ticked by hand, nothing was researched for it",
    ]


def test_sites_that_blocked_us_are_listed_once() -> None:
    run = view()
    run.failed_pages = [
        BlockedPage(url=f"https://wall.example/{n}", reason="captcha", blocked=True)
        for n in range(3)
    ]
    run.failed_pages.append(
        BlockedPage(url="https://odd.example/", reason="<b>it | broke</b>", blocked=False)
    )
    assert part(report(run).markdown, "What blocked us").strip().splitlines() == [
        "- wall.example: asks for a captcha (3 pages)",
        r"- odd.example: \<b\>it \| broke\</b\>",
    ]


def test_long_lists_end_with_a_count() -> None:
    run = view()
    run.failed_pages = [
        BlockedPage(url=f"https://h{n}.example/", reason="captcha", blocked=True) for n in range(60)
    ]
    assert part(report(run).markdown, "What blocked us").strip().endswith("- and 20 more")


def test_no_evidence_no_sections() -> None:
    """S2-36, S0-39, W0-1: a report from nothing says so."""
    run = view()
    run.claims, run.checks, run.findings, run.tasks = {}, {}, {}, {"t1": run.tasks["t3"]}
    result = report(run, status=RunStatus.EMPTY)
    assert ENGLISH.nothing in result.markdown
    assert "## History" not in result.markdown
    assert "References" not in result.markdown
    assert "Written by" not in result.markdown
    assert (result.citations, result.resolved, result.sources) == (0, 0, 0)
    run.sources = {}
    assert ENGLISH.no_sources in report(run).markdown


def test_a_section_without_a_usable_text_lists_its_claims_and_says_so() -> None:
    """S3-46: a report from the data, which says that it is automatic."""
    texts = {**TEXTS, "Today": "Nothing here is cited at all, says Bob Kane in 1999."}
    result = report(texts=texts)
    assert part(result.markdown, "Today").strip().splitlines() == [
        f"*{ENGLISH.automatic}*",
        "",
        r'- “Ghent has 3.2 million lamps.” [\[3\]](sources/2.md#p1 "c3 supported")',
        r'- “‘Light is life,’ said the keeper.” [\[3\]](sources/2.md#p2 "c4 supported")',
    ]
    assert ENGLISH.automatic_all not in result.markdown


def test_a_report_whose_writer_gave_nothing_says_so_at_its_head() -> None:
    """S3-46, S0-39."""
    result = report(texts={})
    assert f"> {ENGLISH.automatic_all}" in result.markdown.split("## ")[0]
    assert ENGLISH.automatic not in result.markdown
    assert {i for s in result.sentences for i in s.claims} == {"c1", "c2", "c3", "c4"}
    assert "- Ada Mol built the tower" in part(result.markdown, "In short")
    history = part(result.markdown, "History")
    assert "— “It is 45.5 metres high {} Error: x.”" in history
    assert "- Ada Mol built the tower" not in history, "no list says again what another said"


def test_claims_of_which_none_may_be_used_are_not_called_nothing() -> None:
    """W3-1, S2-36: no section, no citation, and the table says why."""
    run = view()
    for claim_id in run.claims:
        set_state(run, claim_id, ClaimState.CONTRADICTED)
    result = report(run)
    assert ENGLISH.none_usable in result.markdown
    assert "## History" not in result.markdown
    assert result.sentences == ()
    assert "contradicted, not used" in part(result.markdown, "Claims and their checks")


def test_a_section_that_only_repeats_says_where_it_is_told() -> None:
    """users, Output: what an earlier section said is not said again, and nothing vanishes."""
    run = view()
    again = C1.model_copy(update={"findings": ("f1", "f9")})
    run.claims = {**run.claims, "c1": again}
    run.findings = {**run.findings, "f9": run.findings["f1"].model_copy(
        update={"id": "f9", "task": "t2"}
    )}  # fmt: skip
    texts = {"History": "Ada Mol built it [c1].", "Today": "Ada Mol built it [c1]."}
    plans = [p for p in outlined(run) if p.spec.id == "theme"]
    sections = [SectionText(p, check_section(texts[p.heading], CLAIMS)) for p in plans]
    result = compose_report("x", sections, run, Basis.of(run), load_template("thematic"))
    told = "What was found on this is told under “History”."
    assert part(result.markdown, "Today").split("\n---")[0].strip() == told
    assert result.dropped.repeated == 1


def test_a_part_of_the_plan_whose_claims_an_earlier_part_has_says_so() -> None:
    run = view(claims=(C1,))
    run.claims = {"c1": C1.model_copy(update={"findings": ("f1", "f9")})}
    again = run.findings["f1"].model_copy(update={"id": "f9", "task": "t2"})
    run.findings = {**run.findings, "f9": again}
    run.tasks = {**run.tasks, "t2": TaskView("t2", state=TaskState.DONE, findings=("f9",))}
    result = report(run)
    assert "is told under “History”" in part(result.markdown, "Today")


def test_a_section_does_not_say_its_heading_twice() -> None:
    texts = {**TEXTS, "History": "## 1. History\n\nAda Mol built it [c1]."}
    assert len(re.findall("^#+ .*History", report(texts=texts).markdown, re.MULTILINE)) == 1


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (RunStatus.STOPPED, ENGLISH.stopped),
        (RunStatus.FAILED, ENGLISH.failed),
        (RunStatus.WRITING, ENGLISH.partial),
    ],
)
def test_a_partial_report_says_so_first(status: RunStatus, sentence: str) -> None:
    result = report(partial=True, status=status, reason="The model is *gone*.")
    assert f"> **{sentence}** The model is \\*gone\\*." in result.markdown.split("## ")[0]


def test_the_mode_and_what_was_left_out_are_told() -> None:
    result = report(
        model="offline", texts={**TEXTS, "History": "Ada Mol built it [c1]. It fell in 1950."}
    )
    assert ENGLISH.offline in result.markdown
    assert ENGLISH.dropped_one in result.markdown


def test_chinese_reports_speak_chinese() -> None:
    markdown = report(language="zh-CN", date=datetime(2025, 1, 2, tzinfo=UTC)).markdown
    assert "*研究报告，2025-01-02*" in markdown
    for heading in ("摘要", "结论", "未找到答案的问题", "参考来源", "论断及其核查"):
        assert f"## {heading}\n" in markdown
    assert texts_for("fi") is ENGLISH
    assert texts_for("zh_TW") is CHINESE


def test_both_languages_fill_the_same_places() -> None:
    for name in Texts.__dataclass_fields__:
        ours, theirs = getattr(ENGLISH, name), getattr(CHINESE, name)
        if isinstance(ours, str):
            assert re.findall(r"\{\w+\}", ours) == re.findall(r"\{\w+\}", theirs)
    assert [code for code, _ in ENGLISH.states] == [code for code, _ in CHINESE.states]
    assert len(ENGLISH.columns) == len(CHINESE.columns)
    assert [code for code, _ in ENGLISH.reasons] == [code for code, _ in CHINESE.reasons]


def test_braces_in_values_are_no_places() -> None:
    """W2-5."""
    assert fill("a {x} b", x="{y} {0} {") == "a {y} {0} { b"


def test_hostile_titles_stay_text() -> None:
    run = view()
    evil = "](https://evil.example) <script> `x` | *b*\n# H"
    source = SNAPSHOTS[2].source.model_copy(
        update={"title": evil, "url": "javascript:alert(1)", "site": evil}
    )
    run.sources = {**run.sources, 2: source}
    references = part(report(run).markdown, "References")
    line = next(x for x in references.splitlines() if x.startswith("3."))
    assert r"\](https:\/\/evil.example) \<script\> \`x\` \| \*b\* # H" in line
    assert "](javascript" not in references
    assert len(references.strip().splitlines()) == 3


def test_a_claim_that_does_not_count_is_in_no_section() -> None:
    run = view()
    run.tasks = {**run.tasks, "t1": TaskView("t1", state=TaskState.DONE, findings=("f2",))}
    run.sources = {1: run.sources[1]}
    plans = [p for p in outlined(run) if p.spec.id == "theme"]
    assert [(p.heading, [c.id for c in p.claims]) for p in plans] == [("History", ["c2"])]
    assert "Ada Mol built" not in report(run).markdown


def test_a_report_from_the_demo_web_says_so() -> None:
    run = view()
    assert "demo web" not in report(run).markdown
    run.engines = ("demo",)
    assert "invented" in report(run).markdown.partition("## ")[0]
    run.engines = ("duckduckgo", "demo")
    assert "demo web" not in report(run).markdown
