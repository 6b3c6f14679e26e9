"""Every choice of a setting is said once, in both languages."""

from __future__ import annotations

import re

from leadline.domain.choices import CHOICES, IN_CHINESE, meanings
from leadline.settings import Settings


def test_every_value_of_a_described_setting_has_its_sentence() -> None:
    table = Settings.table()
    assert IN_CHINESE.keys() == CHOICES.keys()
    for key, choices in CHOICES.items():
        assert tuple(map(str, choices)) == table[key].choices, key
        assert table[key].meanings == meanings(key)
        for choice in choices.values():
            assert all(re.search(r"[一-鿿]", text[1]) for text in (choice.name, choice.meaning))
            assert choice.meaning[0].endswith(".")
            assert choice.meaning[1].endswith("。")
    assert meanings("depth") == {}
