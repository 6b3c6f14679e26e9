"""Which class a source belongs to, by its host: ``classes.toml`` says what, and why so many stars.

The host alone decides, from its end: a name that merely holds ``gov`` is no government. What is in
no class is unknown and says so; a page cannot raise itself by what it writes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

from leadline.domain.evidence import Source
from leadline.domain.scores import SourceClass
from leadline.sources.urls import host_of

UNKNOWN = SourceClass("unknown", 1, "Nothing is known of who publishes there.")


class _Rule(NamedTuple):
    """A class and how its hosts are told."""

    found: SourceClass
    endings: frozenset[str]
    patterns: tuple[re.Pattern[str], ...]

    def matches(self, host: str, endings: Sequence[str]) -> bool:
        return any(ending in self.endings for ending in endings) or any(
            pattern.fullmatch(host) for pattern in self.patterns
        )


def source_class(source: Source) -> SourceClass:
    """The class of a source, by the host of its address."""
    return class_of_host(host_of(source.url))


def class_of_host(host: str) -> SourceClass:
    """The first class that knows the host, or ``UNKNOWN``."""
    host = host.removeprefix("www.")
    if "." not in host:
        return UNKNOWN
    labels = host.split(".")
    endings = [".".join(labels[start:]) for start in range(len(labels))]
    return next((rule.found for rule in _rules() if rule.matches(host, endings)), UNKNOWN)


def classes() -> tuple[SourceClass, ...]:
    """Every class, in the order in which they are tried."""
    return tuple(rule.found for rule in _rules())


@cache
def _rules() -> tuple[_Rule, ...]:
    text = resources.files("leadline").joinpath("sources", "classes.toml").read_text("utf-8")
    return tuple(
        _Rule(
            SourceClass(entry["name"], entry["stars"], entry["reason"]),
            frozenset((*entry.get("domains", ()), *entry.get("suffixes", ()))),
            tuple(re.compile(pattern) for pattern in entry.get("hosts", ())),
        )
        for entry in tomllib.loads(text)["class"]
    )
