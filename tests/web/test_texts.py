"""Both languages say the same things, and say nothing that is not used."""

from __future__ import annotations

import re
import string
from pathlib import Path

import leadline.web
from leadline.domain.limits import Depth
from leadline.domain.run import RunStatus
from leadline.web.texts import Texts, keys

SOURCES = "".join(
    p.read_text("utf-8")
    for p in Path(leadline.web.__file__).parent.rglob("*.py")
    if p.name != "texts.py"
)


QUOTED = set(re.findall(r"[\"']([a-z_]+)[\"']", SOURCES))


def test_both_languages_have_the_same_placeholders() -> None:
    for key, pair in keys().items():
        fields = [{name for _, name, _, _ in string.Formatter().parse(t) if name} for t in pair]
        assert fields[0] == fields[1], key
        assert all(t.strip() for t in pair), key


def test_each_text_is_used_and_each_used_text_is_there() -> None:
    built = (
        {f"state_{s.value}" for s in RunStatus}
        | {f"about_{s.value}" for s in RunStatus}
        | {f"depth_{d.value}" for d in Depth}
    )
    prefixes = ("worker_", "task_", "feed_task_", "group_", "key_", "draft_")
    for key in keys():
        assert key in built or key.startswith(prefixes) or key in QUOTED, key
    called = set(re.findall(r"\btexts\(\s*[\"']([a-z_]+)[\"']", SOURCES))
    assert called <= keys().keys()
    assert built <= keys().keys()


def test_texts_fill_their_placeholders() -> None:
    assert Texts("en")("minutes_ago", n=3) == "3 min ago"
    assert "{query}" in Texts("zh")("need_template")
