"""What a model sees of claims, in full or fitted into a budget; see ``domain.compression``."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from leadline.domain.compression import ALSO, Compressed, Item, also_line, compress
from leadline.domain.ranking import rank
from leadline.domain.text import estimate_tokens, shorten, split_sentences
from leadline.models.answer_schema import beginning

_SENTENCE_CHARS = 400
_DIGEST_LINE = re.compile(r"^- (.*) \[([A-Za-z]\d+)\]$")


class ClaimView(BaseModel):
    """What a writer sees of a claim."""

    model_config = ConfigDict(frozen=True)

    id: str
    claim: str
    quotes: tuple[str, ...] = ()
    site: str = ""
    title: str = ""
    date: str = ""
    state: str = Field("", description="What the checks came to; empty: supported.")
    why: str = Field("", description="Why it is not supported.")
    against: tuple[str, ...] = Field((), description="Claims it contradicts.")
    superseded_by: str = Field("", description="A newer claim that replaces it.")
    source: int = Field(0, exclude=True, description="Number of its source; shown with bare ids.")


def claim_line(claim: ClaimView) -> str:
    """One claim as one JSON line: its text cannot fake another claim's start."""
    fields = claim.model_dump(exclude_defaults=True)
    return json.dumps(fields, ensure_ascii=False)


def fit_claims(
    claims: Sequence[ClaimView], query: str, tokens: int
) -> tuple[tuple[ClaimView, ...], tuple[tuple[str, int], ...], Compressed]:
    """The claims as they fit into ``tokens``, and (id, source) of those that do not at all.

    First quotes are cut to their most relevant sentence, then to one short one, then to none; then
    the claim is cut, and what says where it is from.
    """
    if sum(estimate_tokens(claim_line(c) + "\n") for c in claims) <= tokens:
        return tuple(claims), (), Compressed((0,) * len(claims))
    forms = [_forms(claim, query) for claim in claims]
    items = [
        Item(c.id, c.source, " ".join((c.claim, *c.quotes)), tuple(map(claim_line, views)))
        for c, views in zip(claims, forms, strict=True)
    ]
    chosen = compress(items, query, tokens)
    shown: list[ClaimView] = []
    named: list[tuple[str, int]] = []
    for level, claim, views in zip(chosen.levels, claims, forms, strict=True):
        if level < len(views):
            shown.append(views[level])
        else:
            named.append((claim.id, claim.source))
    return tuple(shown), tuple(named), chosen


def fit_digest(digest: str, query: str, tokens: int) -> tuple[str, str]:
    """A digest (``- claim [f1]`` a line) as it fits into ``tokens``, and a note on what was cut."""
    if estimate_tokens(digest) <= tokens:
        return digest, ""
    matches = [_DIGEST_LINE.match(line) for line in digest.splitlines()]
    rest = [line for line, m in zip(digest.splitlines(), matches, strict=True) if not m]
    also = next((line.removeprefix(ALSO) for line in rest if line.startswith(ALSO)), "")
    room = tokens - (estimate_tokens(f"{also}; ") if also else 0)
    items = [Item(m[2], 0, m[1], digest_forms(m[1], m[2])) for m in matches if m]
    if not items:
        return beginning(digest, tokens), "The digest was cut to fit the model's context."
    chosen = compress(items, query, room)
    pairs = list(zip(chosen.levels, items, strict=True))
    lines = [item.forms[level] for level, item in pairs if level < len(item.forms)]
    named = also_line((item.id, 0) for level, item in pairs if level == len(item.forms))
    if also:
        named = f"{named}; {also}" if named else f"{ALSO}{also}"
    return "\n".join([*lines, *([named] if named else [])]), chosen.note()


def digest_forms(claim: str, name: str) -> tuple[str, ...]:
    """A finding's line in a digest, the full one first."""
    return tuple(f"- {shorten(claim, chars)} [{name}]" for chars in (240, 120, 60))


def _forms(claim: ClaimView, query: str) -> list[ClaimView]:
    wanted = f"{query} {claim.claim}"
    sentences = tuple(_best_sentence(quote, wanted) for quote in claim.quotes)
    best = next((sentences[i] for i, _ in rank(wanted, sentences)), "")
    title, site = shorten(claim.title, 80), shorten(claim.site, 60)
    quotes = (shorten(best, 160),) if best else ()
    return [
        claim,
        claim.model_copy(update={"quotes": sentences}),
        _with(claim, 300, 120, quotes=quotes, title=title, site=site),
        _with(claim, 160, 60, quotes=(), title="", site=site),
        _with(claim, 80, 0, quotes=(), title="", site=""),
    ]


def _with(claim: ClaimView, chars: int, why_chars: int, **fields: object) -> ClaimView:
    text, why = shorten(claim.claim, chars), shorten(claim.why, why_chars)
    date = shorten(claim.date, 20)
    return claim.model_copy(update={"claim": text, "why": why, "date": date, **fields})


def _best_sentence(quote: str, query: str) -> str:
    sentences = split_sentences(quote) or [quote]
    best = next((sentences[i] for i, _ in rank(query, sentences)), sentences[0])
    return shorten(best, _SENTENCE_CHARS)
