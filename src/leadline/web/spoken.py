"""The edge between a handler and the page: deliberate errors become their sentence there."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any, Protocol

from leadline.errors import LeadlineError
from leadline.web.run_sentences import in_words
from leadline.web.texts import Texts
from leadline.web.views.html import message

log = logging.getLogger("leadline.web")

Updates = dict[str, Any]
"""Component name → its new value or update."""


class HasTexts(Protocol):
    """Who has handlers: it speaks one language."""

    texts: Texts


def spoken(handler: Callable[..., Updates]) -> Callable[..., Updates]:
    """Turn a deliberate error into its sentence on the page, and anything else into a log entry."""

    @functools.wraps(handler)
    def wrapped(self: HasTexts, *args: Any) -> Updates:
        try:
            return handler(self, *args)
        except LeadlineError as error:
            return {"notice": message(in_words(str(error), self.texts), "error")}
        except Exception:
            # The edge to the page: logged here with its traceback, never shown.
            log.exception("the page's %s failed", handler.__name__)
            return {"notice": message(self.texts("unexpected"), "error")}

    return wrapped
