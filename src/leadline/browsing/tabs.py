"""What a tab gives back, and who can open one: the edge between reading pages and the browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TabResult:
    """What a tab showed for an address.

    ``document`` is true when the server sent something that is no web page (a PDF, a text file, a
    download): ``html`` is empty then, and the caller fetches ``url`` itself.
    """

    url: str
    """The address after redirects."""
    status: int
    """HTTP status of the final answer; 0 when it is not known."""
    html: str = ""
    title: str = ""
    content_type: str = ""
    document: bool = False


class Tabs(Protocol):
    """Opens pages for the reader; ``Lease`` is one."""

    async def read_tab(self, url: str) -> TabResult:
        """Open ``url`` in a tab of its own and take what it shows.

        Raises ``EgressRefused``, ``PageUnreadable`` or ``BrowserFailed``.
        """

    async def current_page(self) -> TabResult:
        """What the worker's own tab shows now. Raises like :meth:`read_tab`."""
