"""What code can say of a claim, whoever made it: is it carried by its own passages?

It never finds a claim *supported*: it finds what is wrong with it, and how much of it stands in
its passages in so many words. Runs on every claim at every level of verification.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leadline.domain.claims import Claim
from leadline.domain.evidence import Passage, Snapshot
from leadline.domain.statement_tables import MEASURES, OPPOSITES, OPPOSITES_CJK
from leadline.domain.statements import Statement, negations, quantities, read_statement
from leadline.domain.text import detect_language, numbers, numbers_said, stem, terms

CLAUSE_COVERS = 0.6
"""Share of a claim's words that a clause must hold to be the one that it restates."""

SAME_TONGUE = 0.6
"""Share of common words from which two texts are in one language, whatever they look like."""

_UNSPACED = frozenset({"zh", "ja", "ko", "th"})
_PAIRS_SHARE = 1.5
"""Where words are pairs of letters, a paraphrase shares fewer of them: coverage counts for more."""

_CLAUSE = re.compile(
    r"[,;:—–，；：]|\b(?:but|while|whereas|although|though|aber|während|mais|pero)\b|但|而",
    re.IGNORECASE,
)

_YEARLY = re.compile(
    r"[,;，；。！？\n]|(?<=[.!?])\s+|\b(?:and|but|while|und|aber|während)\b|和|而", re.IGNORECASE
)
_TOKEN = re.compile(
    r"(?:(?<!\w)[-−])?\d+(?:[.,'’:]\d+)*|[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u3040-\u30ff\u3400-\u9fff]+|[%％‰°$€£¥₹]"
)


@dataclass(frozen=True)
class CodeCheck:
    """``problems`` are sentences, empty when nothing speaks against the claim. ``coverage`` is the
    share (0 to 1) of the claim's words that stand in its passages; 1 across languages, where words
    cannot be compared. ``verbatim``: the claim is a part of a passage as it stands there."""

    problems: tuple[str, ...] = ()
    coverage: float = 0.0
    verbatim: bool = False
    comparable: bool = True
    """Whether claim and passages are in one language, so that words can be compared."""


def check_in_code(
    claim: Claim,
    snapshot: Callable[[int], Snapshot | None],
    *,
    wall: Callable[[Snapshot], str | None],
) -> CodeCheck:
    """Check one claim against the store.

    ``snapshot`` gives a stored source, or None when it is gone or its text no longer hashes to
    what was recorded; ``wall`` names the wall that a stored page is, if it is one.
    """
    problems: list[str] = []
    shown: list[Passage] = []
    about: list[str] = []
    for number in claim.sources:
        stored = snapshot(number)
        if stored is None:
            problems.append(f"The stored text of source {number} is gone or was changed.")
        elif reason := wall(stored):
            problems.append(f"Source {number} is a wall page ({reason}), not evidence.")
        else:
            about.append(f"{stored.source.title} {stored.source.site} {stored.source.date}")
    for ref, quote in zip(claim.passages, claim.quotes, strict=True):
        stored = snapshot(ref.source)
        passage = stored.passage(ref.passage) if stored else None
        if passage is None:
            problems.append(f"Passage {ref} is not stored.")
        elif passage.text != quote:
            problems.append(f"The quote of passage {ref} is not what is stored there.")
        else:
            shown.append(passage)
    if problems:
        return CodeCheck(tuple(dict.fromkeys(problems)))
    about += [passage.heading for passage in shown]
    return compare_words(claim.text, [p.text for p in shown], "\n".join(about))


