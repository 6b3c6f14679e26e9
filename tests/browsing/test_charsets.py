"""Charsets that pages declare wrongly (safety 47)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.browsing.charsets import looks_misread, put_right

CHINESE = "布林德尔灯塔高六十一米，建于一八七四年。灯塔位于北部海岸，由花岗岩砌成。"
TEXTS = {
    "gb18030": CHINESE,
    "big5": "布林德爾燈塔高六十一米，建於一八七四年。燈塔位於北部海岸，由花崗岩砌成。",
    "shift_jis": "ブリンドル灯台の高さは61メートルで、1874年に建てられ、夏に公開されます。",
    "euc-kr": "브린들 등대의 높이는 61미터이며 1874년에 지어졌습니다. 여름에는 공개됩니다.",
    "windows-1251": "Высота маяка Бриндл составляет 61 метр, он построен в 1874 году.",
}


@pytest.mark.parametrize("charset", TEXTS)
def test_what_is_declared_as_utf8_and_is_not(charset: str) -> None:
    data = f"<html><p>{TEXTS[charset]}</p><p>{TEXTS[charset]}</p></html>".encode(charset)
    shown = data.decode("utf-8", "replace")
    assert looks_misread(shown, "UTF-8")
    found = put_right(data, shown, "UTF-8")
    assert found is not None
    assert found[0].decode(found[1]) == data.decode(charset)


@pytest.mark.parametrize("declared", ["GBK", "windows-1252", "Shift_JIS"])
def test_utf8_that_is_declared_as_something_else(declared: str) -> None:
    data = f"<p>{CHINESE}</p>".encode()
    shown = data.decode(declared, "replace")
    assert looks_misread(shown, declared)
    assert put_right(data, shown, declared) == (data, "utf-8")
    assert put_right(data[:-6], shown, declared) == (data[:-6], "utf-8"), "cut within a sign"


def _as_browsers_read_1252(data: bytes) -> str:
    left_out = {0x81, 0x8D, 0x8F, 0x90, 0x9D}
    return "".join(chr(n) if n in left_out else bytes([n]).decode("cp1252") for n in data)


@pytest.mark.parametrize("text", [CHINESE, "Größe über alles: ÄÖÜäöüß, été à l’œuvre"])
def test_utf8_that_was_read_as_latin_and_is_handed_out_as_text(text: str) -> None:
    """Chromium hands out the text it made of the bytes, whenever it could make one."""
    data = f"<p>{text}</p>".encode()
    shown = _as_browsers_read_1252(data)
    assert put_right(shown.encode(), shown, "windows-1252") == (data, "utf-8")


@pytest.mark.parametrize(
    ("data", "declared"),
    [
        (f"<p>{CHINESE}</p>".encode(), "UTF-8"),
        (f"<p>{CHINESE}</p>".encode("gbk"), "GBK"),
        ("<p>Größe über alles: ÄÖÜäöüß, ja</p>".encode("cp1252"), "windows-1252"),
        ("联通".encode("gbk"), "GBK"),
        (b"plain", "UTF-8"),
        (f"<p>{CHINESE}</p>".encode() + b"\xff\xfe" * 3, "UTF-8"),
    ],
)
def test_what_was_read_rightly_stays(data: bytes, declared: str) -> None:
    """A few broken bytes do not turn a page into another charset, nor does a lucky short word."""
    assert put_right(data, data.decode(declared, "replace"), declared) is None


@given(st.binary(max_size=300), st.sampled_from(["UTF-8", "GBK", "windows-1252"]))
def test_any_bytes_are_survived(data: bytes, declared: str) -> None:
    put_right(data, data.decode(declared, "replace"), declared)


@pytest.mark.parametrize(
    ("text", "declared"), [(CHINESE, "GBK"), ("Größe über alles: ÄÖÜäöüß, ja", "windows-1252")]
)
def test_pages_that_say_what_they_are_stay_though_their_text_is_handed_out(
    text: str, declared: str
) -> None:
    assert put_right(f"<p>{text}</p>".encode(), f"<p>{text}</p>", declared) is None
