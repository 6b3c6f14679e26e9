"""S3-18: classes of sources by host, from its end, with a reason each."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.evidence import Source
from leadline.sources.classes import UNKNOWN, class_of_host, classes, source_class


@pytest.mark.parametrize(
    ("host", "name", "stars"),
    [
        ("www.nature.com", "academic", 4),
        ("cs.stanford.edu", "academic", 4),
        ("physics.ox.ac.uk", "academic", 4),
        ("tsinghua.edu.cn", "academic", 4),
        ("data.gov.uk", "government", 4),
        ("www.mof.gov.cn", "government", 4),
        ("ec.europa.eu", "government", 4),
        ("www.iso.org", "standards", 4),
        ("docs.python.org", "official documentation", 4),
        ("developer.example.com", "official documentation", 4),
        ("www.reuters.com", "media", 3),
        ("zh.wikipedia.org", "encyclopaedia", 3),
        ("github.com", "repository", 3),
        ("www.gartner.com", "analysts", 3),
        ("www.amazon.com", "commercial", 2),
        ("old.reddit.com", "community", 2),
        ("www.zhihu.com", "community", 2),
    ],
)
def test_known_hosts(host: str, name: str, stars: int) -> None:
    found = class_of_host(host)
    assert (found.name, found.stars) == (name, stars)
    assert found.reason.endswith(".")


@pytest.mark.parametrize(
    "host",
    [
        "harbour.example",
        "gov.evil.com",
        "nature.com.evil.net",
        "mynature.com",
        "edu-degrees.com",
        "127.0.0.1",
        "localhost",
        "gov",
        "",
    ],
)
def test_what_only_looks_like_it_is_unknown(host: str) -> None:
    assert class_of_host(host) == UNKNOWN


@pytest.mark.parametrize("host", ["docs.someone.github.io", "docs.google.com", "blog.nature.com"])
def test_first_match_wins_so_that_user_pages_on_a_good_host_stay_community(host: str) -> None:
    assert class_of_host(host).name == "community"


def test_a_source_is_classed_by_its_final_address_not_by_what_it_says() -> None:
    source = Source(
        id=1,
        url="https://someone.example/",
        requested_url="https://www.nature.com/",
        title="Nature",
        site="nature.com",
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
        hash="0",
    )
    assert source_class(source) == UNKNOWN


def test_the_table_has_four_to_one_stars_and_a_reason_each() -> None:
    table = classes()
    assert {found.stars for found in table} | {UNKNOWN.stars} == {1, 2, 3, 4}
    assert len({found.name for found in table}) == len(table)
    assert all(found.reason for found in table)


@given(st.text(max_size=60))
def test_any_host_has_a_class(host: str) -> None:
    assert 1 <= class_of_host(host).stars <= 4


def test_no_domain_of_the_table_is_dead_behind_an_earlier_class() -> None:
    text = resources.files("leadline").joinpath("sources", "classes.toml").read_text("utf-8")
    for entry in tomllib.loads(text)["class"]:
        for domain in entry.get("domains", ()):
            assert class_of_host(domain).name == entry["name"], domain
