"""From the configuration of a run to its search. Everything that is missing is said here."""

from __future__ import annotations

import time
from collections.abc import Callable

from leadline.domain.config import SearchConfig, SearchEngine
from leadline.domain.events import HostContacted
from leadline.domain.ports import EventSink
from leadline.errors import InvalidSetting
from leadline.sources.base import SearchBackend
from leadline.sources.ddgs_backend import DdgsBackend
from leadline.sources.engine_pages import bing, demo_engine, duckduckgo, template_engine
from leadline.sources.router import SearchRouter
from leadline.sources.searxng import SearxngBackend
from leadline.sources.urls import is_web_address


def create_router(
    config: SearchConfig,
    *,
    sink: EventSink,
    demo_url: str | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> SearchRouter:
    """The search of a run.

    ``demo_url`` is the result page of the demo web with ``{query}``, while it runs. Raises
    ``InvalidSetting`` with the name of the setting when an engine lacks its address.
    """
    on_host = _HostLog(sink)
    backends = [
        _create(engine, config, on_host=on_host, demo_url=demo_url)
        for engine in dict.fromkeys(config.engines)
    ]
    return SearchRouter(
        backends,
        sink=sink,
        clock=clock,
        only_domains=config.only_domains,
        without_domains=config.without_domains,
    )


class _HostLog:
    """Notes the first contact with each host that is reached past the browser."""

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        self._known: set[str] = set()

    def __call__(self, host: str) -> None:
        if host not in self._known:
            self._known.add(host)
            self._sink.emit(HostContacted(host=host, purpose="search"))


def _create(
    engine: SearchEngine,
    config: SearchConfig,
    *,
    on_host: Callable[[str], None],
    demo_url: str | None,
) -> SearchBackend:
    match engine:
        case SearchEngine.DUCKDUCKGO:
            return duckduckgo()
        case SearchEngine.BING:
            return bing()
        case SearchEngine.DDGS:
            return DdgsBackend(on_host=on_host)
        case SearchEngine.TEMPLATE:
            return template_engine(_template(config.template_url))
        case SearchEngine.SEARXNG:
            return SearxngBackend(base_url=_searxng(config.searxng_url), on_host=on_host)
        case SearchEngine.DEMO:
            if not demo_url:
                raise InvalidSetting(
                    "The search engine “demo” needs the demo web, which is not running;"
                    " use `leadline demo` or choose another engine."
                )
            return demo_engine(demo_url)


def _template(address: str) -> str:
    if "{query}" not in address or not is_web_address(address.replace("{query}", "x")):
        raise InvalidSetting(
            "The search engine “template” needs search_template_url: the http(s) address of a"
            f" result page with {{query}} in it, not {_shown(address)}."
        )
    return address


def _searxng(address: str) -> str:
    if not is_web_address(address):
        raise InvalidSetting(
            "The search engine “searxng” needs search_searxng_url: the http(s) address of an"
            f" instance, such as http://localhost:8888, not {_shown(address)}."
        )
    return address


def _shown(address: str) -> str:
    """What was set, unless it may hold a password."""
    if "@" in address:
        return "an address with a user name"
    return f"“{address[:200]}”" if address else "nothing"
