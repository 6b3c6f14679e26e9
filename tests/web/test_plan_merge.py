"""Saving an edit while the run ticks boxes."""

from __future__ import annotations

from leadline.web.plan_merge import merge_progress

BASE = "# Research Plan\n\n## 1. A\n- [ ] one\n- [ ] two\n\n## 2. B\n- [ ] three\n"
TICKED = BASE.replace("[ ] one", "[x] one").replace("[ ] two", "[-] two")


def test_ticks_made_meanwhile_are_kept_with_the_edit() -> None:
    mine = BASE.replace("- [ ] three\n", "- [ ] three, reworded\n- [ ] four\n")
    merged = merge_progress(BASE, TICKED, mine)
    assert merged is not None
    assert "- [x] one" in merged
    assert "- [-] two" in merged
    assert "- [ ] three, reworded" in merged
    assert "- [ ] four" in merged


def test_a_box_that_the_person_set_stands() -> None:
    merged = merge_progress(BASE, TICKED, BASE.replace("[ ] two", "[x] two"))
    assert merged is not None
    assert "- [x] two" in merged


def test_a_task_that_the_person_took_out_stays_out() -> None:
    merged = merge_progress(BASE, TICKED, BASE.replace("- [ ] one\n", ""))
    assert merged is not None
    assert "one" not in merged


def test_any_other_change_is_a_conflict() -> None:
    for current in (
        BASE.replace("two", "two, by another"),
        BASE + "- [ ] four\n",
        BASE.replace("- [ ] one\n", ""),
        "",
    ):
        assert merge_progress(BASE, current, BASE.replace("three", "3")) is None


def test_nothing_changed_meanwhile_saves_the_text_as_it_is() -> None:
    mine = "## A\nmy own note\n- [ ] one\n"
    assert merge_progress(BASE, BASE, mine) == mine
