"""Addresses of pages: which are one page, and which are a page in another state."""

from __future__ import annotations

import pytest

from leadline.domain.evidence import page_address, page_state


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://a.example/x#part", "https://a.example/x"),
        ("https://a.example/x", "https://a.example/x"),
        ("https://a.example/#/inbox", "https://a.example/#/inbox"),
        ("https://a.example/#!/inbox", "https://a.example/#!/inbox"),
        ("https://a.example/x#:~:text=harbour", "https://a.example/x"),
        ("https://a.example/x#:~:state=2", "https://a.example/x#:~:state=2"),
    ],
)
def test_a_fragment_counts_only_when_it_is_the_page(url: str, address: str) -> None:
    assert page_address(url) == address


@pytest.mark.parametrize("url", ["https://a.example/x", "https://a.example/#/inbox"])
def test_states_of_a_page_are_addresses_of_their_own(url: str) -> None:
    states = [page_state(url, n) for n in (1, 2, 3)]
    assert states[0] == url
    assert len({page_address(state) for state in states}) == 3
    assert [page_address(state) for state in states] == states
