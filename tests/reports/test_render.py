"""HTML of reports and stored pages: nothing runs, nothing is fetched, every citation opens."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.claims import ClaimState
from leadline.domain.evidence import Passage, Snapshot
from leadline.reports.render import (
    SHAPES,
    draft_html,
    report_html,
    source_html,
    standalone_html,
)
from leadline.reports.texts import ENGLISH
from tests.domain.strategies import any_text
from tests.reports.samples import SNAPSHOTS, set_state, view

CITED = r"It is so [\[1\]](sources/2.md#p1), see [Page](<https://site1.example/a?x=1&y=2>)."


class Page(HTMLParser):
    """Collects tags, attributes, ids and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def links(self) -> list[dict[str, str | None]]:
        return [attrs for tag, attrs in self.tags if tag == "a"]

    def ids(self) -> set[str | None]:
        return {attrs["id"] for _, attrs in self.tags if "id" in attrs}

    @property
    def text(self) -> str:
        return "".join(self.words)


def assert_harmless(html: str) -> None:
    """No tag that runs or fetches, no handler, no address but http(s), our own and anchors."""
    for tag, attrs in Page(html).tags:
        assert tag not in {
            "script",
            "img",
            "iframe",
            "svg",
            "object",
            "embed",
            "form",
            "link",
            "base",
            "math",
        }
        for name, value in attrs.items():
            assert not name.startswith("on")
            assert name not in {"src", "srcset", "style", "background", "formaction"}
            if name == "href":
                assert re.match(r"https?://|/runs/|#", value or "")


def test_a_citation_leads_to_the_stored_passage_with_its_quote() -> None:
    link, reference = Page(report_html(CITED, "run-1", SNAPSHOTS.get)).links()
    assert link == {
        "href": "/runs/run-1/sources/2#p1",
        "class": "cite",
        "data-source": "2",
        "data-passage": "1",
        "title": "“Ghent has 3.2 million lamps.” — Page 2",
    }
    assert reference == {
        "href": "https://site1.example/a?x=1&y=2",
        "rel": "noopener noreferrer nofollow",
        "target": "_blank",
    }
    assert Page(report_html(CITED, "run-1")).links()[0]["class"] == "cite"


STATED = r'It is so [\[1\]](sources/2.md#p1 "c3 supported; c4 disputed") *(disputed)*.'


def test_a_citation_shows_quote_state_and_reason_on_hover() -> None:
    """S3-45, issue "Truth", report: by shape and word, not by colour alone."""
    run = view()
    set_state(run, "c4", ClaimState.DISPUTED, reason="Site 9 says <b>otherwise</b>.")
    html = report_html(STATED, "a", SNAPSHOTS.get, checks=run.checks)
    (link,) = Page(html).links()
    assert link["class"] == "cite is-disputed"
    assert link["data-claims"] == "c3 c4"
    assert (link["title"] or "").splitlines() == [
        "“Ghent has 3.2 million lamps.” — Page 2",
        "✓ c3 supported",
        "⇄ c4 disputed: Site 9 says <b>otherwise</b>.",
    ]
    assert ("em", {"class": "state is-disputed"}) in Page(html).tags
    assert "⇄ disputed" in Page(html).text
    assert_harmless(html)


def test_states_are_told_in_the_language_of_the_report() -> None:
    html = report_html(STATED.replace("(disputed)", "(有争议)"), "a", language="zh")
    assert Page(html).links()[0]["title"] == "✓ c3 得到支持\n⇄ c4 有争议"
    assert "⇄ 有争议" in Page(html).text


def test_only_marks_of_states_are_marks() -> None:
    html = report_html("It is *(very)* so *disputed* here.", "a")
    assert "class" not in html
    assert "<em>(very)</em>" in html


@pytest.mark.parametrize(
    "title", ["c1 <script>", "c1 verified", "onclick=x", "c1 supported; c2 made-up", "x" * 900]
)
def test_a_title_that_somebody_wrote_into_the_file_says_nothing_else(title: str) -> None:
    """safety 6: only ids and states are read from it."""
    html = report_html(rf'x [\[1\]](sources/2.md#p1 "{title}")', "a")
    (link,) = Page(html).links()
    assert (link.get("title") or "") in ("", "✓ c1 supported")
    assert_harmless(html)


def test_every_mark_has_a_shape() -> None:
    assert set(SHAPES) == {code for code, _ in ENGLISH.states}


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](https://evil.example/p.png)",
        "![x](data:image/png;base64,AAAA)",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html,<script>)",
        "[x](vbscript:x)",
        "[x](file:///etc/passwd)",
        "[x](//evil.example/a)",
        "[x](../../other-run/report.md)",
        "[x](/runs/other/report.md)",
        "[x](https://user:pw@evil.example/)",
        "[x](sources/../../etc.md#p1)",
        '[x](sources/1.md#p1"onmouseover=alert(1))',
        "<svg><script>alert(1)</script></svg>",
        "<iframe src=javascript:alert(1)></iframe>",
        "<a href=javascript:alert(1)>x</a>",
        "<style>@import 'https://evil.example'</style>",
        "<math><mi xlink:href=javascript:alert(1)>",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "`<script>alert(1)</script>`",
        "```html\n<script>alert(1)</script>\n```",
        "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
        "\x00<scr\x00ipt>alert(1)</script>",
    ],
)
def test_nothing_runs_and_nothing_is_fetched(hostile: str) -> None:
    """safety 6, 7."""
    assert_harmless(report_html(f"before {hostile} after\n\n{hostile}", "a"))
    page = standalone_html(f"{hostile}\n\n{CITED}", SNAPSHOTS.get, title=hostile)
    assert_harmless(page)
    assert "default-src 'none'" in page


