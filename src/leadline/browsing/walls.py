"""Telling a wall from a page: captcha, consent, login, 403, 404, 429, and their soft forms.

A wall is short and talks about the reader's access; an article about captchas or error pages is
long and does not. So wording counts only where there is little else to read, or where it is the
title; status codes and the marks of known challenge pages count always.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from leadline.browsing.wall_words import (
    CAPTCHA,
    COOKIE,
    FORBIDDEN,
    LOGIN,
    NOT_FOUND,
    RATE,
    SERVER,
)

WALL_SENTENCES = {
    "captcha": "The site asks whether a human is there.",
    "cookie_wall": "The site shows a consent wall in place of the page.",
    "login": "The site wants a login or a subscription.",
    "forbidden": "The site refuses access.",
    "not_found": "There is no page at this address.",
    "rate_limited": "The site says that it was asked too often.",
    "server_error": "The site has an error of its own.",
}
"""The reasons that :func:`wall_reason` gives, each as a sentence."""

_BY_STATUS = {
    401: "login",
    402: "login",
    403: "forbidden",
    404: "not_found",
    407: "forbidden",
    410: "not_found",
    429: "rate_limited",
    451: "forbidden",
}

_SHORT = 900
"""A page with less text than this may be a wall by its wording."""
_TINY = 350
_LONG = 3000

# Marks in the HTML of challenge pages. A page that merely embeds a captcha in a comment form has
# some of them too, so they count only where there is little text.
_CHALLENGE_HTML = re.compile(
    r"cf-challenge|cf_chl_opt|challenge-platform|__cf_chl|cf-turnstile|/cdn-cgi/challenge"
    r"|px-captcha|_pxCaptcha|captcha-delivery\.com|datadome|awsWafCookieDomainList|aws-waf-token"
    r"|g-recaptcha|h-captcha|hcaptcha\.com/1|geetest|sucuri_cloudproxy|_Incapsula_Resource"
    r"|id=[\"']captcha|class=[\"'][^\"']*captcha|anomaly-modal|/sorry/index",
    re.IGNORECASE,
)


_WORDINGS = (
    ("captcha", CAPTCHA),
    ("rate_limited", RATE),
    ("not_found", NOT_FOUND),
    ("forbidden", FORBIDDEN),
    ("login", LOGIN),
    ("cookie_wall", COOKIE),
    ("server_error", SERVER),
)
_WALL_PATH = re.compile(
    r"/(?:sorry/|cdn-cgi/|captcha|challenge|consent|accounts?/login|login|signin|sign-in|users/sign_in)"
    r"(?:/|$|\?)?|^/404(?:\.html?)?$",
    re.IGNORECASE,
)
_CONSENT_HOST = re.compile(r"^(?:consent|guce|privacy-?gate|cmp)\.", re.IGNORECASE)


def wall_reason(status: int, title: str, text: str, html: str, url: str) -> str | None:
    """Why this is a wall and no page: a key of ``WALL_SENTENCES``, or None.

    ``status`` may be 0 when it is not known; ``text`` is the extracted main text.
    """
    by_status = _by_status(status)
    challenge = len(text) < _LONG and bool(_CHALLENGE_HTML.search(html))
    if by_status:
        # Challenge pages come as 403, 429 or 503: the better name is what to do about them.
        named = by_status in ("forbidden", "rate_limited", "server_error")
        if named and challenge and CAPTCHA.search(f"{title}\n{text[:_LONG]}\n{_visible(html)}"):
            return "captcha"
        if by_status == "forbidden" and len(text) < _SHORT and LOGIN.search(f"{title}\n{text}"):
            return "login"
        return by_status
    return _by_wording(title, text, html, url, challenge=challenge)


def _by_status(status: int) -> str | None:
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status >= 500:
        return "server_error"
    return "forbidden" if 400 <= status < 500 else None


def _by_wording(title: str, text: str, html: str, url: str, *, challenge: bool) -> str | None:
    letters = len(text)
    # Dense scripts say in one sign what takes two or three letters elsewhere.
    if text and sum("\u3040" <= c <= "\u9fff" for c in text[:600]) > min(letters, 600) / 3:
        letters *= 2
    if letters >= _SHORT:
        return None
    said = f"{title}\n{text}" if letters >= 40 else f"{title}\n{text}\n{_visible(html)}"
    parts = urlsplit(url)
    led_there = bool(_WALL_PATH.search(parts.path)) or bool(_CONSENT_HOST.match(parts.netloc))
    if challenge and CAPTCHA.search(said):
        return "captcha"
    if letters < 120 and challenge:
        return "captcha"
    for reason, wording in _WORDINGS:
        in_title = wording.search(title) is not None
        in_text = wording.search(said) is not None
        if in_title and letters < _SHORT / 2:
            return reason
        if in_text and (letters < _TINY or led_there) and _about_the_reader(reason, said, wording):
            return reason
    return None


def _about_the_reader(reason: str, said: str, wording: re.Pattern[str]) -> bool:
    """Whether the wording makes up a good part of what is said, and is no passing mention."""
    if reason not in ("not_found", "captcha", "server_error", "rate_limited"):
        return True
    match = wording.search(said)
    return match is not None and match.start() < 160


def _visible(html: str) -> str:
    """The first words of the HTML itself, for pages of which extraction leaves nothing."""
    body = re.sub(r"(?is)<(script|style|head|noscript)\b.*?</\1\s*>", " ", html[:200_000])
    return re.sub(r"\s+", " ", re.sub(r"(?s)<[^>]{0,2000}>", " ", body))[:1500]
