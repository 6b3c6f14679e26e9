"""Addresses compared and filtered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.sources.urls import domain_of, host_of, in_domains, is_web_address, url_key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://example.org/a", "https://www.example.org/a/"),
        ("https://example.org/a?utm_source=x&b=1", "https://EXAMPLE.org/a?b=1#part"),
        ("https://example.org", "https://example.org:443/"),
        ("https://example.org/?fbclid=1", "https://example.org/"),
    ],
)
def test_two_spellings_of_a_page_share_a_key(one: str, other: str) -> None:
    assert url_key(one) == url_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.org/a", "https://example.org/b"),
        ("https://example.org/?id=1", "https://example.org/?id=2"),
        ("http://example.org:8080/", "http://example.org/"),
        ("https://example.org/A", "https://example.org/a"),
    ],
)
def test_different_pages_have_different_keys(one: str, other: str) -> None:
    assert url_key(one) != url_key(other)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://user:pass@example.org/",
        "http://",
        "http://[::1",
        "http://example.org:99999/",
        "",
    ],
)
def test_what_is_no_web_address_is_refused(url: str) -> None:
    """safety 19"""
    assert not is_web_address(url)


def test_domains_are_read_as_people_write_them() -> None:
    for text in ("Example.org", "*.example.org", "https://www.example.org/x", "example.org:8080"):
        assert domain_of(text) == "example.org"


def test_a_domain_holds_what_is_below_it_and_not_what_only_ends_like_it() -> None:
    assert in_domains("https://news.example.org/x", ["example.org"])
    assert in_domains("https://www.example.org/x", ["example.org"])
    assert not in_domains("https://badexample.org/x", ["example.org"])
    assert not in_domains("https://example.org.evil.net/", ["example.org"])
    assert not in_domains("https://example.org/", [""])


@given(st.text())
def test_any_text_is_taken(text: str) -> None:
    host_of(text)
    url_key(text)
    domain_of(text)
    in_domains(text, [text])
