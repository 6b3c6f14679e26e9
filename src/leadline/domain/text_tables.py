"""Word lists behind ``text``: closed classes of words, kept apart from the code that reads them."""

from __future__ import annotations


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS = _set("""
    a about above after again all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further had has
    have having he her here hers him his how i if in into is it its itself just me more most my no
    nor not of off on once only or other our ours out over own s same she should so some such t than
    that the their theirs them then there these they this those through to too under until up very
    was we were what when where which while who whom whose why will with would you your yours
    """)

STOP_BIGRAMS = _set(
    "什么 如何 怎么 怎样 哪些 哪个 为何 是否 以及 关于 有关 我们 他们 这个 那个 一个 一种"
)

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    "en": _set("the of and is are what how which in to for with does do why when who"),
    "de": _set(
        "der die das und ist sind wie was welche für mit von den dem ein eine nicht auf im zu"
    ),
    "fr": _set(
        "le la les des et est sont quel quelle quels comment pour avec une dans du sur qui que"
    ),
    "es": _set("el los las y es son qué cómo cuál cuáles para con una en del por como más sobre"),
    "it": _set("il gli e è sono che come quali per con una nel della dei di più sono"),
    "pt": _set("o os as e é são que como quais para com uma em do da dos não mais"),
    "nl": _set("de het een en is zijn hoe wat welke voor met van niet op in te"),
}

ABBREVIATIONS = _set(
    """
    mr mrs ms dr prof sr jr st vs e.g i.e eg ie cf eq approx inc ltd co corp dept gen gov hon a.m
    p.m ph.d bzw z.b d.h u.a ca vgl bspw sig al
    """
)

NUMBERED_ABBREVIATIONS = _set(
    """
    no nos nr fig figs vol pp p art sec ch tab jan feb mar apr jun jul aug sep sept oct nov dec est
    """
)
"""Short forms only before a number: "no. 5", "Fig. 2", "Jan. 3"."""

NUMBER_WORDS: dict[str, str] = {
    "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6",
    "seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12",
    "thirteen": "13", "fourteen": "14", "fifteen": "15", "sixteen": "16", "seventeen": "17",
    "eighteen": "18", "nineteen": "19", "twenty": "20", "thirty": "30", "forty": "40",
    "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
    "hundred": "100", "thousand": "1000", "first": "1", "second": "2", "third": "3",
    "fourth": "4", "fifth": "5", "sixth": "6", "seventh": "7", "eighth": "8", "ninth": "9",
    "tenth": "10", "once": "1", "twice": "2", "half": "0.5", "dozen": "12",
    "一": "1", "二": "2", "两": "2", "三": "3", "四": "4", "五": "5", "六": "6", "七": "7",
    "八": "8", "九": "9", "十": "10", "百": "100", "千": "1000", "半": "0.5",
}  # fmt: skip

MONTHS: dict[str, str] = {
    "january": "1", "february": "2", "march": "3", "april": "4", "may": "5", "june": "6",
    "july": "7", "august": "8", "september": "9", "october": "10", "november": "11",
    "december": "12", "jan": "1", "feb": "2", "mar": "3", "apr": "4", "jun": "6", "jul": "7",
    "aug": "8", "sep": "9", "sept": "9", "oct": "10", "nov": "11", "dec": "12",
}  # fmt: skip

MULTIPLIERS: dict[str, int] = {
    "hundred": 2, "thousand": 3, "million": 6, "millions": 6, "billion": 9, "billions": 9,
    "trillion": 12, "trillions": 12, "bn": 9, "tausend": 3, "millionen": 6, "milliarde": 9,
    "milliarden": 9, "milliard": 9, "milliards": 9, "millones": 6, "mil": 3, "百": 2, "千": 3,
    "万": 4, "萬": 4, "十万": 5, "百万": 6, "千万": 7, "亿": 8, "億": 8, "十亿": 9,
}  # fmt: skip
"""Powers of ten that a word after a number stands for."""
