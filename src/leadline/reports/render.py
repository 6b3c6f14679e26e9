"""Safe HTML of reports and stored pages.

Invariants (safety 6, 7, 26): Markdown's raw HTML is off and an allow-list cleans what comes out;
no image, script, style attribute or third-party request is ever in it; only http(s) links, the
run's own stored pages and anchors survive. Whole pages forbid scripts themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import nh3
from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from leadline.domain.claims import ClaimCheck, ClaimState
from leadline.domain.evidence import Passage, Snapshot, Source
from leadline.domain.text import shorten
from leadline.reports.basis import PARTLY_SUPERSEDED, SUPERSEDED, WEAKNESS
from leadline.reports.escape import host_of, safe_url
from leadline.reports.texts import CHINESE, ENGLISH, Texts, fill, texts_for

Snapshots = Callable[[int], Snapshot | None]
"""Gives the stored source of a number, as ``RunFolder.snapshot`` does."""

SNAPSHOTS_HELD = 8
"""Stored texts in memory at a time; a report cites the same few again and again."""
MAX_TITLE_CHARS = 400
MAX_REPORT_CHARS = 400_000
"""A longer text is shown as it is, not laid out: laying it out would keep the page waiting."""
MAX_DRAFT_CHARS = 50_000
"""What of a draft is shown; it is laid out anew each time that it grows."""

_STORED = re.compile(r"(?:\./)?sources/(\d{1,6})\.md(?:#p(\d{1,6}))?", re.ASCII)
_TAGS = {
    "a", "p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote",
    "em", "strong", "s", "code", "pre", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href", "title", "class", "rel", "target", "data-source", "data-passage", "data-claims"},
    "em": {"class"},
    "ol": {"start"},
}

SHAPES: Mapping[str, str] = {
    ClaimState.SUPPORTED.value: "✓",
    ClaimState.QUALIFIED.value: "◐",
    ClaimState.DISPUTED.value: "⇄",
    ClaimState.CONTRADICTED.value: "✗",
    ClaimState.UNVERIFIED.value: "?",
    ClaimState.NOT_CHECKED.value: "○",
    SUPERSEDED: "↻",
    PARTLY_SUPERSEDED: "↻",
}
"""A sign for each state, so that it is told by shape and word, never by colour alone."""
_CLAIM_STATE = re.compile(rf"(c\d{{1,7}}) ({'|'.join(ClaimState)})(?:; |$)", re.ASCII)
"""What the title of a citation says in ``report.md``."""
_MARKS = {f"({word})": state for texts in (ENGLISH, CHINESE) for state, word in texts.states}
_NO_CHECKS: Mapping[str, ClaimCheck] = {}


@dataclass(frozen=True)
class RestingClaim:
    """A claim that rests on a stored source, as the source's page tells it."""

    id: str
    text: str
    state: str
    """A ``ClaimState``, or ``superseded``."""
    why: str = ""
    passages: tuple[int, ...] = ()
    """Numbers of the source's passages that carry it."""


@dataclass(frozen=True)
class _Known:
    """What citations are told with: passages, checks, words."""

    snapshots: Snapshots = lambda _: None
    checks: Mapping[str, ClaimCheck] = field(default_factory=dict)
    texts: Texts = ENGLISH


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False, "linkify": False, "typographer": False})
    return markdown.enable("table").disable(["html_inline", "html_block"])


@lru_cache(maxsize=1)
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("leadline.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def report_html(
    markdown: str,
    task_id: str,
    snapshots: Snapshots | None = None,
    *,
    base: str = "/runs",
    checks: Mapping[str, ClaimCheck] = _NO_CHECKS,
    language: str = "en",
) -> str:
    """A report's Markdown as an HTML fragment for the page of a run.

    Citations lead to ``{base}/{task_id}/sources/3#p12`` and show on hover the state of their claims
    and, when ``snapshots`` is given, the quote; with ``checks`` also why a claim is not supported.
    ``task_id`` must be a checked id.
    """

    def target(source: int, passage: int | None) -> str:
        anchor = f"#p{passage}" if passage else ""
        return f"{base}/{task_id}/sources/{source}{anchor}"

    return _fragment(markdown, target, _known(snapshots, checks, language))


