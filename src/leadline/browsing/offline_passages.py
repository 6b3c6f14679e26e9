"""Which passages the offline model records for an aspect. Pure.

A finding is a passage as it stands. It must state something (no heading, question, order, or
sentence about the page itself), speak of the aspect, and say what the run has not recorded yet.
Two sources that say the same with other numbers are both taken: one of them is wrong or old.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from leadline.browsing.offline_aspect import Aspect, Context, Weights, fit, names_in
from leadline.browsing.offline_words import (
    ABOUT_ITSELF,
    BOILERPLATE,
    DISAGREES,
    INSTRUCTION,
    REPLACES,
    akin,
    roots,
)
from leadline.browsing.state import WorkerState, host_of, passage_refs
from leadline.domain.conflicts import rival_values
from leadline.domain.evidence import Passage, PassageRef, Snapshot
from leadline.domain.text import numbers, shorten, split_sentences

FINDINGS_MOST = 8
FINDINGS_FEW = 5
CLAIM_CHARS = 400

_BEFORE_ORDERS = 1
_AFTER_ORDERS = 2
"""So many passages around an order to the reader count as part of it."""
_MOST = 0.6
_READ_FOR_NAMES = 400
_SAME_TEXT = 0.7
"""Share of common words from which two passages say the same."""
_TWIN_TEXT = 0.7
_TWIN_WORDS = 3
"""From so many common words, and this share of the shorter one's, two speak of one thing."""
_FLOOR = 0.25
_FLOOR_LATER = 0.4
"""What fits less than this share of the best is left out, and more so once a few are taken."""
_LEAST = 0.12
_PAGE = 0.3
"""What a passage gains on a page whose title is the aspect."""
_LEAD = 1.12
_FIRST = 2
"""The first sentences of a page say what it has to say."""
_OLD = 0.92
_ROW = 0.9
_SHORT = 6
_AGAIN = 0.5
"""A row or sentence whose numbers another passage of its source has stated already."""
_SAME_SOURCE = 0.78
_SAME_TABLE = 0.7
_TWIN = 1.5
_RIVAL = 0.4
"""How well a passage fits at least that contradicts what the run has recorded."""
_ENOUGH = 0.34
"""From this share of its words on, a part counts as spoken of."""

_UNIT = re.compile(
    r"\d[\d.,]*\s?(?:%|‰|°|[kmgt]?[wb]h?\b|[kmc]?m[²³]?\b|kg\b|ms\b|[万亿年月日元吨头次人分秒个条])"
    r"|\d[\d.,]* [^\W\d_]{3,}",
    re.IGNORECASE,
)
_DATE = re.compile(r"\b(?:19|20)\d\d\b|\d年")
_LEANS = re.compile(
    r"^(?:it|its|they|their|them|he|his|she|her|this|these|those|that|such|both|here|so|then|"
    r"the former|the latter|one of them|er|sie|es|dies|ello|esto)\b|^(?:它|他们|这|该)",
    re.IGNORECASE,
)
"""A sentence that leans on the one before it."""
_LOWER = re.compile(r"(?<!\w)[^\W\d_A-Z]{2,}(?!\w)")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True)
class Candidate:
    """A passage that may be recorded, and how well it fits each part of the aspect."""

    ref: PassageRef
    passage: Passage
    context: Context
    fits: tuple[float, ...]
    worth: float
    """What it states, whatever it is about: 1 for a plain sentence."""
    stated: frozenset[str]
    """Its numbers."""

    @property
    def is_row(self) -> bool:
        """A row of a table."""
        return " | " in self.passage.text

    @property
    def said(self) -> frozenset[str]:
        """Its words without its numbers."""
        return _words_only(self.context.text)

    def score(self, part: int) -> float:
        """For one part, above 0 when it fits at all."""
        return self.fits[part] * self.worth

    @property
    def best(self) -> float:
        """For the part that it fits best."""
        return max(self.score(part) for part in range(len(self.fits)))


@dataclass(frozen=True)
class _Said:
    """What was recorded already."""

    words: frozenset[str]
    numbers: frozenset[str]


def candidates(state: WorkerState, aspect: Aspect, recorded: Sequence[str] = ()) -> list[Candidate]:
    """Every shown passage that states something about the aspect, or against what is recorded."""
    found: list[tuple[PassageRef, Passage, Context]] = []
    titles = [roots(row.title) for row in state.rows]
    titles += [roots(shown.snapshot.source.title) for shown in state.shown.values()]
    fitting = on_subject(state, aspect)
    for ref, passage in passage_refs(list(state.shown.values())):
        snapshot = state.shown[ref.source].snapshot
        if ref.source not in fitting or not speaks(passage):
            continue
        context = Context(roots(passage.text), roots(passage.heading), roots(snapshot.source.title))
        if _is_title(context.text, titles) or _near_an_order(snapshot, ref.passage):
            continue
        found.append((ref, passage, context))
    weights = Weights([context.text for _, _, context in found])
    made = [_at_odds(_candidate(*item, aspect, weights), recorded) for item in found]
    return [candidate for candidate in _newest_first(made) if candidate.best >= _LEAST]


