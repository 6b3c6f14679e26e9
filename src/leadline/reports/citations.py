"""Which sentences of a section may stand.

Invariant (fail closed): a sentence stays when the claims it cites are among those that the section
may use and their stored passages carry its numbers, its quotations and its subject; or when it
says nothing that could be false (a heading, the lead-in of a list, a short connecting sentence).
Everything else is dropped and counted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from leadline.domain.claim_check import compare_words
from leadline.domain.claims import Claim
from leadline.domain.evidence import Source
from leadline.domain.text import detect_language, numbers, numbers_said, terms, words
from leadline.reports.connectives import CONNECTIVES, CONNECTIVES_CJK
from leadline.reports.escape import CITE_CLOSE, CITE_OPEN, escape_inline, host_of
from leadline.reports.section_text import (
    CITE,
    CITE_RUN,
    Block,
    cleaned,
    parse_section,
    render_blocks,
)

MAX_CONNECTING_WORDS = 8
MAX_CONNECTING_CJK = 16
MIN_COVERAGE = 0.4
"""Share of a sentence's words that its claims, their passages or sources must hold."""
_REPEATED = 0.85
"""Share of common words from which two sentences on the same claim are one."""

_DOMAIN = re.compile(
    r"\b(?:[a-z0-9-]+\.)+(?:com|org|net|edu|gov|io|info|co|ai|dev|app|eu|uk|de|fr|cn|jp|example)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=\s)[(“\"']?[A-ZÀ-ÖØ-ÞА-Я][\w-]*")
_QUOTATION = re.compile(r"“([^“”]+)”|«([^«»]+)»|「([^「」]+)」|『([^『』]+)』|\"([^\"]+)\"")
_WHOLE = (".", "!", "?", "…", ":", "。", "！", "？", "：", "؟", "।")
"""Ends of a sentence that did not break off."""
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True)
class Dropped:
    """How much of a section was taken out, by reason."""

    unknown_ids: int = 0
    links: int = 0
    """Links, images, addresses and HTML that the model wrote."""
    uncited: int = 0
    """Factual sentences without a citation."""
    unsupported: int = 0
    """Sentences with a number, quotation or subject that their passages do not have."""
    repeated: int = 0

    @property
    def sentences(self) -> int:
        """Sentences that were dropped for any reason."""
        return self.uncited + self.unsupported + self.repeated

    def __add__(self, other: Dropped) -> Dropped:
        return Dropped(
            self.unknown_ids + other.unknown_ids,
            self.links + other.links,
            self.uncited + other.uncited,
            self.unsupported + other.unsupported,
            self.repeated + other.repeated,
        )


@dataclass(frozen=True)
class CheckedText:
    """A section that may be printed: its blocks, with citations as marked claim ids."""

    blocks: tuple[Block, ...] = ()
    dropped: Dropped = field(default_factory=Dropped)

    @property
    def text(self) -> str:
        """Markdown with ``[c3]`` for citations, as it stands before numbering."""
        return render_blocks(self.blocks, _with_ids)

    @property
    def cited(self) -> tuple[str, ...]:
        """Ids of the claims that are cited, in order of appearance."""
        ids = (i for b in self.blocks for s in b.sentences for i in _ids(b, s))
        return tuple(dict.fromkeys(ids))

    @property
    def is_empty(self) -> bool:
        """Whether nothing that cites anything is left."""
        return not self.cited


def _ids(block: Block, sentence: str) -> list[str]:
    return [] if block.kind == "code" else CITE.findall(sentence)


def _with_ids(pieces: Sequence[str]) -> tuple[str, ...]:
    return tuple(CITE.sub(r"[\1]", escape_inline(piece)) for piece in pieces)


def check_section(
    text: str, claims: Sequence[Claim], sources: Mapping[int, Source] | None = None
) -> CheckedText:
    """What of a model's section may stand, given the claims it was written from.

    With ``sources`` a sentence may also name title, site, author and date of what it cites. Takes
    any text and never raises. Ids of other sections count as unknown.
    """
    parsed = parse_section(text)
    judge = _Judge({c.id: _Evidence(c, sources or {}) for c in claims})
    kept = [checked for block in parsed.blocks if (checked := judge.block(block))]
    dropped = judge.dropped + Dropped(links=parsed.links)
    return CheckedText(_tidied(kept), dropped)


class _Evidence:
    """What the passages of one claim say, in the forms that sentences are compared with."""

    def __init__(self, claim: Claim, sources: Mapping[int, Source]) -> None:
        cited = {ref.source: sources[ref.source] for ref in claim.passages if ref.source in sources}
        about = [
            part
            for source in cited.values()
            for part in (source.title, source.site, source.author, source.date, host_of(source.url))
        ]
        quoted = "\n".join(claim.quotes)
        self.text = "\n".join((quoted, claim.text, *about))
        self.quotes = claim.quotes
        self.claim = claim.text
        self.numbers = numbers_said("\n".join((quoted, *about)))
        self.flat = _flat(quoted) + "\n" + _flat(CITE_RUN.sub("", cleaned(quoted)[0]))
        self.terms = terms(self.text)


