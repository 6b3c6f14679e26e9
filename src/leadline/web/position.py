"""Where a page stands: which run it shows and what of it was sent. Held by the page itself, so it
outlives a restart of the server; nothing in it is trusted.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping

from pydantic import BaseModel, Field, ValidationError


class Position(BaseModel):
    """The page's own memory, as JSON in a hidden field."""

    run: str = Field("", max_length=200)
    mark: str = Field("", max_length=5000)
    status: str = Field("", max_length=40)
    report: str = Field("", max_length=200)
    sent: dict[str, int] = Field(default_factory=dict, max_length=40)

    @classmethod
    def read(cls, text: str | None) -> Position:
        """The position in ``text``; an unreadable one is the beginning."""
        try:
            return cls.model_validate_json(text or "{}")
        except ValidationError:
            return cls()

    def changed(self, views: Mapping[str, str]) -> dict[str, str]:
        """The views that the page does not show yet; they count as sent from here on."""
        fresh: dict[str, str] = {}
        for name, html in views.items():
            mark = zlib.crc32(html.encode())
            if self.sent.get(name) != mark:
                self.sent[name] = mark
                fresh[name] = html
        return fresh
