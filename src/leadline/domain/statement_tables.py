"""Word lists behind ``statements``: closed classes, kept apart from the code that reads them."""

from __future__ import annotations

from leadline.domain.text import stem


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATIONS = _set(
    """
    no not never none nobody nothing neither nor without cannot can't don't doesn't didn't isn't
    aren't wasn't weren't won't wouldn't couldn't shouldn't hasn't haven't hadn't
    nicht kein keine keinen keiner keinem nie niemals ohne
    ne pas jamais aucun aucune sans ni
    nunca jamás ningún ninguna sin tampoco
    """
)
NEGATIONS_CJK = (
    "没有",
    "沒有",
    "不是",
    "不会",
    "不能",
    "不再",
    "不得",
    "并不",
    "并非",
    "从未",
    "尚未",
    "无法",
)

_PAIRS = """
    rise fall, rose fell, risen fallen, increase decrease, grow shrink, grew shrank,
    growth decline, gain lose,
    up down, above below, over under, more less, more fewer, higher lower, highest lowest,
    most least, larger smaller, largest smallest, longer shorter, faster slower, earlier later,
    before after, first last, best worst, better worse, cheaper dearer, cheap expensive,
    open close,
    opened closed, win lose, approve reject, approved rejected, accept refuse, allow forbid, allowed
    forbidden, support oppose, succeed fail, success failure, safe unsafe, legal illegal, possible
    impossible, public private, true false, include exclude, north south, east west, gained lost,
    improved worsened, mandatory optional, free paid, start end, begin end, won lost, with without
    """


def _opposites(pairs: str) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for pair in pairs.split(","):
        one, other = (stem(word) for word in pair.split())
        found[one] = found.get(one, frozenset()) | {other}
        found[other] = found.get(other, frozenset()) | {one}
    return found


OPPOSITES = _opposites(_PAIRS)
"""Word stem → the stems that say the opposite."""

APPROXIMATIONS = (
    "about", "around", "roughly", "some", "nearly", "almost", "approximately", "circa", "over",
    "more than", "less than", "up to", "at least", "under", "rund", "etwa", "knapp", "ungefähr",
    "environ", "unos", "约", "大约", "近", "超过", "不到",
)  # fmt: skip

CURRENCIES = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "₹": "rupee"}

UNIT_NAMES = {
    "percent": "percent", "prozent": "percent", "pct": "percent",
    "usd": "dollar", "dollars": "dollar", "eur": "euro", "euros": "euro", "gbp": "pound",
    "pounds": "pound", "人次": "passenger", "人": "person", "元": "yuan", "克朗": "crown",
    "kronen": "crown", "fahrgäste": "passenger", "passagiere": "passenger", "jahre": "year",
    "jahren": "year", "年": "year", "tage": "day", "tagen": "day", "天": "day", "minuten": "minute",
    "分钟": "minute", "stunden": "hour", "小时": "hour", "吨": "tonne", "tonnen": "tonne",
}  # fmt: skip
"""Units that have another name in another language, by their English stem."""
