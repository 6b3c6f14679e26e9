"""Content given as parts is normalised once, at the model edge."""

from __future__ import annotations

import pytest

from leadline.models.content import text_of


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("plain", "plain"),
        (["a", {"type": "text", "text": "b"}], "ab"),
        ([{"type": "thinking", "thinking": "x", "text": "x"}, {"type": "text", "text": "b"}], "b"),
        ([{"type": "text", "text": {"value": "v"}}, {"type": "image_url", "image_url": "x"}], "v"),
        ([None, 3, {"type": "output_text", "text": "o"}], "o"),
        ({"type": "text", "text": "one"}, "one"),
        (7, ""),
    ],
)
def test_text_of(content: object, text: str) -> None:
    assert text_of(content) == text