def _known(snapshots: Snapshots | None, checks: Mapping[str, ClaimCheck], language: str) -> _Known:
    load = lru_cache(maxsize=SNAPSHOTS_HELD)(snapshots or (lambda _: None))
    return _Known(load, checks, texts_for(language))


def draft_html(markdown: str) -> str:
    """A draft that nothing has checked yet, as an HTML fragment without any link."""
    shown = markdown[:MAX_DRAFT_CHARS] + ("…" if len(markdown) > MAX_DRAFT_CHARS else "")
    return _fragment(shown, lambda *_: "", _Known(), external=False)


def _fragment(
    markdown: str,
    target: Callable[[int, int | None], str],
    known: _Known,
    *,
    external: bool = True,
) -> str:
    markdown = markdown.encode("utf-8", "replace").decode("utf-8")
    if len(markdown) > MAX_REPORT_CHARS:
        return f"<pre>{escape(markdown)}</pre>"
    links = _Links(target, known, external=external)
    parser = _markdown()
    tokens = parser.parse(markdown)
    for token in tokens:
        if token.children:
            token.children = links.rewritten(token.children)
    html = parser.renderer.render(tokens, parser.options, {})
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https"},
        link_rel=None,
        strip_comments=True,
    )


class _Links:
    """Decides what becomes of each link and image of a report."""

    def __init__(
        self,
        target: Callable[[int, int | None], str],
        known: _Known,
        *,
        external: bool,
    ) -> None:
        self._target = target
        self._external = external
        self._known = known
        self._snapshots = known.snapshots

    def rewritten(self, tokens: list[Token]) -> list[Token]:
        """Inline tokens with links made safe; images become their text, other links plain text."""
        kept: list[Token] = []
        open_links: list[bool] = []
        for token, after in zip(tokens, [*tokens[1:], None], strict=True):
            if token.type == "em_open" and after and after.content in _MARKS:
                # Only our own marks are emphasis on nothing but a state in brackets.
                state = _MARKS[after.content]
                token.attrs = {"class": f"state {_class_of(state)}"}
                after.content = f"{SHAPES[state]} {after.content.strip('()')}"
            if token.type == "image":
                kept.append(Token("text", "", 0, content=token.content))
            elif token.type == "link_open":
                attributes = self._attributes(
                    str(token.attrGet("href") or ""), str(token.attrGet("title") or "")
                )
                open_links.append(bool(attributes))
                if attributes:
                    token.attrs = dict(attributes)
                    kept.append(token)
            elif token.type == "link_close":
                if open_links.pop():
                    kept.append(token)
            else:
                kept.append(token)
        return kept

    def _attributes(self, href: str, title: str) -> dict[str, str]:
        stored = _STORED.fullmatch(href)
        if stored:
            return self._stored(int(stored[1]), int(stored[2]) if stored[2] else None, title)
        url = safe_url(href) if self._external else ""
        if not url:
            return {}
        return {"href": url, "rel": "noopener noreferrer nofollow", "target": "_blank"}

    def _stored(self, source: int, passage: int | None, title: str) -> dict[str, str]:
        href = self._target(source, passage)
        if not href:
            return {}
        found = {"href": href, "data-source": str(source)}
        if passage is None:
            return found
        claims = {claim: ClaimState(state) for claim, state in _CLAIM_STATE.findall(title)}
        found |= {"class": "cite", "data-passage": str(passage)}
        if claims:
            weakest = max(claims.values(), key=WEAKNESS.index)
            found |= {"class": f"cite {_class_of(weakest)}", "data-claims": " ".join(claims)}
        snapshot = self._snapshots(source)
        quoted = snapshot.passage(passage) if snapshot else None
        shown: list[str] = []
        if snapshot and quoted:
            name = snapshot.source.title or host_of(snapshot.source.url)
            shown.append(shorten(f"“{quoted.text}” — {name}", MAX_TITLE_CHARS))
        shown += (self._told(claim, state) for claim, state in claims.items())
        return found | {"title": "\n".join(shown)} if shown else found

    def _told(self, claim: str, state: ClaimState) -> str:
        """A claim's state, and why it is not supported when the checks are at hand."""
        check = self._known.checks.get(claim)
        why = f": {shorten(check.reason, 200)}" if check and check.reason else ""
        return f"{SHAPES[state]} {claim} {self._known.texts.state(state)}{why}"


