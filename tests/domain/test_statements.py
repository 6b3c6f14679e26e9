"""What statements say, so that two can be compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.statements import Quantity, negations, quantities, read_statement
from leadline.domain.text import stem


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It carried 412,000 passengers in 2025.", [("412000", "passenger")]),
        ("2025年客流量为41.2万人次。", [("412000", "passenger")]),
        ("It cost 68.4 million crowns.", [("68400000", "crown")]),
        ("The trip takes 34 to 46 minutes.", [("34", "minute"), ("46", "minute")]),
        ("Ticket: Adult | Price in crowns: 6.50", [("6.5", "crown")]),
        ("Limit: Size | Version 4.6: 64 TB", [("64", "tb")]),
        ("Engine: Tarn | Operations per second: 184,000", [("184000", "operation")]),
        ("A share of 47 percent and 38%.", [("47", "percent"), ("38", "percent")]),
        ("It takes $5 and 7 €.", [("5", "dollar"), ("7", "euro")]),
        ("The last boat leaves at 20:40.", [("20:40", "clock")]),
        ("That is 9.3 percent more than before.", [("9.3", "percent difference")]),
        ("Founded in 1990.", []),
        ("Es waren 1.250,5 Tonnen.", [("1250.5", "tonne")]),
    ],
)
def test_numbers_come_with_what_they_count(text: str, expected: list[tuple[str, str]]) -> None:
    wanted = [
        (value, " ".join((stem(unit.split()[0]), *unit.split()[1:]))) for value, unit in expected
    ]
    assert [(q.value, q.unit) for q in quantities(text)] == wanted


def test_an_about_is_noticed() -> None:
    assert quantities("about 400 seals")[0] == Quantity("400", "seal", "about")
    assert quantities("at least 400 seals")[0].bound == "least"
    assert quantities("up to $400")[0].bound == "most"
    assert quantities("不到400头")[0].bound == "most"
    assert not quantities("It counted 400 seals")[0].bound


@pytest.mark.parametrize(
    ("text", "count"),
    [("It does not run.", 1), ("It never fails to run.", 1), ("It runs.", 0), ("船没有延误。", 1)],
)
def test_denials_are_counted(text: str, count: int) -> None:
    assert negations(text) == count


def test_names_are_words_with_a_capital_inside_a_sentence() -> None:
    statement = read_statement("The Dunlin belongs to the Sunder Cooperative's fleet.")
    assert statement.names == {"dunlin", "sunder", "cooperative"}


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    statement = read_statement(text)
    assert all(isinstance(q.value, str) and q.value for q in statement.quantities)