class _Judge:
    """Decides on the sentences of one section and counts what it drops."""

    def __init__(self, claims: Mapping[str, _Evidence]) -> None:
        self.claims = claims
        self.dropped = Dropped()
        self.numbers = set[str]().union(*(e.numbers for e in claims.values()))
        self.terms = set[str]().union(*(e.terms for e in claims.values()))
        self.text = " ".join(" ".join(e.text for e in claims.values()).split()).casefold()

    def block(self, block: Block) -> Block | None:
        """The block with what may stand, or None."""
        match block.kind:
            case "code":
                return self._code(block)
            case "heading" | "table":
                return self._head(block)
            case "row":
                return self._row(block)
            case _:
                kept = [s for raw in block.sentences if (s := self._sentence(raw))]
                return replace(block, sentences=tuple(kept)) if kept else None

    def _code(self, block: Block) -> Block | None:
        """Code stays when it stands in the evidence line by line."""
        if all(" ".join(line.split()).casefold() in self.text for line in block.sentences):
            return block
        self.dropped += Dropped(uncited=1)
        return None

    def _head(self, block: Block) -> Block | None:
        cells = tuple(CITE_RUN.sub("", cell).strip() for cell in block.sentences)
        text = " ".join(cells)
        if numbers(text) <= self.numbers and len(words(text)) <= 24:
            return replace(block, sentences=cells)
        self.dropped += Dropped(unsupported=1)
        return None

    def _row(self, block: Block) -> Block | None:
        """A table row is one statement: its citation may stand in any cell."""
        cells = tuple(self._known(cell) for cell in block.sentences)
        whole = " ".join(cells)
        ids = CITE.findall(whole)
        if not ids:
            self.dropped += Dropped(uncited=1)
            return None
        if not self._supported(CITE_RUN.sub("", whole), ids):
            self.dropped += Dropped(unsupported=1)
            return None
        return replace(block, sentences=cells)

    def _known(self, text: str) -> str:
        """The text without ids that are no claim of this section, each id once."""
        seen: set[str] = set()

        def keep(match: re.Match[str]) -> str:
            if match[1] not in self.claims:
                self.dropped += Dropped(unknown_ids=1)
                return ""
            if match[1] in seen:
                return ""
            seen.add(match[1])
            return f"{CITE_OPEN}{match[1]}{CITE_CLOSE}"

        cleaned = CITE.sub(keep, text)
        return re.sub(r"\s+([.,;:!?])", r"\1", " ".join(cleaned.split()))

    def _sentence(self, raw: str) -> str:
        """The sentence as it may stand, or an empty string."""
        sentence = self._known(raw)
        plain = CITE_RUN.sub("", sentence).strip()
        if not re.search(r"\w", plain):
            return ""
        ids = CITE.findall(sentence)
        if not ids:
            if self._connects(plain):
                return sentence
            self.dropped += Dropped(uncited=1)
            return ""
        if not self._supported(plain, ids) or self._adds(sentence, ids):
            self.dropped += Dropped(unsupported=1)
            return ""
        return sentence

    def _adds(self, sentence: str, ids: Sequence[str]) -> bool:
        """Whether a part of a sentence, behind a citation or a semicolon, is of something else."""
        known = set[str]().union(*(self.claims[i].terms for i in ids)) | CONNECTIVES
        said = "\n".join(self.claims[i].text for i in ids)
        if detect_language(said) != detect_language(CITE_RUN.sub("", sentence)):
            return False
        parts = (terms(part) for part in re.split(rf"{CITE_RUN.pattern}|[;；]", sentence))
        return any(len(part) >= 2 and part.isdisjoint(known) for part in parts)

    def _connects(self, plain: str) -> bool:
        """Whether an uncited sentence states nothing that could be false.

        It is whole, short and holds no number and no quotation; a lead-in (ending in a colon)
        speaks of what the claims speak of, any other sentence is made of connecting words alone.
        """
        if any(c.isdigit() for c in plain) or _QUOTATION.search(plain) or _DOMAIN.search(plain):
            return False
        if not plain.rstrip("*_ )）").endswith(_WHOLE):
            return False
        cjk = len(_CJK.findall(plain))
        if cjk > MAX_CONNECTING_CJK or len(plain.split()) > MAX_CONNECTING_WORDS:
            return False
        own = terms(plain)
        if plain.rstrip("*_ ").endswith((":", "：")):
            return own - CONNECTIVES <= self.terms if not cjk else self._names_known(plain)
        if cjk:
            rest = plain
            for phrase in CONNECTIVES_CJK:
                rest = rest.replace(phrase, "")
            return not _CJK.search(rest)
        return not _NAME.search(plain) and own <= CONNECTIVES

    def _names_known(self, plain: str) -> bool:
        names = {term for name in _NAME.findall(plain) for term in terms(name)}
        return names <= self.terms

    def _supported(self, plain: str, ids: Iterable[str]) -> bool:
        """Whether the passages of the cited claims carry what the sentence says."""
        cited = [self.claims[i] for i in ids]
        stated = numbers(plain)
        if not stated <= set[str]().union(*(e.numbers for e in cited)):
            return False
        for groups in _QUOTATION.findall(plain):
            quotation = "".join(groups)
            long = len(quotation.split()) >= 4 or len(_CJK.findall(quotation)) >= 8
            if long and not any(_flat(quotation) in e.flat for e in cited):
                return False
        said = "\n".join(e.text for e in cited)
        if any(m.casefold() not in said.casefold() for m in _DOMAIN.findall(plain)):
            return False
        found = compare_words(plain, [q for e in cited for q in e.quotes], said)
        if not found.comparable:  # then the claims may be in its language, and they were checked
            tongue = detect_language(plain)
            restated = [e.claim for e in cited if detect_language(e.claim) == tongue]
            if len(restated) == len(cited):
                found = compare_words(plain, restated, said)
        return not found.problems and found.coverage >= MIN_COVERAGE


