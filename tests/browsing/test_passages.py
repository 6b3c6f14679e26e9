"""Text → numbered passages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leadline.browsing.passages import MAX_CHARS, split_passages


def texts(text: str) -> list[str]:
    return [p.text for p in split_passages(text)[0]]


def test_sentences_carry_their_heading_and_count_from_one() -> None:
    found, cut = split_passages(
        "Before any heading.\n\n# Fleet\n\nThree boats sail. The newest is from 2025.\n\n"
        "## Crew\n- Eleven people\n- One cat\n"
    )
    assert [(p.number, p.heading, p.text) for p in found] == [
        (1, "", "Before any heading."),
        (2, "Fleet", "Three boats sail."),
        (3, "Fleet", "The newest is from 2025."),
        (4, "Crew", "Eleven people"),
        (5, "Crew", "One cat"),
    ]
    assert not cut


def test_a_table_row_names_its_columns() -> None:
    table = "| Year | Boats |\n|---|---|\n| 2024 | 7 |\n| 2025 | |\n"
    assert texts(table) == ["Year: 2024 | Boats: 7", "Year: 2025"]


def test_a_table_without_a_rule_has_a_head_when_it_looks_like_one() -> None:
    assert texts("| Year | Boats |\n| 2024 | 7 |") == ["Year: 2024 | Boats: 7"]
    assert texts("| 2023 | 5 |\n| 2024 | 7 |") == ["2023 | 5", "2024 | 7"]


def test_chinese_is_split_at_its_own_marks() -> None:
    assert texts("渡轮于2022年开始运营。它有三艘船！还有问题吗？") == [
        "渡轮于2022年开始运营。",
        "它有三艘船！",
        "还有问题吗？",
    ]


def test_arabic_and_hebrew_are_kept_as_they_stand() -> None:
    arabic = "بدأت العبارة في عام 2022. هل تعمل اليوم؟"
    assert texts(arabic) == ["بدأت العبارة في عام 2022.", "هل تعمل اليوم؟"]
    assert texts("המעבורת יצאה.") == ["המעבורת יצאה."]


def test_an_endless_sentence_is_cut_between_words() -> None:
    words = " ".join(f"word{i}," for i in range(400))
    found = texts(words)
    assert all(len(piece) <= MAX_CHARS for piece in found)
    assert " ".join(found) == words
    assert all(len(piece) <= MAX_CHARS for piece in texts("字" * 5000))


def test_labels_that_repeat_count_once() -> None:
    assert texts("Read more\n\nNews of today.\n\nRead more\n") == ["Read more", "News of today."]


def test_what_is_left_out_is_said() -> None:
    found, cut = split_passages("One is here. Two is here. Three is here.", limit=2)
    assert [p.number for p in found] == [1, 2]
    assert cut


def test_pages_go_on_counting() -> None:
    found, _ = split_passages("On page two.", first=8, page=2)
    assert (found[0].number, found[0].page) == (8, 2)


_lines = st.lists(
    st.one_of(
        st.text(max_size=80),
        st.sampled_from(
            ["# H", "| a | b |", "|---|---|", "- item. Next.", "", "1. one", "。", "?!"]
        ),
    ),
    max_size=20,
)


@given(_lines)
def test_every_passage_stands_in_the_text_and_numbers_have_no_gaps(lines: list[str]) -> None:
    text = "\n".join(lines)
    found, cut = split_passages(text)
    assert [p.number for p in found] == list(range(1, len(found) + 1))
    assert not cut
    flat = " ".join(text.split())
    for passage in found:
        assert passage.text.strip() == passage.text != ""
        pieces = [passage.text]
        if passage.text not in flat:  # a table row: its cells and column names stand there
            pieces = [p for cell in passage.text.split(" | ") for p in cell.split(": ")]
        assert all(" ".join(piece.split()) in flat for piece in pieces)