def compare_words(text: str, quotes: Sequence[str], context: str = "") -> CodeCheck:
    """Hold one statement against the passages that it cites.

    ``context`` is what may be named beside them: headings, title, author and date of the sources.
    """
    statement = read_statement(text)
    quoted = "\n".join(quotes)
    known_text = f"{quoted}\n{context}"
    if any(_stands_in(text, quote) for quote in quotes):
        # A part may leave out what denies it ("no report says that …").
        return CodeCheck(tuple(_denial(statement, quoted)), 1.0, verbatim=True)
    problems: list[str] = []
    added = sorted(numbers(text) - numbers_said(known_text))
    if added:
        problems.append(f"It states {', '.join(added[:5])}, which its passages do not.")
    problems += _other_unit(statement, known_text) + _other_year(statement, quoted)
    known, own = terms(known_text), terms(text)
    if detect_language(quoted) != statement.language and len(own & known) < SAME_TONGUE * len(own):
        return CodeCheck(tuple(problems), 1.0, comparable=False)
    strange = sorted(n for n in statement.names if not terms(n) <= known)
    if strange:
        problems.append(f"It names {', '.join(strange[:5])}, which its passages do not.")
    problems += _polarity(statement, quoted)
    coverage = len(own & known) / len(own) if own else 0.0
    if statement.language in _UNSPACED:
        coverage = min(1.0, coverage * _PAIRS_SHARE)
    return CodeCheck(tuple(problems), coverage)


def _polarity(statement: Statement, quoted: str) -> list[str]:
    """Whether the claim turns what its passages say into the opposite."""
    said = {stem(w) for w in re.findall(r"[^\W\d_]+", quoted.casefold())}
    turned = sorted(
        word for word in statement.opposites - said if OPPOSITES[word] & said - statement.opposites
    )
    if turned:
        return [f"It says “{turned[0]}” where its passages say the opposite."]
    for pair in OPPOSITES_CJK:
        ours, theirs = ([w for w in pair if w in text] for text in (statement.text, quoted))
        if len(ours) == len(theirs) == 1 and ours != theirs:
            return [f"It says “{ours[0]}” where its passages say the opposite."]
    return _denial(statement, quoted)


def _denial(statement: Statement, quoted: str) -> list[str]:
    """Whether it denies what the clause that it restates affirms, or the other way round."""
    own = terms(statement.text)
    clauses = [c for c in _CLAUSE.split(quoted) if c.strip()] + re.split(
        r"(?<=[.!?。！？])", quoted
    )
    best = max(clauses, key=lambda c: len(own & terms(c)), default="")
    covers = len(own & terms(best)) / len(own) if own else 0.0
    if statement.language in _UNSPACED:
        covers *= _PAIRS_SHARE
    if covers >= CLAUSE_COVERS and (negations(best) % 2 == 1) != statement.denies:
        return ["It denies what its passages say, or affirms what they deny."]
    if statement.denies and not negations(quoted):
        return ["It denies what its passages do not."]
    return []


def _other_unit(statement: Statement, quoted: str) -> list[str]:
    """Whether a number is given in another unit of measure than its passages give it in."""
    given: dict[str, set[str]] = {}
    for quantity in quantities(quoted):
        given.setdefault(quantity.value, set()).add(_measure(quantity.unit))
    for quantity in statement.quantities:
        unit, known = _measure(quantity.unit), given.get(quantity.value)
        if unit and known and "" not in known and unit not in known:
            return [f"It gives {quantity.value} in another unit than its passages."]
    return []


def _measure(unit: str) -> str:
    """The unit of measure by one name, empty when it is none."""
    return MEASURES.get(unit.removesuffix(" difference"), "")


def _other_year(statement: Statement, quoted: str) -> list[str]:
    """Whether its one number is given for a year for which its passages give another one."""
    values = {q.value for q in statement.quantities if q.unit not in ("clock", "date")}
    if len(values) != 1 or len(statement.years) != 1:
        return []
    clauses = [read_statement(c) for c in _YEARLY.split(quoted) if c.strip()]
    giving = [c for c in clauses if values <= numbers_said(c.text)]
    if not giving or any(not c.years or statement.years <= c.years for c in giving):
        return []
    units = {q.unit for q in statement.quantities}
    if any(statement.years <= c.years and units & {q.unit for q in c.quantities} for c in clauses):
        (year,) = statement.years
        return [f"Its passages give another number for {year}."]
    return []


def _stands_in(text: str, quote: str) -> bool:
    """Whether a text is a part of a quote, word for word and number for number."""
    own, there = _tokens(text), _tokens(quote)
    return bool(own) and f" {' '.join(own)} " in f" {' '.join(there)} "


def _tokens(text: str) -> list[str]:
    """Words, each CJK letter, and numbers with their signs, without blanks and quotation marks."""
    return _TOKEN.findall(text.casefold())
