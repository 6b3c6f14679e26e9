"""Word lists behind ``statements``: closed classes, kept apart from the code that reads them."""

from __future__ import annotations

from leadline.domain.text import stem


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATIONS = _set(
    """
    no not never none nobody nothing neither nor without cannot can't don't doesn't didn't isn't
    aren't wasn't weren't won't wouldn't couldn't shouldn't hasn't haven't hadn't
    deny denies denied false falsely untrue myth hoax
    falsch fälschlich bestritt bestreitet dementiert dementierte
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
    "未能",
    "否认",
    "并没",
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
    improved worsened, mandatory optional, free paid, start end, begin end, won lost, with without,
    maximum minimum, doubled halved,
    stieg sank, steigt sinkt, gestiegen gesunken, mindestens höchstens, minimal maximal, mehr
    weniger,
    größer kleiner, höher niedriger, höher tiefer, nördlich südlich, östlich westlich, geöffnet
    geschlossen, zunahme abnahme, anstieg rückgang, teurer billiger, gewann verlor
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

OPPOSITES_CJK = (
    ("上升", "下降"), ("增加", "减少"), ("增长", "下降"), ("增长", "减少"), ("上涨", "下跌"),
    ("至少", "至多"), ("最多", "最少"), ("最大", "最小"), ("最高", "最低"), ("高于", "低于"),
    ("以上", "以下"), ("超过", "不足"), ("开放", "关闭"), ("合法", "非法"), ("批准", "拒绝"),
)  # fmt: skip
"""The same for scripts without blanks, as they stand in a text."""

BOUNDS: dict[str, tuple[str, ...]] = {
    "least": (
        "at least", "more than", "over", "above", "no fewer than", "no less than", "mindestens",
        "mehr als", "über", "au moins", "plus de", "al menos", "más de", "超过", "至少",
    ),
    "most": (
        "at most", "less than", "fewer than", "up to", "under", "below", "no more than",
        "höchstens", "weniger als", "bis zu", "unter", "au plus", "moins de", "hasta", "不到",
        "至多",
    ),
    "about": (
        "about", "around", "roughly", "some", "nearly", "almost", "approximately", "circa", "rund",
        "etwa", "knapp", "ungefähr", "environ", "unos", "约", "大约", "近",
    ),
}  # fmt: skip
"""Words before a number that make it a bound or a rough value."""

CURRENCIES = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "₹": "rupee"}

UNIT_NAMES = {
    "个百分点": "point", "百分点": "point", "percent": "percent", "prozent": "percent",
    "pct": "percent",
    "usd": "dollar", "dollars": "dollar", "eur": "euro", "euros": "euro", "gbp": "pound",
    "pounds": "pound", "人次": "passenger", "人": "person", "元": "yuan", "克朗": "crown",
    "kronen": "crown", "fahrgäste": "passenger", "passagiere": "passenger", "jahre": "year",
    "jahren": "year", "年": "year", "tage": "day", "tagen": "day", "天": "day", "minuten": "minute",
    "分钟": "minute", "stunden": "hour", "小时": "hour", "吨": "tonne", "tonnen": "tonne",
}  # fmt: skip
"""Units that have another name in another language, by their English stem."""


def _measures(rows: str) -> dict[str, str]:
    lines = (line.split() for line in rows.strip().splitlines())
    return {stem(word.casefold()): line[0] for line in lines for word in line}


MEASURES = _measures(
    """
    percent prozent
    point prozentpunkte prozentpunkt 个百分点 百分点
    km kilometre kilometres kilometer kilometers kilometern 公里 千米
    m metre metres meter meters metern 米
    cm centimetre centimetres centimeter centimeters zentimeter 厘米
    mm millimetre millimetres millimeter millimeters 毫米
    mile miles meilen 英里
    second seconds sekunde sekunden 秒
    minute minutes minuten 分钟
    hour hours stunde stunden 小时
    day days tag tage tagen 天
    week weeks woche wochen
    month months monat monate monaten 个月
    year years jahr jahre jahren
    kg kilogram kilograms kilogramm 公斤 千克
    gram grams gramm
    tonne tonnes ton tons tonnen 吨
    watt watts
    kw kilowatt kilowatts 千瓦
    mw megawatt megawatts 兆瓦
    gw gigawatt gigawatts 吉瓦
    kwh
    mwh
    gwh
    twh
    dollar dollars usd
    euro euros eur
    pound gbp
    yen
    yuan rmb
    """
)
"""Unit of measure by each of its names, as stems: a number of one unit is none of another."""
