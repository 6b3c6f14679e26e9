"""Brand, language switch, and the few words that the page's script needs. Pure."""

from __future__ import annotations

from leadline.web.texts import Texts
from leadline.web.views.html import esc


def brand(texts: Texts) -> str:
    """Name and purpose, at the top of the side."""
    return (
        '<div class="ll-brand"><img src="/ui/icon.svg" alt="" width="28" height="28">'
        f"<div><strong>Leadline</strong><span>{esc(texts('tagline'))}</span></div></div>"
    )


def language_switch(texts: Texts) -> str:
    """A link to the page in the other language."""
    other = "zh" if texts.language == "en" else "en"
    return (
        f'<a class="ll-language" href="/language/{other}" data-ll-language="/language/{other}" '
        f'lang="{"zh-Hans" if other == "zh" else "en"}" hreflang="{other}">'
        f"{esc(texts('other_language'))}</a>"
    )


def words(texts: Texts) -> str:
    """What the script says, in the language of the page."""
    names = {
        "panel": "passage_panel",
        "tab": "open_in_tab",
        "close": "close",
        "cancel": "cancel",
        "delete": "delete",
        "confirm": "delete_confirm",
        "stopping": "stopping",
        "down": "server_down",
        "preparing": "preparing",
        "failed": "download_failed",
    }
    data = " ".join(f'data-{name}="{esc(texts(key))}"' for name, key in names.items())
    return f'<div id="ll-words" hidden {data}></div>'


def skip_link(texts: Texts) -> str:
    """The first stop of the keyboard: past the list of runs, which may be long."""
    return f'<a class="ll-skip" href="#ll-main" data-ll-skip>{esc(texts("skip"))}</a>'


def group(title: str) -> str:
    """The heading of a group of fields."""
    return f'<h3 class="ll-group">{esc(title)}</h3>'
