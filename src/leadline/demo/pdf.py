"""Writes the PDF of the demo web from its Markdown: text on A4 pages in Helvetica, nothing else.

``python -m leadline.demo.pdf`` writes the stored file anew. The same text gives the same bytes,
so that a test can tell whether the stored file is the one of its source.
"""

from __future__ import annotations

from textwrap import wrap

from leadline.demo.content import PAGES, DemoPage, Kind, load_content

_WIDTH, _HEIGHT, _MARGIN = 595, 842, 64
_STYLES = {"# ": ("F2", 20, 44), "## ": ("F2", 14, 62), "": ("F1", 11, 84)}
"""Font, size in points and characters a line, by what a paragraph begins with."""


def write_pdf(page: DemoPage) -> bytes:
    """The PDF of a page; ``---`` between paragraphs begins a new sheet."""
    sheets = [_sheet(text) for text in page.body.split("\n---\n")]
    count = len(sheets)
    kids = " ".join(f"{6 + 2 * number} 0 R" for number in range(count))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
        f"<< /Type /Pages /Count {count} /Kids [{kids}] >>".encode(),
        _font("Helvetica"),
        _font("Helvetica-Bold"),
        b"<< /Title (%s) /Author (%s) /CreationDate (D:%s000000Z) >>"
        % (_escaped(page.title), _escaped(page.author), page.date.replace("-", "").encode()),
    ]
    for number, sheet in enumerate(sheets):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {_WIDTH} {_HEIGHT}]"
            " /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >>"
            f" /Contents {7 + 2 * number} 0 R >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(sheet), sheet))
    return _file(objects)


def _sheet(text: str) -> bytes:
    lines = [b"BT"]
    y = _HEIGHT - _MARGIN
    for paragraph in filter(None, map(str.strip, text.split("\n\n"))):
        mark = next(mark for mark in _STYLES if paragraph.startswith(mark))
        font, size, chars = _STYLES[mark]
        for line in wrap(paragraph.removeprefix(mark), chars):
            lines.append(
                b"/%s %d Tf 1 0 0 1 %d %d Tm (%s) Tj"
                % (font.encode(), size, _MARGIN, y, _escaped(line))
            )
            y -= round(size * 1.45)
        y -= 9
    lines.append(b"ET")
    return b"\n".join(lines)


def _font(name: str) -> bytes:
    return (
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
    )


def _escaped(text: str) -> bytes:
    raw = text.encode("cp1252", "replace")
    return raw.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _file(objects: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\n" % (len(objects) + 1)
    out += b"startxref\n%d\n%%%%EOF\n" % table
    return bytes(out)


def main() -> None:
    """Write every PDF of the demo web beside its Markdown."""
    for page in load_content().pages.values():
        if page.kind is Kind.PDF:
            (PAGES / page.site.id / f"{page.slug}.pdf").write_bytes(write_pdf(page))


if __name__ == "__main__":
    main()
