"""Small pieces of HTML. Invariant: text becomes HTML through :func:`esc` alone."""

from __future__ import annotations

from datetime import datetime
from html import escape
from urllib.parse import urlsplit

from leadline.domain.evidence import PassageRef
from leadline.domain.run import RunStatus
from leadline.reports.render import SHAPES
from leadline.reports.texts import texts_for
from leadline.web.texts import Texts


def esc(text: object) -> str:
    """``text`` as HTML text or as a quoted attribute."""
    return escape(str(text), quote=True)


def cut(text: str, chars: int) -> str:
    """``text`` on one line and no longer than ``chars``."""
    line = " ".join(text.split())
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"


def host_of(url: str) -> str:
    """The host name in a URL, for people; empty when there is none."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def web_link(url: str, text: str) -> str:
    """A link out of the page; only http and https become links."""
    if not url.lower().startswith(("http://", "https://")):
        return esc(text)
    return (
        f'<a href="{esc(url)}" target="_blank" rel="noopener noreferrer nofollow">{esc(text)}</a>'
    )


def badge(status: RunStatus, texts: Texts, *, word: str = "") -> str:
    """The state of a run as a coloured word, or ``word`` in its colour."""
    word = esc(word or texts(f"state_{status.value}"))
    return f'<span class="ll-badge ll-badge-{status.value}">{word}</span>'


def state_word(state: str, texts: Texts) -> str:
    """The word of a claim's state (or of ``superseded``) in the language of the page."""
    return texts_for(texts.language).state(state)


def claim_badge(state: str, texts: Texts) -> str:
    """The state of a claim: a sign and a word, so that it is never told by colour alone."""
    return (
        f'<span class="ll-claim-state is-{esc(state.replace(" ", "-"))}">'
        f'<span aria-hidden="true">{SHAPES[state]}</span> {esc(state_word(state, texts))}</span>'
    )


def passage_href(task_id: str, ref: PassageRef) -> str:
    """The address of a stored passage; the page's script opens it in the panel."""
    return f"/runs/{task_id}/sources/{ref.source}#p{ref.passage}"


def ago(then: datetime, now: datetime, texts: Texts) -> str:
    """How long ago, in one short phrase."""
    seconds = max(0, int((now - then).total_seconds()))
    if seconds < 60:
        return texts("just_now")
    if seconds < 3600:
        return texts("minutes_ago", n=seconds // 60)
    if seconds < 86400:
        return texts("hours_ago", n=seconds // 3600)
    return texts("days_ago", n=seconds // 86400)


def clock(seconds: float) -> str:
    """``95`` as ``1:35``, ``3700`` as ``1:01:40``."""
    total = max(0, int(seconds))
    hours, rest = divmod(total, 3600)
    minutes, rest = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def compact(number: int) -> str:
    """``12345`` as ``12.3k``."""
    if number < 10_000:
        return f"{number:,}"
    if number < 1_000_000:
        return f"{number / 1000:.4g}k"
    return f"{number / 1_000_000:.3g}M"


def message(text: str, kind: str = "info") -> str:
    """One sentence of ours for the person; ``kind`` is info, warning or error."""
    if not text:
        return ""
    role = "alert" if kind == "error" else "status"
    return f'<p class="ll-message ll-message-{kind}" role="{role}">{esc(text)}</p>'
