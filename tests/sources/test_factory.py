"""From the configuration to the router."""

from __future__ import annotations

import pytest

from leadline.domain.config import SearchConfig, SearchEngine
from leadline.domain.events import HostContacted
from leadline.errors import InvalidSetting
from leadline.sources.factory import _HostLog, create_router
from tests.doubles import MemoryRun

DEMO = "http://search.localhost:7789/search?q={query}"


def test_every_engine_can_be_made_in_the_order_that_was_set() -> None:
    config = SearchConfig(
        engines=(*SearchEngine, SearchEngine.BING),
        template_url="https://find.example/?q={query}",
        searxng_url="http://10.0.0.5:8888",
    )
    router = create_router(config, sink=MemoryRun(), demo_url=DEMO)
    assert router.engines == tuple(engine.value for engine in SearchEngine)


@pytest.mark.parametrize(
    ("engine", "setting", "values"),
    [
        (SearchEngine.TEMPLATE, "template_url", {}),
        (SearchEngine.TEMPLATE, "template_url", {"template_url": "https://find.example/"}),
        (SearchEngine.TEMPLATE, "template_url", {"template_url": "file:///{query}"}),
        (SearchEngine.SEARXNG, "searxng_url", {}),
        (SearchEngine.SEARXNG, "searxng_url", {"searxng_url": "localhost:8888"}),
        (SearchEngine.DEMO, "demo", {}),
    ],
)
def test_what_is_missing_is_named(
    engine: SearchEngine, setting: str, values: dict[str, str]
) -> None:
    """S0-24, S0-29: a back end without its address is refused, by name."""
    config = SearchConfig(engines=(engine,), **values)
    with pytest.raises(InvalidSetting, match=setting):
        create_router(config, sink=MemoryRun())


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    """safety 29"""
    config = SearchConfig(engines=(SearchEngine.SEARXNG,), searxng_url="http://me:s3cret@host:8888")
    with pytest.raises(InvalidSetting) as caught:
        create_router(config, sink=MemoryRun())
    assert "s3cret" not in str(caught.value)


def test_a_host_is_noted_once() -> None:
    """safety 22"""
    run = MemoryRun()
    log = _HostLog(run)
    log("a.example")
    log("a.example")
    assert [event for _, event in run.events] == [HostContacted(host="a.example", purpose="search")]