def test_an_image_becomes_its_text_and_a_refused_link_stays_readable() -> None:
    html = report_html("![a chart](https://e.example/c.png) and [this](javascript:x)", "a")
    assert "a chart" in html
    assert "this" in html
    assert Page(html).links() == []


@given(
    any_text
    | st.lists(
        st.sampled_from(
            [
                "[",
                "]",
                "(",
                ")",
                "<",
                "javascript:",
                "![",
                "`",
                "\n",
                "|",
                "<img onerror=",
                "https://e",
                "&#106;",
                "\\",
            ]
        ),
        max_size=20,
    ).map("".join)
)
def test_any_markdown_is_harmless(markdown: str) -> None:
    assert_harmless(report_html(markdown, "a"))
    assert_harmless(draft_html(markdown))


def test_a_draft_has_no_links_at_all() -> None:
    """safety 25, 26: what is being written was not checked yet."""
    html = draft_html(f"{CITED} [x](https://evil.example/?q=CANARY)")
    assert Page(html).links() == []
    assert "CANARY" not in html
    assert len(draft_html("word " * 100_000)) < 60_000


def test_a_huge_report_is_shown_as_text() -> None:
    """safety 47."""
    html = report_html("<script>[" * 60_000, "a")
    assert html.startswith("<pre>&lt;script&gt;[")
    assert_harmless(html)


def test_tables_braces_and_other_scripts_are_laid_out() -> None:
    html = report_html("| سنة | 年 |\n|---|---|\n| {{x}} Error: | **b** |", "a")
    assert "<td>{{x}} Error:</td>" in html
    assert "<th>سنة</th>" in html


def test_a_stored_page_shows_its_passages_with_numbers() -> None:
    page = Page(source_html(SNAPSHOTS[2], {2}))
    marked = [
        attrs["id"]
        for tag, attrs in page.tags
        if tag == "p" and attrs.get("class") == "passage marked"
    ]
    assert {"p1", "p2", "p3"} <= page.ids()
    assert marked == ["p2"]
    for expected in (
        "Page 2",
        "Site 2",
        "Eve",
        "2023-01-02",
        "2024-05-06 07:08",
        "ab" * 32,
        "灯塔高四十五米。",
    ):
        assert expected in page.text
    original = next(a for a in page.links() if a.get("target") == "_blank")
    assert original["href"] == "https://site2.example/page?a=1&b=(2)"
    assert original["rel"] == "noopener noreferrer nofollow"


def test_a_stored_page_is_text_and_nothing_else() -> None:
    """safety 6, 7, 8: what a page said is never HTML of ours."""
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>{{ 7*7 }}{% x %}"
    base = SNAPSHOTS[1].source
    source = base.model_copy(
        update={
            "title": evil,
            "url": "javascript:alert(1)",
            "site": evil,
            "author": evil,
            "date": evil,
            "truncated": True,
        }
    )
    html = source_html(
        Snapshot(source=source, passages=(Passage(number=1, text=evil, heading=evil, page=2),))
    )
    assert_harmless(html)
    assert evil in Page(html).text
    assert "longer than what is stored" in html
    assert "Page 2" in html
    assert not re.search(r"(?:src|href)=\"?https?://|@import|url\(", html)


def test_a_stored_page_speaks_the_language_asked_for() -> None:
    html = source_html(SNAPSHOTS[1], language="zh")
    assert '<html lang="zh">' in html
    assert "原始页面" in html


def test_every_citation_opens_inside_an_exported_report() -> None:
    markdown = r"A [\[1\]](sources/2.md#p1) B [\[2\]](sources/1.md#p2) C [\[1\]](sources/2.md#p3)"
    html = standalone_html(markdown, SNAPSHOTS.get, title="T <i>")
    page = Page(html)
    targets = [a["href"] for a in page.links() if a.get("class") == "cite"]
    assert targets == ["#s2p1", "#s1p2", "#s2p3"]
    assert {t.removeprefix("#") for t in targets if t} <= page.ids()
    assert "It is 45.5 metres high {} Error: x." in page.text
    assert "“Light is life,”" not in page.text  # not cited, not included
    assert "<title>T &lt;i&gt;</title>" in html


def test_an_exported_report_without_its_sources_still_reads() -> None:
    html = standalone_html(CITED)
    assert [a["href"] for a in Page(html).links()] == ["https://site1.example/a?x=1&y=2"]
    assert "[1]" in Page(html).text
