"""Words, sentences, numbers and languages of plain text, by script and by rule.

Invariant: every function takes any ``str`` (control characters and lone surrogates included),
never raises for it, and runs in time linear in its length. Nothing here is a guess of a model.
"""

from __future__ import annotations

import re
import unicodedata
from math import ceil

from leadline.domain.numerals import written_out
from leadline.domain.text_tables import (
    ABBREVIATIONS,
    FUNCTION_WORDS,
    MONTHS,
    MULTIPLIERS,
    NUMBER_WORDS,
    NUMBERED_ABBREVIATIONS,
    STOP_BIGRAMS,
    STOP_WORDS,
)

# Scripts that are written without spaces: their words are not marked, so they become bigrams.
_UNSPACED = (
    "\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\u31f0-\u31ff\uac00-\ud7af\u0e00-\u0eff\u1780-\u17ff"
)
_TOKEN = re.compile(rf"(?P<run>[{_UNSPACED}\U00020000-\U0003ffff]+)|(?P<word>[^\W_{_UNSPACED}]+)")
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u0652]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]+")

_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("han", re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")),
    ("kana", re.compile("[\u3040-\u30ff\u31f0-\u31ff]")),
    ("hangul", re.compile("[\u1100-\u11ff\uac00-\ud7af]")),
    ("thai", re.compile("[\u0e00-\u0e7f]")),
    ("arabic", re.compile("[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff]")),
    ("hebrew", re.compile("[\u0590-\u05ff]")),
    ("cyrillic", re.compile("[\u0400-\u052f]")),
    ("greek", re.compile("[\u0370-\u03ff]")),
    ("devanagari", re.compile("[\u0900-\u097f]")),
    ("latin", re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")),
)
_LANGUAGE_OF_SCRIPT = {
    "han": "zh", "kana": "ja", "hangul": "ko", "thai": "th", "arabic": "ar", "hebrew": "he",
    "cyrillic": "ru", "greek": "el", "devanagari": "hi",
}  # fmt: skip
# Letters that a word has in these scripts, for comparing them by weight: a Chinese question that
# names two Latin products is Chinese.
_LETTERS_A_WORD = {"han": 1.5, "kana": 2.0, "hangul": 2.5, "thai": 4.0}


def one_line(text: str) -> str:
    """The text on one line: no control character, single blanks, storable as UTF-8."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return " ".join(_CONTROL.sub(" ", text).split())


def shorten(text: str, chars: int) -> str:
    """The text on one line and at most ``chars`` long, cut between words, ``…`` at the cut."""
    text = one_line(text)
    if len(text) <= chars:
        return text
    if chars <= 1:
        return "…"[:chars]
    cut = text[: chars - 1]
    blank = cut.rfind(" ")
    if blank > (chars * 2) // 3 and text[chars - 1] != " ":
        cut = cut[:blank]
    return cut.rstrip(" ,;:，；：、") + "…"


def _fold(text: str) -> str:
    """Case, width and accents away, so that ``Café`` and ``CAFE`` are one word."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _MARKS.sub("", decomposed))


def words(text: str) -> list[str]:
    """Lower-case terms in order; CJK and Thai as bigrams; stop words left out."""
    found: list[str] = []
    for match in _TOKEN.finditer(_fold(text)):
        run = match["run"]
        if run is None:
            if match["word"] not in STOP_WORDS:
                found.append(match["word"])
        elif len(run) == 1:
            found.append(run)
        else:
            pairs = (run[i : i + 2] for i in range(len(run) - 1))
            found.extend(pair for pair in pairs if pair not in STOP_BIGRAMS)
    return found


def stem(word: str) -> str:
    """A word without its commonest English endings; good enough to compare two words."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    for endings in _ENDINGS:
        for ending, instead in endings:
            kept = word[: len(word) - len(ending)]
            if word.endswith(ending) and len(kept) >= 3 and not word.endswith("ss"):
                word = kept + instead
                break
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


_ENDINGS = ((("ies", "y"), ("sses", "ss"), ("s", "")), (("ing", ""), ("ed", "")))


def terms(text: str) -> set[str]:
    """The stems of a text's words, for comparing what two texts speak of."""
    return {stem(word) for word in words(text)}


_PARAGRAPH = re.compile(r"(?:\r\n?|\n)[^\S\r\n]*(?:\r\n?|\n)\s*")
_CLOSERS = "\"'”’»）)\\]」』》】"
_END = re.compile(
    rf"(?P<cjk>[。！？｡]+[{_CLOSERS}]*)|(?<![.!?…])(?P<spaced>[.!?…؟۔।]++[{_CLOSERS}]*+)(?=\s|$)"
)
_TITLES = frozenset({"mr", "mrs", "ms", "dr", "prof", "e.g", "i.e", "vs"})
_LAST_TOKEN = re.compile(r"(\S{1,24})$")


def _is_abbreviation(before: str, after: str) -> bool:
    """Whether a full stop after ``before`` ends a short form rather than a sentence."""
    match = _LAST_TOKEN.search(before)
    token = match[1].lstrip("(\"'“‘[") if match else ""
    following = after.lstrip()
    if following[:1].islower():
        return True
    if token.isdigit():
        # "1. First" at the start is a list number; "in 2024. Then" ends a sentence.
        return len(token) <= 2 and before.strip() == token
    starts_anew = re.split(r"\W", following, maxsplit=1)[0].casefold() in STOP_WORDS
    if re.fullmatch(r"(?:[A-Za-z]\.)*[A-Za-z]", token) and token != "I":
        # "J. Smith", "the U.S. army"; a function word after it starts a sentence.
        return bool(following) and not starts_anew
    token = token.casefold()
    if token in NUMBERED_ABBREVIATIONS:
        return following[:1].isdigit()
    return token in ABBREVIATIONS and not (starts_anew and token not in _TITLES)


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, each as it stands there, without outer blanks.

    A blank line always ends one. Decimals, initials and common abbreviations do not.
    """
    found: list[str] = []
    for paragraph in _PARAGRAPH.split(text):
        start = 0
        for match in _END.finditer(paragraph):
            end = match.end()
            mark = match["spaced"]
            if mark and mark[0] == "." and not mark.startswith(".."):
                before = paragraph[max(start, match.start() - 40) : match.start()]
                if _is_abbreviation(before, paragraph[end : end + 24]):
                    continue
            found.append(paragraph[start:end].strip())
            start = end
        found.append(paragraph[start:].strip())
    return [sentence for sentence in found if sentence]


def estimate_tokens(text: str) -> int:
    """About how many model tokens a text has: a CJK letter one, four Latin letters one."""
    dense = medium = 0
    for char in text:
        code = ord(char)
        if code < 0x250:
            continue
        if 0x2E80 <= code <= 0x9FFF or 0xAC00 <= code <= 0xD7FF or code >= 0xF900:
            dense += 1
        else:
            medium += 1
    light = len(text) - dense - medium
    return ceil(light / 4 + medium / 2 + dense)


def script_of(text: str) -> str:
    """The script that most words of a text are in (``latin``, ``han`` …), or an empty string."""
    weights = _script_weights(text)
    return max(weights, key=lambda name: weights[name]) if weights else ""


def _script_weights(text: str) -> dict[str, float]:
    sample = text[:20_000]
    weights: dict[str, float] = {}
    for name, pattern in _SCRIPTS:
        count = len(pattern.findall(sample))
        if count:
            weights[name] = count / _LETTERS_A_WORD.get(name, 5.0)
    if "latin" in weights:  # names are short or long: count words, not letters
        weights["latin"] = float(len(re.findall("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+", sample)))
    return weights


def detect_language(text: str) -> str:
    """A language code by script, for Latin letters by function words; ``en`` when nothing tells."""
    weights = _script_weights(text)
    if not weights:
        return "en"
    script = max(weights, key=lambda name: weights[name])
    if script in ("han", "kana"):
        return "ja" if weights.get("kana", 0) > 0.1 * weights.get("han", 0) else "zh"
    if script != "latin":
        return _LANGUAGE_OF_SCRIPT[script]
    tokens = re.findall(r"[^\W\d_]+", text[:20_000].casefold())
    scores = {code: sum(t in tells for t in tokens) for code, tells in FUNCTION_WORDS.items()}
    best = max(scores, key=lambda code: scores[code])
    return best if scores[best] > scores["en"] else "en"


_NUMBER = re.compile(
    r"(?<![A-Za-z_\d])"
    r"(\d+(?:[.,'’\u00a0\u202f\u2009]\d+)*)"
    r"(?:[\s\u00a0-]?(" + "|".join(sorted(MULTIPLIERS, key=len, reverse=True)) + r")(?![a-z]))?",
    re.IGNORECASE | re.ASCII,
)
_GROUPED = re.compile(r"\d{1,3}(?:([,.'’\u00a0\u202f\u2009])\d{3})(?:\1\d{3})*")
_FULL_WIDTH = str.maketrans("．，％", ".,%")


def _ascii_digits(text: str) -> str:
    text = text.translate(_FULL_WIDTH)
    if text.isascii():
        return text
    return "".join(
        str(unicodedata.decimal(c)) if not c.isascii() and c.isdecimal() else c for c in text
    )


def _plain(value: str) -> str:
    """``007`` → ``7``, ``5.0`` → ``5``; versions such as ``3.11.2`` stay."""
    if value.count(".") > 1:
        return value
    whole, _, fraction = value.partition(".")
    fraction = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")


def _times(value: str, power: int) -> str:
    """``1.5`` times ten to the ``power``, by moving the point: no rounding of floats."""
    whole, _, fraction = value.partition(".")
    fraction = fraction.ljust(power, "0")
    return _plain(f"{whole}{fraction[:power]}.{fraction[power:]}")


def _readings(raw: str) -> list[str]:
    """What a written number can mean, the English reading first."""
    grouped = _GROUPED.fullmatch(raw)
    if grouped:
        together = _plain(re.sub(r"\D", "", raw))
        if grouped[1] == ".":
            if raw.count(".") == 1:
                return [_plain(raw), together]
            return [together, raw]
        if grouped[1] == "," and raw.count(",") == 1:
            return [together, _plain(raw.replace(",", "."))]
        return [together]
    separators = re.findall(r"\D", raw)
    if separators and set(separators) <= {".", ","}:
        last = separators[-1]
        if len(set(separators)) == 2 and separators.count(last) == 1:
            other = "," if last == "." else "."
            return [_plain(raw.replace(other, "").replace(last, "."))]
        if separators == [","]:
            return [_plain(raw.replace(",", "."))]
        if set(separators) == {"."}:
            return [_plain(raw)]
    return []


def _numbers(text: str, *, all_readings: bool) -> set[str]:
    found: set[str] = set()
    for match in _NUMBER.finditer(_ascii_digits(text)):
        raw = match[1]
        readings = [_plain(raw)] if raw.isdigit() else _readings(raw)
        if not readings:  # a list such as "3,14,15" or "10'5": its parts are the numbers
            found.update(_plain(part) for part in re.findall(r"\d+", raw))
            continue
        power = MULTIPLIERS[match[2].casefold()] if match[2] else 0
        for reading in readings if all_readings else readings[:1]:
            found.add(_times(reading, power) if power and reading.count(".") < 2 else reading)
    return found


def numbers(text: str) -> set[str]:
    """The numbers that a text states in digits, normalised: ``1,500`` and ``1.5 thousand`` are one.

    Digits inside a name (``CO2``) are none. Signs and percent signs are left out.
    """
    return _numbers(text, all_readings=False)


def numbers_said(text: str) -> set[str]:
    """Every number that a text can be said to state: each reading of an ambiguous ``1.234``,
    number words and months included. ``numbers(claim) - numbers_said(passages)`` is what a
    claim adds of its own.
    """
    found = _numbers(text, all_readings=True) | written_out(text)
    folded = _fold(text)
    for word in re.findall(r"[^\W\d_]+", folded):
        if word in NUMBER_WORDS:
            found.add(NUMBER_WORDS[word])
        elif word in MONTHS:
            found.add(MONTHS[word])
    for char, value in _NUMBER_CHARS.items():
        if char in folded:
            found.add(value)
    in_digits = _SPELLED.sub(lambda m: NUMBER_WORDS[m[0]], folded)  # "two million", "两百万"
    return found if in_digits == folded else found | _numbers(in_digits, all_readings=True)


_NUMBER_CHARS = {word: value for word, value in NUMBER_WORDS.items() if not word.isascii()}
_SPELLED = re.compile(
    "|".join(
        rf"\b{word}\b" if word.isascii() else word
        for word in NUMBER_WORDS
        if word not in MULTIPLIERS
    )
)