def _class_of(state: str) -> str:
    return f"is-{state.replace(' ', '-')}"


def source_html(
    snapshot: Snapshot,
    highlight: Iterable[int] = (),
    *,
    language: str = "en",
    claims: Iterable[RestingClaim] = (),
) -> str:
    """A stored source as a whole HTML page: numbered passages, those in ``highlight`` marked.

    A passage is at ``#p12``, with the ``claims`` that rest on it below it. Nothing in the page runs
    or is fetched from anywhere.
    """
    texts = texts_for(language)
    source = snapshot.source
    resting = tuple(claims)
    by_passage: dict[int, list[RestingClaim]] = {}
    for claim in resting:
        for number in claim.passages:
            by_passage.setdefault(number, []).append(claim)
    return _templates().get_template("source.html").render(
        texts=texts,
        source=source,
        passages=snapshot.passages,
        highlight=frozenset(highlight),
        title=source.title or host_of(source.url),
        url=safe_url(source.url),
        site=source.site or host_of(source.url),
        fetched=fill(texts.fetched, date=source.fetched_at.strftime("%Y-%m-%d %H:%M %Z").strip()),
        published=fill(texts.published, date=source.date) if source.date else "",
        count=fill(texts.passages, count=len(snapshot.passages)),
        page=lambda number: fill(texts.page_number, number=number),
        resting=resting,
        by_passage=by_passage,
        place=lambda number: fill(texts.passage, number=number),
        shapes=SHAPES,
        class_of=_class_of,
        rests_on_source=_counted(len(resting), texts.rests_on_source_one, texts.rests_on_source),
        rests_on_passage=lambda found: _counted(
            len(found), texts.rests_on_passage_one, texts.rests_on_passage
        ),
    )  # fmt: skip


def _counted(count: int, one: str, many: str) -> str:
    return one if count == 1 else fill(many, count=count)


def standalone_html(
    markdown: str,
    snapshots: Snapshots | None = None,
    *,
    title: str = "",
    language: str = "en",
    checks: Mapping[str, ClaimCheck] = _NO_CHECKS,
) -> str:
    """A report as one HTML file, with every quoted passage at its end.

    A citation leads to its passage inside the file; one whose passage is not at hand stays as text.
    """
    quoted: dict[int, tuple[Source, dict[int, Passage]]] = {}
    known = _known(snapshots, checks, language)

    def target(source: int, passage: int | None) -> str:
        snapshot = known.snapshots(source)
        found = snapshot.passage(passage) if snapshot and passage is not None else None
        if snapshot is None or (passage is not None and found is None):
            return ""
        shown = quoted.setdefault(source, (snapshot.source, {}))[1]
        if found is None:
            return f"#s{source}"
        shown[found.number] = found
        return f"#s{source}p{found.number}"

    body = _fragment(markdown, target, known)
    sources = [
        {
            "id": source_id,
            "title": source.title or host_of(source.url),
            "url": safe_url(source.url),
            "passages": [shown[number] for number in sorted(shown)],
        }
        for source_id, (source, shown) in quoted.items()
        if shown
    ]
    texts = texts_for(language)
    return _templates().get_template("report.html").render(
        texts=texts,
        title=shorten(title, 200) or "Leadline",
        body=Markup(body),  # cleaned by the allow-list above
        sources=sources,
    )  # fmt: skip
