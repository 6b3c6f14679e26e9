"""A section as a model wrote it, taken apart into blocks of sentences.

Invariant: what comes out holds no link, image, address or HTML of the model's own, and citations
only as marked claim ids (``\\ue000c3\\ue001``). Time is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from leadline.domain.text import split_sentences
from leadline.reports.escape import CITE_CLOSE, CITE_OPEN, CODE_SPAN, guard_start
from leadline.reports.texts import STATE_WORDS

MAX_SECTION_CHARS = 200_000
"""More of an answer is not read: a section has a few hundred words."""

Kind = Literal["heading", "item", "paragraph", "quote", "table", "row", "code"]


@dataclass(frozen=True)
class Block:
    """A piece of a section. ``sentences`` are cells for a table's head and rows."""

    kind: Kind
    sentences: tuple[str, ...]
    marker: str = ""
    """``-`` or ``1.`` of an item."""
    depth: int = 0
    """How deep an item is nested, from 0."""


@dataclass
class ParsedSection:
    """Blocks of a section and how many links, images and tags were taken out."""

    blocks: list[Block] = field(default_factory=list)
    links: int = 0


CITE = re.compile(f"{CITE_OPEN}([cf]\\d+){CITE_CLOSE}")
"""A claim's id, or a finding's, which nothing cites: it is taken out as unknown."""
CITE_RUN = re.compile(f"(?:{CITE_OPEN}[cf]\\d+{CITE_CLOSE}\\s*)*{CITE_OPEN}[cf]\\d+{CITE_CLOSE}")

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_RULE = re.compile(r"\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,}|=+)$")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*)")
_BOLD_LINE = re.compile(r"\s{0,3}\*\*([^*]{1,100})\*\*:?\s*$")
_ITEM = re.compile(r"([ \t]*)([-*+•]|\d{1,3}[.)])\s+(.*)")
_QUOTE = re.compile(r"\s{0,3}(?:>\s?)+(.*)")
_DEFINITION = re.compile(r"\s{0,3}\[[^\]\n]{1,200}\]:\s*<?(?:\S{1,20}://|www\.)")

