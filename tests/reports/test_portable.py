"""Markdown that leaves its folder: every citation still leads to its passage."""

from __future__ import annotations

import re

import pytest

from leadline.reports.portable import portable_markdown, without_claims_table
from leadline.reports.texts import ENGLISH
from tests.reports.samples import SNAPSHOTS

REPORT = (
    "# T\n\n"
    r"It is so [\[1\]](sources/2.md#p1) and so [\[1\]](sources/2.md#p1), not so "
    r"[\[2\]](sources/99.md#p1)."
    "\n\n## References\n\n1. [Page](<https://a.example/>) · accessed 2024 · "
    "[stored text](sources/2.md)\n"
)


def test_each_citation_has_its_passage_in_the_file() -> None:
    text = portable_markdown(REPORT, SNAPSHOTS.get)
    assert "sources/" not in text
    targets = re.findall(r"\]\(#(quote-\d+-\d+)\)", text)
    assert targets == ["quote-2-1", "quote-2-1"]
    assert text.count('<a id="quote-2-1"></a>') == 1
    first = SNAPSHOTS[2].passages[0].text.split()[0]
    assert first in text.partition("## Cited passages")[2]


def test_a_citation_without_a_stored_passage_keeps_its_number_and_no_link() -> None:
    assert r"not so \[2\]." in portable_markdown(REPORT, SNAPSHOTS.get)


def test_a_report_without_citations_stays_as_it_is() -> None:
    assert portable_markdown("# T\n\nNothing.\n", SNAPSHOTS.get) == "# T\n\nNothing.\n"


def test_citations_keep_their_states_and_the_table_of_claims_its_words() -> None:
    report = (
        r'It is so [\[1\]](sources/2.md#p1 "c1 disputed") *(disputed)*.'
        "\n\n| c1 | x | [a.example 2.1](sources/2.md#p1) |\n"
    )
    text = portable_markdown(report, SNAPSHOTS.get)
    assert "sources/" not in text
    assert r'[\[1\]](#quote-2-1 "c1 disputed") *(disputed)*.' in text
    assert "| c1 | x | a.example 2.1 |" in text


TABLE = f"| {' | '.join(ENGLISH.columns)} |\n| --- |\n| c1 | a |\n| c2 | b |\n"


@pytest.mark.parametrize(
    ("report", "left"),
    [
        (f"# A\n\ntext\n\n## Claims\n\n{TABLE}\n---\n\n*note*\n", "# A\n\ntext\n\n---\n\n*note*\n"),
        (f"## Sources\n\n1. x\n\n{TABLE}", "## Sources\n\n1. x\n"),
        (f"## Claims\n\n{TABLE}\n## More\n\nx\n", "\n## More\n\nx\n"),
        (f"## Claims\n\n{TABLE}\nmore\n", "## Claims\n\nmore\n"),
        ("# A\n\n| Claim | Mine |\n| --- | --- |\n", "# A\n\n| Claim | Mine |\n| --- | --- |\n"),
        ("", ""),
    ],
)
def test_the_page_leaves_the_table_of_claims_out_and_nothing_else(report: str, left: str) -> None:
    assert re.sub(r"\n{2,}", "\n\n", without_claims_table(report)).strip() == left.strip()
