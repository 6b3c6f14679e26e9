from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.domain.evidence import Passage, Snapshot, Source
from leadline.domain.source_files import (
    clean,
    parse_source_markdown,
    render_source_markdown,
    text_hash,
)

nasty = st.sampled_from(
    [
        "", "\n", "\n\n", "---", "\x00", "\u2028", "\\<a id=",
        '<a id="p2"></a> **2**', '<a id="p1"></a> **1** · § x', "\\", "\\n",
        "# Title", "\r\n", "\r", " ", "مرحبا بالعالم", "快速渡轮很快。", "| a | b |",
    ]
)  # fmt: skip
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.lists(nasty, max_size=5).map("\n".join),
    st.lists(nasty, max_size=5).map("".join),
)


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    bodies = draw(st.lists(st.tuples(texts, st.none() | st.integers(1, 999), texts), max_size=6))
    passages = tuple(
        Passage(number=i + 1, text=text, page=page, heading=heading)
        for i, (text, page, heading) in enumerate(bodies)
    )
    source = Source(
        id=1,
        url=draw(texts),
        title=draw(texts),
        site=draw(texts),
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
        hash=text_hash(passages),
        passages=len(passages),
    )
    return Snapshot(source=source, passages=passages)


@settings(max_examples=60, deadline=None)
@given(snapshots())
def test_every_text_comes_back_exactly(snapshot: Snapshot) -> None:
    """Quotes are stored passages: what is read back is what stood in the page."""
    stored = render_source_markdown(snapshot).encode().decode()
    assert parse_source_markdown(snapshot.source, stored) == snapshot


def test_a_person_can_read_it() -> None:
    passages = (
        Passage(number=1, text="It was fast."),
        Passage(number=2, text="Very.", page=3, heading="Speed"),
    )
    source = Source(
        id=4,
        url="https://a.example/x",
        title="Fast\nferries",
        site="a.example",
        date="2026-01-02",
        fetched_at=datetime(2026, 2, 3, 4, 5, tzinfo=UTC),
        hash="",
    )
    assert render_source_markdown(Snapshot(source=source, passages=passages)) == (
        "# Fast ferries\n"
        "\n"
        "https://a.example/x\n"
        "a.example · 2026-01-02\n"
        "Read 2026-02-03T04:05:00+00:00\n"
        "\n"
        '<a id="p1"></a> **1**\n'
        "It was fast.\n"
        "\n"
        '<a id="p2"></a> **2** · p. 3 · § Speed\n'
        "Very.\n"
    )


def test_clean_text_has_utf8() -> None:
    assert clean("a\ud800b") == "a?b"
    assert clean("🚢") == "🚢"