_ACTIVE = re.compile(
    r"<(script|style|iframe|svg|object|embed|template|noscript|math|title|textarea)\b",
    re.IGNORECASE,
)
_BOX = re.compile(
    r"</?(?:details|summary|aside|section|article)(?:\s[^<>]{0,1000})?>", re.IGNORECASE
)
"""Tags of a text apart: without them it would be a part of the next sentence."""
_TAG = re.compile(r"<!--[^<>]{0,2000}-->|</?[A-Za-z!?][^<>]{0,1000}>")
_TARGET = r"\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500})?\)"
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,500}\](?:" + _TARGET + r"|\[[^\[\]\n]{0,200}\])?")
_LINK = re.compile(r"\[([^\[\]\n]{0,500})\]" + _TARGET)
_NUMBERED = re.compile(r"\[\\?\[[^\[\]\n]{0,200}\]\]" + _TARGET)
"""A citation in the form that only code writes."""
_REFERENCE = re.compile(r"\[([^\[\]\n]{1,500})\]\[[^\[\]\n]{0,200}\]")
_ADDRESS = re.compile(
    r"<?\b(?:[a-z][a-z0-9+.-]{1,15}://|www\.|(?:javascript|vbscript|data|mailto):(?=\S))"
    r"(?:[^\s<>\"'“”（）()【】\[\]，。]|\([^\s<>()]{0,500}\))*>?",
    re.IGNORECASE,
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_FOOTNOTE = re.compile(r"\[\^?\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*\]|【\d{1,4}[^】\n]{0,20}】")

_MORE_IDS = r"(?:\s*(?:,|;|、|，|and|&|–|-)\s*[cCfF]?\d{1,7})*"
# In round brackets a capital is no citation: "(C4)" is a plant or a vitamin.
_CITE_GROUP = re.compile(
    rf"[\[【]\s*\^?(?:(?:claim|finding)s?\s+)?([cCfF]\d{{1,7}}{_MORE_IDS})\s*[\]】]"
    rf"|[(（]\s*(?:(?:claim|finding)s?\s+)?([cf]\d{{1,7}}{_MORE_IDS})\s*[)）]"
)
_AFTER_STOP = re.compile(
    f"(?<![.!?。！？…])([.!?。！？…]+)(\\s*)((?:{CITE_OPEN}[cf]\\d+{CITE_CLOSE}\\s*)+)"
)
_QUOTED = re.compile(r"“[^“”]{1,3000}”|«[^«»]{1,3000}»|「[^「」]{1,3000}」|\"[^\"]{1,3000}\"")
_STATE = re.compile(
    rf"\*{{0,2}}[(（\[]\s*(?:{'|'.join(STATE_WORDS)})\s*[)）\]]\*{{0,2}}", re.IGNORECASE
)
"""A state that the writer gives a sentence: states come from checks alone."""
_STOPS = ".!?。！？…؟\n"
_MASKS = "".join(chr(0xE010 + i) for i in range(len(_STOPS)))
_MASK, _UNMASK = str.maketrans(_STOPS, _MASKS), str.maketrans(_MASKS, _STOPS)
_PRIVATE = re.compile("[\ue000-\ue0ff\u202a-\u202e\u2066-\u2069]")


def parse_section(text: str) -> ParsedSection:
    """Take a model's Markdown apart. Never raises; text past ``MAX_SECTION_CHARS`` is not read."""
    text = text[:MAX_SECTION_CHARS].encode("utf-8", "replace").decode("utf-8")
    parsed = ParsedSection()
    text = _without_active(_PRIVATE.sub("", text), parsed)
    text, boxes = _BOX.subn("\n\n", text)
    parsed.links += boxes
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    _Reader(parsed).read(lines)
    return parsed


def _without_active(text: str, parsed: ParsedSection) -> str:
    """The text without scripts, frames and the like, what is inside them included."""
    kept: list[str] = []
    lowered = text.lower() if len(text.lower()) == len(text) else text
    position = 0
    unclosed: set[str] = set()
    for match in _ACTIVE.finditer(text):
        name = match[1].lower()
        if match.start() < position or name in unclosed:
            continue
        close = lowered.find(f"</{name}", match.end())
        if close < 0:
            unclosed.add(name)
            continue
        end = text.find(">", close)
        kept.append(text[position : match.start()])
        position = end + 1 if end >= 0 else len(text)
        parsed.links += 1
    kept.append(text[position:])
    return "".join(kept)


class _Reader:
    """Reads lines into blocks; the one place that knows how Markdown starts a block."""

    def __init__(self, parsed: ParsedSection) -> None:
        self.parsed = parsed
        self.lines: list[str] = []
        self.open: tuple[Kind, str, int] = ("paragraph", "", 0)

    def read(self, lines: list[str]) -> None:
        index = 0
        while index < len(lines):
            fence = _FENCE.match(lines[index])
            if fence:
                index = self._fence(lines, index, fence[1])
            else:
                self._line(lines[index])
                index += 1
        self._flush()

    def _fence(self, lines: list[str], start: int, mark: str) -> int:
        self._flush()
        end = start + 1
        while end < len(lines) and not lines[end].strip().startswith(mark):
            end += 1
        content = tuple(line for line in lines[start + 1 : end] if line.strip())
        if content:
            self.parsed.blocks.append(Block("code", content))
        return end + 1

    def _line(self, line: str) -> None:
        if not line.strip() or _RULE.match(line):
            self._flush()
        elif _DEFINITION.match(line):
            self.parsed.links += 1
        elif heading := _HEADING.match(line) or _BOLD_LINE.match(line):
            self._flush()
            self._add("heading", heading[1].rstrip(" \t#"))
        elif line.lstrip().startswith("|"):
            self._flush()
            self._row(line)
        elif item := _ITEM.match(line):
            self._flush()
            depth = min(len(item[1].expandtabs(4)) // 2, 3)
            self.open = ("item", "-" if not item[2][0].isdigit() else f"{item[2][:-1]}.", depth)
            self.lines.append(item[3])
        elif quote := _QUOTE.match(line):
            if self.open[0] != "quote":
                self._flush()
                self.open = ("quote", "", 0)
            self.lines.append(quote[1])
        else:
            self.lines.append(line)

    def _row(self, line: str) -> None:
        blocks = self.parsed.blocks
        if "-" in line and not line.strip(" \t:|-"):
            if blocks and blocks[-1].kind == "row":
                blocks[-1] = Block("table", blocks[-1].sentences)
            return
        cells = re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|"))
        if blocks and blocks[-1].kind in ("table", "row"):
            width = len(blocks[-1].sentences)  # cells beyond the head's are never shown
            cells[width - 1 :] = [" ".join(cells[width - 1 :])] if len(cells) >= width else []
        blocks.append(Block("row", tuple(self._inline(cell) for cell in cells)))

    def _flush(self) -> None:
        if self.lines:
            kind, marker, depth = self.open
            self._add(kind, " ".join(line.strip() for line in self.lines), marker, depth)
        self.lines, self.open = [], ("paragraph", "", 0)

    def _add(self, kind: Kind, text: str, marker: str = "", depth: int = 0) -> None:
        inline = self._inline(text)
        sentences = (inline,) if kind == "heading" else tuple(_sentences(inline))
        if inline.strip():
            self.parsed.blocks.append(Block(kind, sentences, marker, depth))

    def _inline(self, text: str) -> str:
        """Inline text with citations marked, without links, images, tags and addresses."""
        parts: list[str] = []
        start = 0
        for span in CODE_SPAN.finditer(text):
            parts.append(self._plain(text[start : span.start()]))
            # A citation in backticks is one; in other code it is code.
            code, addresses = _ADDRESS.subn("", span[1])
            self.parsed.links += addresses
            cites = _CITE_GROUP.fullmatch(code.strip())
            parts.append(_marked(cites) if cites else f"`{code}`" if code.strip() else "")
            start = span.end()
        parts.append(self._plain(text[start:]))
        return " ".join("".join(parts).split())

    def _plain(self, text: str) -> str:
        text, removed = cleaned(text)
        self.parsed.links += removed
        return text


def cleaned(text: str) -> tuple[str, int]:
    """Text with citations marked and without links, images, tags, addresses, foreign notes and
    states, and how many of these there were.
    """
    text, images = _IMAGE.subn(" ", text)
    text, numbered = _NUMBERED.subn(" ", text)
    text, links = _LINK.subn(_linked, text)
    text, tags = _TAG.subn(lambda m: m[0] if _ADDRESS.match(m[0]) else "", text)
    text = _CITE_GROUP.sub(_marked, _ESCAPED.sub(r"\1", text))
    text, references = _REFERENCE.subn(r"\1", text)
    # Inside a quotation the gap is shown: a quote is verbatim or says where it is not.
    gaps = len(_ADDRESS.findall(text))
    text = _ADDRESS.sub("", _QUOTED.sub(lambda m: _ADDRESS.sub("…", m[0]), text))
    text, notes = _FOOTNOTE.subn("", text)
    text, states = _without_states(text)
    return text, images + numbered + links + tags + references + gaps + notes + states


def _without_states(text: str) -> tuple[str, int]:
    """The text without states in brackets, those inside a quotation left alone."""
    parts: list[str] = []
    removed = start = 0
    for quoted in (*_QUOTED.finditer(text), None):
        outside = text[start : quoted.start()] if quoted else text[start:]
        outside, count = _STATE.subn("", outside)
        removed += count
        parts += [outside, quoted[0] if quoted else ""]
        start = quoted.end() if quoted else start
    return "".join(parts), removed


def _linked(match: re.Match[str]) -> str:
    """What stays of a link: its text, as a citation when it is one."""
    bracketed = f"[{match[1]}]"
    return bracketed if _CITE_GROUP.fullmatch(bracketed) else match[1]


def _marked(match: re.Match[str]) -> str:
    """A group of claim ids as marks; ``c3-c5`` names the three."""
    ids: list[tuple[str, int]] = []
    for separator, letter, number in re.findall(r"([–-]?)\s*([cCfF]?)(\d+)", match[1] or match[2]):
        kind = letter.lower() or ids[-1][0]
        value = int(number)
        if separator and ids and 0 < value - ids[-1][1] <= 20:
            ids.extend((kind, i) for i in range(ids[-1][1] + 1, value + 1))
        else:
            ids.append((kind, value))
    return "".join(f"{CITE_OPEN}{kind}{value}{CITE_CLOSE}" for kind, value in ids)


def _sentences(text: str) -> list[str]:
    """Sentences; a citation behind a full stop belongs before it, a quotation is not cut."""
    text = _AFTER_STOP.sub(lambda m: f"{m[2]}{m[3].rstrip()}{m[1]} ", text)
    masked = _QUOTED.sub(lambda m: m[0].translate(_MASK), text)
    return [sentence.translate(_UNMASK) for sentence in split_sentences(masked)]


Statement = Callable[[Sequence[str]], tuple[str, ...]]
"""Gives the Markdown of one statement: of a sentence, or of the cells of a table's row."""


def render_blocks(blocks: Sequence[Block], statement: Statement, *, level: int = 3) -> str:
    """Markdown of blocks; ``statement`` writes what cites, headings are of ``level``."""

    parts: list[str] = []
    before: Block | None = None
    depth = -1
    for block in blocks:
        depth = min(block.depth, depth + 1) if block.kind == "item" else -1
        body = ""
        if block.kind not in ("code", "table", "row"):
            body = " ".join(statement((sentence,))[0] for sentence in block.sentences)
        match block.kind:
            case "heading":
                text = f"{'#' * level} {body}"
            case "item":
                text = f"{'    ' * depth}{block.marker} {guard_start(body)}"
            case "quote":
                text = f"> {guard_start(body)}"
            case "table":
                rule = "|".join(" --- " for _ in block.sentences)
                text = f"| {' | '.join(statement(block.sentences))} |\n|{rule}|"
            case "row":
                text = f"| {' | '.join(statement(block.sentences))} |"
            case "code":
                fence = "`" * max(3, *(line.count("`") + 1 for line in block.sentences))
                text = "\n".join((fence, *block.sentences, fence))
            case _:
                text = guard_start(body)
        tight = before and (before.kind, block.kind) in _TIGHT
        parts.append(("\n" if tight else "\n\n" if before else "") + text)
        before = block
    return "".join(parts)


_TIGHT = {("item", "item"), ("table", "row"), ("row", "row")}
