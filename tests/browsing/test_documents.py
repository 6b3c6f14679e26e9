"""Files from the web: typed by content, capped, parsed in a process that cannot hang the run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from leadline.browsing.documents import fetch_document, read_pdf, read_text
from leadline.browsing.egress import EgressGuard
from leadline.browsing.egress_rules import AddressRules
from leadline.browsing.passages import split_passages
from leadline.domain.evidence import SourceKind
from leadline.errors import EgressRefused, PageBlocked, PageUnreadable
from tests.browsing.web import Answer, Web, serving, small_pdf

PDF = small_pdf("Harbour report", ["The harbour has two quays.", "Ships: 7 in 2024."])
ENDLESS = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
)


def _site(path: str, _: str) -> Answer:
    return {
        "/report": Answer(PDF, content_type="application/octet-stream"),
        "/named.pdf": Answer("Not a PDF at all.", content_type="text/plain"),
        "/big": Answer("x" * 50_000, content_type="text/plain"),
        "/away": Answer(status=302, headers={"Location": "http://127.0.0.1:1/x"}),
        "/circle": Answer(status=302, headers={"Location": "/circle"}),
        "/secret": Answer("no", status=403, content_type="application/pdf"),
        "/hang": Answer(hang=True),
        "/image": Answer(b"\x89PNG\r\n\x1a\n\x00\x00", content_type="image/png"),
    }.get(path, Answer(status=404))


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    async with serving(_site) as web:
        yield web


@pytest.fixture
async def guard(web: Web) -> AsyncIterator[EgressGuard]:
    guard = EgressGuard(AddressRules([web.allow]))
    await guard.start()
    yield guard
    await guard.stop()


async def test_a_pdf_is_known_by_its_content_and_read_by_page(guard: EgressGuard, web: Web) -> None:
    document = await fetch_document(web.url("/report"), guard=guard, max_bytes=10**6, seconds=20)
    assert document.kind is SourceKind.PDF
    assert [page.strip() for page in document.pages] == [
        "The harbour has two quays.",
        "Ships: 7 in 2024.",
    ]
    assert document.title == "Harbour report"


async def test_a_name_does_not_make_a_pdf(guard: EgressGuard, web: Web) -> None:
    document = await fetch_document(web.url("/named.pdf"), guard=guard, max_bytes=10**6, seconds=10)
    assert (document.kind, document.pages) == (SourceKind.TEXT, ("Not a PDF at all.",))


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/big", PageUnreadable),
        ("/away", EgressRefused),
        ("/circle", PageUnreadable),
        ("/secret", PageBlocked),
        ("/missing", PageBlocked),
        ("/hang", PageUnreadable),
        ("/image", PageUnreadable),
    ],
)
async def test_what_cannot_be_read_ends_in_its_error(
    guard: EgressGuard, web: Web, path: str, error: type[Exception]
) -> None:
    """safety 18, 47, W3-10: bytes, types and redirects."""
    with pytest.raises(error):
        await fetch_document(web.url(path), guard=guard, max_bytes=20_000, seconds=1)


async def test_a_private_file_is_refused(guard: EgressGuard) -> None:
    """safety 17"""
    with pytest.raises(EgressRefused):
        await fetch_document("http://10.0.0.1/x.pdf", guard=guard, max_bytes=10, seconds=5)


@pytest.mark.parametrize(
    "data", [b"%PDF-", b"%PDF-1.7 garbage " * 40, PDF[: len(PDF) // 2], ENDLESS, b"%PDF-1.4\n" * 9]
)
async def test_damaged_pdfs_fail_alone(data: bytes) -> None:
    """safety 33: a bad file fails with a reason, or gives what could be read."""
    try:
        document = await read_pdf(data, url="https://a.example/x", seconds=20)
    except PageUnreadable as error:
        assert "PDF" in str(error)
    else:
        assert all(isinstance(page, str) for page in document.pages)


async def test_a_pdf_that_takes_too_long_is_given_up_and_its_process_ended() -> None:
    begun = asyncio.get_running_loop().time()
    with pytest.raises(PageUnreadable, match="within"):
        await read_pdf(PDF, url="https://a.example/x", seconds=0.01)
    assert asyncio.get_running_loop().time() - begun < 5


def test_csv_rows_name_their_columns() -> None:
    document = read_text(
        b"year;boats\n2023;5\n2024;7\n", url="https://a.example", content_type="text/csv"
    )
    rows = [p.text for p in split_passages(document.pages[0])[0]]
    assert rows == ["year: 2023 | boats: 5", "year: 2024 | boats: 7"]


def test_json_values_say_what_they_are() -> None:
    document = read_text(
        b'{"ferry": {"boats": ["Tern", "Plover"], "fare": 7.2}}',
        url="https://a.example",
        content_type="application/json; charset=utf-8",
    )
    rows = [p.text for p in split_passages(document.pages[0])[0]]
    assert rows == ["ferry.boats: Tern", "ferry.boats: Plover", "ferry.fare: 7.2"]


@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        ("渡轮".encode("gb18030"), "text/plain"),
        ("渡轮".encode("utf-16"), "text/plain"),
        ("渡轮".encode("gb2312"), "text/plain; charset=gb2312"),
        ("渡轮".encode("utf-8-sig"), "text/plain; charset=nonsense"),
    ],
)
def test_other_encodings_are_read(data: bytes, content_type: str) -> None:
    assert read_text(data, url="https://a.example", content_type=content_type).pages == ("渡轮",)


@pytest.mark.parametrize("data", [b"", b"  \n", b"\x00\x01\x02binary", bytes(range(1, 32)) * 20])
def test_no_text_is_said_to_be_none(data: bytes) -> None:
    with pytest.raises(PageUnreadable):
        read_text(data, url="https://a.example", content_type="text/plain")
