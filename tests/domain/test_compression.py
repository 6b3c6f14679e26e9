"""Which findings keep their full form when room is short."""

from __future__ import annotations

from leadline.domain.compression import Item, also_line, compress, ids_cost
from leadline.domain.text import estimate_tokens


def items(count: int) -> list[Item]:
    return [
        Item(f"f{n}", n % 3, f"word {n}", (f"long {n} " * 20, f"short words {n}"))
        for n in range(count)
    ]


def test_what_fits_stays_as_it_is() -> None:
    chosen = compress(items(3), "word", 10_000)
    assert chosen.levels == (0, 0, 0)
    assert chosen.note() == ""


def test_the_best_in_full_the_others_short_the_rest_by_id() -> None:
    chosen = compress(items(40), "39", 300)
    assert chosen.levels[39] == 0
    assert chosen.note() == (
        f"To fit the model's context, {chosen.shortened} of 40 findings were shortened."
    )
    assert compress(items(40), "39", 200).listed > 0


def test_nothing_is_shown_below_the_cost_of_the_ids() -> None:
    assert set(compress(items(40), "39", 10).levels) == {2}


def test_the_line_of_ids_names_each_source_once_and_costs_what_was_said() -> None:
    named = [(item.id, item.source) for item in items(7)]
    assert also_line(named) == "also: f0 f3 f6; f1 f4 [source 1]; f2 f5 [source 2]"
    assert also_line([]) == ""
    assert estimate_tokens(also_line(named)) <= ids_cost(items(7))