def _flat(text: str) -> str:
    """Letters and digits alone: quotation marks and blanks differ between writers."""
    return "".join(c for c in text.casefold() if c.isalnum())


def _tidied(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Blocks without heads, lead-ins and connecting sentences that nothing follows."""
    kept: list[Block] = []
    for block in reversed(blocks):
        follower = kept[-1] if kept else None
        has_cite = any(_ids(block, s) for s in block.sentences)
        if block.kind == "heading" and (follower is None or follower.kind == "heading"):
            continue
        if block.kind == "table" and (follower is None or follower.kind != "row"):
            continue
        if not has_cite and block.kind in ("paragraph", "item", "quote"):
            lead_in = block.sentences[-1].rstrip("*_ ").endswith((":", "："))
            if follower is None or (lead_in and follower.kind not in ("item", "table", "quote")):
                continue
        kept.append(block)
    kept.reverse()
    # A row whose head was dropped would be loose text.
    return tuple(
        b if b.kind != "row" or (i and kept[i - 1].kind in ("table", "row")) else _as_item(b)
        for i, b in enumerate(kept)
    )


def _as_item(row: Block) -> Block:
    return Block("item", (" · ".join(cell for cell in row.sentences if cell),), "-")


@dataclass(frozen=True)
class Deduplicated:
    """A section without its repeats; ``told_in``: the sections that said them, by place."""

    text: CheckedText
    told_in: tuple[int, ...] = ()


def drop_repeats(
    sections: Sequence[CheckedText], restating: Collection[int] = ()
) -> list[Deduplicated]:
    """The sections without sentences that say again what an earlier one says of a claim.

    Sections at the places ``restating`` (a summary, a conclusion) may say it in other words: there
    and against them only the same words count as a repeat.
    """
    memory = _Memory()
    result: list[Deduplicated] = []
    for place, section in enumerate(sections):
        told: dict[int, None] = {}
        repeated = 0
        blocks: list[Block] = []
        for block in section.blocks:
            if block.kind in ("heading", "table", "row", "code"):
                blocks.append(block)
                continue
            kept: list[str] = []
            for sentence in block.sentences:
                earlier = memory.said_in(sentence, place, restates=place in restating)
                if earlier is None:
                    kept.append(sentence)
                else:
                    told[earlier] = None
                    repeated += 1
            if kept:
                blocks.append(replace(block, sentences=tuple(kept)))
        dropped = section.dropped + Dropped(repeated=repeated)
        text = CheckedText(_tidied(blocks) if repeated else section.blocks, dropped)
        result.append(Deduplicated(text, tuple(told)))
    return result


class _Memory:
    """What was said of each claim so far, and in which section."""

    def __init__(self) -> None:
        self._words: dict[str, list[tuple[set[str], int]]] = {}
        self._exactly: dict[tuple[str, str], int] = {}

    def said_in(self, sentence: str, place: int, *, restates: bool) -> int | None:
        """The place of the section that said it before; None, and remembered, when none did."""
        ids = CITE.findall(sentence)
        if not ids:
            return None
        plain = CITE_RUN.sub("", sentence)
        letters = "".join(c for c in plain.casefold() if c.isalnum())
        for claim_id in ids:
            if (claim_id, letters) in self._exactly:
                return self._exactly[claim_id, letters]
        own = terms(plain)
        if not restates:
            for claim_id in ids:
                for other, where in self._words.get(claim_id, ()):
                    if len(own & other) >= _REPEATED * len(own | other):
                        return where
            for claim_id in ids:
                self._words.setdefault(claim_id, []).append((own, place))
        self._exactly.update({(claim_id, letters): place for claim_id in ids})
        return None