def _candidate(
    ref: PassageRef, passage: Passage, context: Context, aspect: Aspect, weights: Weights
) -> Candidate:
    near = fit(aspect.subject, context, weights)
    whole = fit(aspect.wanted, context, weights)
    page = fit(aspect.wanted, Context(context.title), weights)
    parts = aspect.parts or (aspect.subject,)
    value = worth(passage.text) * (1 + _PAGE * page) * (_LEAD if ref.passage <= _FIRST else 1.0)
    own = [fit(part, context, weights) for part in parts]
    return Candidate(
        ref=ref,
        passage=passage,
        context=context,
        fits=tuple(
            of_part and (0.7 * of_part + 0.3 * whole) * (0.85 + 0.15 * near) for of_part in own
        ),
        worth=value,
        stated=frozenset(numbers(passage.text)),
    )


def _at_odds(candidate: Candidate, recorded: Sequence[str]) -> Candidate:
    """The same, worth being recorded when it gives a recorded quantity another value."""
    if not any(rival_values(candidate.passage.text, claim) for claim in recorded):
        return candidate
    fits = tuple(max(fits, _RIVAL) for fits in candidate.fits)
    return replace(candidate, fits=fits, worth=candidate.worth * _TWIN)


def _newest_first(found: list[Candidate]) -> list[Candidate]:
    """The same, with what speaks of earlier years than its source can worth a little less."""
    newest: dict[int, int] = {}
    years = [max(map(int, _YEAR.findall(c.passage.text)), default=0) for c in found]
    for candidate, year in zip(found, years, strict=True):
        source = candidate.ref.source
        newest[source] = max(year, newest.get(source, 0))
    return [
        replace(c, worth=c.worth * _OLD) if 0 < year < newest[c.ref.source] else c
        for c, year in zip(found, years, strict=True)
    ]


def worth(text: str) -> float:
    """What a sentence states: numbers with units, dates, comparisons, sides; less when it leans."""
    value = 1.0
    if _UNIT.search(text):
        value *= 1.6
    elif numbers(text):
        value *= 1.35
    if " | " in text:
        value *= _ROW
    if _DATE.search(text):
        value *= 1.08
    if DISAGREES.search(text) or REPLACES.search(text):
        value *= 1.12
    if _LEANS.match(text):
        value *= 0.85 if len(text.split()) > _SHORT or ord(text[0]) >= 0x2E80 else 0.6
    return value


def speaks(passage: Passage) -> bool:
    """Whether a passage is a statement: long enough, no boilerplate, not about its own page."""
    text = passage.text.strip()
    dense = sum(ord(c) >= 0x2E80 for c in text)
    length = len(text) + 2 * dense
    is_sentence = text[-1] in '.!。！”"»）)' or " | " in text
    if length < 20 or (length < 80 and not is_sentence and not numbers(text)):
        return False
    if not dense and " | " not in text and len(_LOWER.findall(text)) < 2:
        return False  # a by-line, a list of names
    if "?" in text[-3:] or "？" in text[-2:] or text.endswith((":", "：")):
        return False
    if ABOUT_ITSELF.search(text) and not REPLACES.search(text):
        return False
    return not (BOILERPLATE.search(text) and len(text) < 400)


def on_subject(state: WorkerState, aspect: Aspect) -> set[int]:
    """The shown sources that speak of the subject.

    They have one of its names. Where a subject has other words beside its names, a source with
    most of those is taken as well, if it stands on the site of one that has the name or shares a
    proper name with it: a study of the ferry's noise need not say which ferry.
    """
    sources = {number: shown.snapshot for number, shown in state.shown.items()}
    named = {number for number, s in sources.items() if is_about(s, aspect.names)}
    others = aspect.subject - aspect.names
    if len(named) == len(sources) or len(others) < 2:
        return named
    hosts = {host_of(sources[number].source.url) for number in named}
    known = names_in(_whole(sources[number]) for number in named) | names_in([state.background])
    for row in state.rows:
        text = f"{row.title}. {row.snippet}"
        if aspect.names & roots(text):
            hosts.add(row.host)
            known |= names_in([text])
    for number, snapshot in sources.items():
        if number in named or len(others & roots(_whole(snapshot))) < _MOST * len(others):
            continue
        if host_of(snapshot.source.url) in hosts or names_in([_whole(snapshot)]) & known:
            named.add(number)
    return named


def is_about(snapshot: Snapshot, named: frozenset[str]) -> bool:
    """Whether a source has one of the names; without names every source does."""
    return not named or bool(named & roots(_whole(snapshot)))


def _whole(snapshot: Snapshot) -> str:
    texts = [passage.text for passage in snapshot.passages[:_READ_FOR_NAMES]]
    return "\n".join([snapshot.source.title, *texts])


def _is_title(text: frozenset[str], titles: Iterable[frozenset[str]]) -> bool:
    """Whether a line is the title of a page, as lists of links have it."""
    return any(title and len(text & title) >= 0.8 * len(text) and len(text) <= len(title) + 3
               for title in titles)  # fmt: skip


