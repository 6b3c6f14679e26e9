"""Pages in another charset than they say: gbk sent as UTF-8 and the other way round. Pure.

A charset is contradicted only on strong signs: bytes that are UTF-8 throughout are UTF-8 whatever
was declared, and UTF-8 of which a good part cannot be read is something else.
"""

from __future__ import annotations

import codecs
import re
from itertools import islice

from charset_normalizer import from_bytes

_FEWEST_BYTES = 16
"""Bytes beyond ASCII from which being valid UTF-8 is no chance (a Chinese word of two signs in
GBK can be)."""
_FEWEST_BROKEN = 5
_BROKEN_SHARE = 0.25
_SAMPLE = 200_000
_TAGS = re.compile(rb"(?s)<(script|style)\b.*?</\1\s*>|<[^>]{0,2000}>")
_RUN = re.compile(r"[^\x00-\x7f]{2,}")
_RUNS = 40
_NO_1252 = frozenset((0x81, 0x8D, 0x8F, 0x90, 0x9D))
_LABELS = {
    "gb18030": "gb18030",
    "big5": "big5",
    "shift_jis": "shift_jis",
    "euc_jp": "euc-jp",
    "euc_kr": "euc-kr",
    "cp1251": "windows-1251",
    "koi8_r": "koi8-r",
    "cp1252": "windows-1252",
}
"""What is looked for: Python's name, and the label that browsers know."""


def looks_misread(shown: str, declared: str) -> bool:
    """Whether the bytes of a page should be looked at: cheap, and wrong now and then."""
    return not shown.isascii() and (declared.lower() != "utf-8" or _is_broken(shown))


def put_right(data: bytes, shown: str, declared: str) -> tuple[bytes, str] | None:
    """The page's bytes and the label of their true charset; None when ``declared`` may be right.

    ``shown`` is what the browser made of the page, and ``data`` what it says it received: that is
    the very bytes where they did not fit ``declared``, else their text, written as UTF-8.
    """
    if declared.lower() != "utf-8":
        if not _is_utf8(data):
            return None
        text = data.decode("utf-8", "ignore")
        original = _encoded(text, declared) if _has_words_of(text, shown) else data
        return (original, "utf-8") if original and _is_utf8(original) else None
    if not _is_broken(shown) or _is_utf8(data):
        return None
    sample = _TAGS.sub(b" ", data)[:_SAMPLE]
    best = from_bytes(sample, cp_isolation=list(_LABELS), enable_fallback=False).best()
    return (data, _LABELS[best.encoding]) if best and best.encoding in _LABELS else None


def _has_words_of(text: str, shown: str) -> bool:
    """Whether the words beyond ASCII that a page shows stand in this text too."""
    runs = list(islice(_RUN.finditer(shown), _RUNS))
    return any(run[0] in text for run in runs)


def _encoded(text: str, charset: str) -> bytes | None:
    """The bytes that a browser reads as ``text``; None when there are none."""
    try:
        if charset.lower() != "windows-1252":
            return text.encode(charset)
        # Browsers read the five bytes that it leaves out as control characters.
        table = {bytes([n]).decode("cp1252", "replace"): bytes([n]) for n in range(256)}
        table |= {chr(n): bytes([n]) for n in range(128, 160) if n in _NO_1252}
        return b"".join(table[character] for character in text)
    except (LookupError, UnicodeEncodeError):
        return None


def _is_utf8(data: bytes) -> bool:
    if sum(byte > 127 for byte in data[:_SAMPLE]) < _FEWEST_BYTES:
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)  # a page may be cut within a sign
    except UnicodeDecodeError:
        return False
    return True


def _is_broken(shown: str) -> bool:
    broken = shown.count("\ufffd")
    if broken < _FEWEST_BROKEN:
        return False
    return broken > _BROKEN_SHARE * (len(shown) - len(shown.encode("ascii", "ignore")))
