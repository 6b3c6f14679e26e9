"""Result pages in, hits out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.sources.result_html import parse_any, parse_bing, parse_duckduckgo, unwrap
from tests.sources import pages

DDG = "https://html.duckduckgo.com/html/?q=x"
BING = "https://www.bing.com/search?q=x"
OWN = "https://search.example.net/find?q=x"


def test_duckduckgo_rows_lead_to_the_pages_themselves() -> None:
    page = pages.duckduckgo_page(
        pages.duckduckgo_row("Buy now", "https://shop.example/", "An ad", css="result--ad"),
        pages.duckduckgo_row(
            "Tides &amp; <b>boats</b>",
            "https://a.example/t?x=1&y=2",
            "How <b>tides</b> work",
            "2024-03-05",
        ),
        pages.duckduckgo_row("中文标题", "https://b.example/中文", "一段文字"),
    )
    first, second = parse_duckduckgo(page, DDG).hits
    assert first.title == "Tides & boats"
    assert first.url == "https://a.example/t?x=1&y=2"
    assert first.snippet == "How tides work"
    assert first.date == "2024-03-05"
    assert (second.title, second.url) == ("中文标题", "https://b.example/中文")


def test_duckduckgo_says_none_and_asks_for_robots() -> None:
    none = parse_duckduckgo(pages.DUCKDUCKGO_NONE, DDG)
    assert none.says_none
    assert not none.challenge
    challenge = parse_duckduckgo(pages.DUCKDUCKGO_CHALLENGE, DDG)
    assert challenge.challenge
    assert not challenge.says_none


def test_bing_links_are_decoded_and_ads_left_out() -> None:
    page = pages.bing_page(
        pages.BING_AD,
        pages.bing_row(
            "Tides", pages.bing_link("https://a.example/t?ü=1"), "About tides", "Mar 5, 2024"
        ),
        pages.bing_row("Plain", "https://b.example/", "No redirect"),
    )
    first, second = parse_bing(page, BING).hits
    assert first.url == "https://a.example/t?ü=1"
    assert first.snippet == "About tides"
    assert first.date == "2024-03-05"
    assert second.url == "https://b.example/"


def test_bing_says_none_and_asks_for_robots() -> None:
    assert parse_bing(pages.BING_NONE, BING).says_none
    assert parse_bing(pages.BING_CHALLENGE, BING).challenge


def test_a_page_about_captchas_is_not_taken_for_one() -> None:
    page = pages.bing_page(pages.bing_row("What a CAPTCHA is", "https://a.example/", "not a robot"))
    found = parse_bing(page, BING)
    assert len(found.hits) == 1
    assert not found.challenge


def test_any_engine_is_read_by_its_titled_outside_links() -> None:
    page = """<html><body><header><a href="https://app.example.net/">Get the app today</a></header>
    <nav><a href="https://social.example/">Follow us on the network</a></nav>
    <div class="row"><a href="https://a.example/x"><h3>First page</h3></a>
      <div>a.example</div><p>What the first page says, at some length.</p>
      <time datetime="2025-01-02">2 Jan</time></div>
    <div class="row"><h3><a href="/url?q=https%3A%2F%2Fb.example%2Fy&amp;sa=U">Second page</a></h3>
      <p>What the second page says.</p></div>
    <footer>
    <a href="https://privacy.example/">Privacy and terms of use</a></footer></body></html>"""
    first, second = parse_any(page, OWN).hits
    assert (first.title, first.url, first.date) == (
        "First page",
        "https://a.example/x",
        "2025-01-02",
    )
    assert first.snippet == "What the first page says, at some length."
    assert (second.title, second.url) == ("Second page", "https://b.example/y")
    assert second.snippet == "What the second page says."


def test_an_engine_without_headings_is_read_by_long_outside_links() -> None:
    page = """<html><body><table>
    <tr><td><a href="https://a.example/">A page with a title</a></td></tr>
    <tr><td><a href="https://b.example/">next</a></td></tr></table></body></html>"""
    assert [hit.url for hit in parse_any(page, OWN).hits] == ["https://a.example/"]


def test_the_search_of_a_site_leads_into_the_site() -> None:
    page = """<html><body><a href="/about">About</a><ul>
    <li><h2><a href="/paper/12">A paper</a></h2></li>
    <li><h2><a href="/find?q=x&amp;p=2">Next page</a></h2></li></ul></body></html>"""
    assert [hit.url for hit in parse_any(page, OWN).hits] == ["https://search.example.net/paper/12"]


@pytest.mark.parametrize(
    ("link", "page"),
    [
        ("https://duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F", "https://a.example/"),
        ("https://www.google.com/url?q=https://a.example/&sa=U", "https://a.example/"),
        # Links that only look like redirects stay as they are.
        (
            "https://a.example/page?u=https://b.example/",
            "https://a.example/page?u=https://b.example/",
        ),
        ("https://duckduckgo.com/l/?uddg=javascript:alert(1)", None),
        ("https://www.bing.com/ck/a?u=a1%%%", None),
        ("https://www.bing.com/ck/a?u=a1ZmlsZTovLy9ldGM", None),
    ],
)
def test_redirect_links_are_undone(link: str, page: str | None) -> None:
    assert unwrap(link) == (page or link)


@given(st.text())
def test_any_text_parses(text: str) -> None:
    """safety 47: a page of an engine never ends the run."""
    for parse in (parse_any, parse_bing, parse_duckduckgo):
        parse(text, OWN)


@given(st.text(alphabet="<>/ah=\"' :123;&li.b_algo", max_size=200))
def test_broken_markup_parses(text: str) -> None:
    for parse in (parse_any, parse_bing, parse_duckduckgo):
        parse(f"<html><body>{text}<a href='https://x.example/{text}'><h2>{text}", OWN)


def test_a_large_page_is_read_in_bounded_time() -> None:
    rows = "".join(
        f"<div><h3><a href='https://a{n}.example/'>Page {n}</a></h3></div>" for n in range(3000)
    )
    assert 10 <= len(parse_any(f"<html><body>{rows}</body></html>", OWN).hits) <= 50