def _near_an_order(snapshot: Snapshot, number: int) -> bool:
    """Whether a passage is an order to whoever reads the page, or stands next to one."""
    first = max(0, number - 1 - _AFTER_ORDERS)
    around = snapshot.passages[first : number + _BEFORE_ORDERS]
    return any(INSTRUCTION.search(passage.text) for passage in around)


def choose(found: Sequence[Candidate], aspect: Aspect, recorded: Sequence[str]) -> list[Candidate]:
    """The passages to record, best first: of each part some, of several sources, none twice."""
    known = [_Said(roots(claim), frozenset(numbers(claim))) for claim in recorded]
    new = [
        _against(c, known) for c in found if not any(_same(c, k.words, k.numbers) for k in known)
    ]
    picks = _spread(new, len(aspect.parts) or 1)
    if not any(answers(pick, aspect) for pick in picks):
        # What others recorded may be all there is: then it answers this question as well.
        again = sorted((c for c in found if answers(c, aspect)), key=lambda c: -c.best)
        picks = [*again[:1], *(pick for pick in picks if pick not in again[:1])]
    return picks[:FINDINGS_MOST]


def answers(candidate: Candidate, aspect: Aspect) -> bool:
    """Whether it speaks clearly of a part, and not only by the title that it stands under."""
    heading = candidate.context.text | candidate.context.heading
    if not aspect.parts:
        return len(aspect.subject & candidate.context.all) * 2 >= len(aspect.subject)
    return any(
        fits >= _ENOUGH and (part & heading or fit(part, Context(heading), Weights([heading])) > 0)
        for part, fits in zip(aspect.parts, candidate.fits, strict=True)
    )


def _same(candidate: Candidate, said: frozenset[str], stated: frozenset[str]) -> bool:
    have = candidate.context.text
    return candidate.stated == stated and _overlap(have, said) >= _SAME_TEXT


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    both = one | other
    return len(one & other) / len(both) if both else 1.0


def _spread(found: Sequence[Candidate], parts: int) -> list[Candidate]:
    """Part by part in turn, the best that is left; what repeats a source or table weighs less."""
    left = sorted(found, key=lambda c: (-c.best, c.ref.source, c.ref.passage))
    tops = [max((c.score(part) for c in left), default=0.0) for part in range(parts)]
    picks: list[Candidate] = []
    closed: set[int] = set()
    turn = 0
    while left and len(picks) < FINDINGS_MOST and len(closed) < parts:
        part = turn % parts
        turn += 1
        if part in closed:
            continue
        best = max(left, key=lambda c: _now(c, part, picks))
        value = _now(best, part, picks)
        few = len(picks) < FINDINGS_FEW
        if value < max(_LEAST, tops[part] * (_FLOOR if few else _FLOOR_LATER)):
            closed.add(part)
            continue
        left.remove(best)
        if not any(_same(best, p.context.text, p.stated) for p in picks):
            picks.append(best)
    return picks


def _now(candidate: Candidate, part: int, picks: Sequence[Candidate]) -> float:
    """Its score beside what is taken already."""
    value = candidate.score(part)
    twin = False
    for pick in picks:
        if pick.ref.source == candidate.ref.source:
            value *= _SAME_SOURCE
            if candidate.stated and candidate.stated <= pick.stated:
                value *= _AGAIN
            if (
                pick.is_row
                and candidate.is_row
                and pick.passage.heading == candidate.passage.heading
            ):
                value *= _SAME_TABLE
        elif _is_twin(candidate, _words_only(pick.context.text), pick.stated):
            twin = True
    return value * _TWIN if twin else value


def _against(candidate: Candidate, known: Sequence[_Said]) -> Candidate:
    """The same, worth more when it says something recorded with other numbers."""
    if any(_is_twin(candidate, _words_only(k.words), k.numbers) for k in known):
        return replace(candidate, worth=candidate.worth * _TWIN)
    return candidate


def _is_twin(candidate: Candidate, said: frozenset[str], stated: frozenset[str]) -> bool:
    """Whether it says the same with other numbers."""
    if not candidate.stated or not stated or candidate.stated <= stated:
        return False
    own = candidate.said
    common = sum(word in said or not akin(word).isdisjoint(said) for word in own)
    if common == len(own) > 1:  # a short sentence, all of it about what the other says
        return True
    return common >= _TWIN_WORDS and common >= _TWIN_TEXT * min(len(own), len(said))


def _words_only(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if not word[0].isdigit())


def claim_of(passage: Passage, aspect: Aspect) -> str:
    """The passage itself, or of a long one the sentence that speaks most of the aspect."""
    text = passage.text
    if len(text) <= CLAIM_CHARS:
        return shorten(text, CLAIM_CHARS)
    sentences = split_sentences(text) or [text]
    best = max(sentences, key=lambda s: len(roots(s) & aspect.wanted))
    return shorten(best, CLAIM_CHARS)
