"""``leadline bench truth``: what must hold of a report whatever the model is."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.end_to_end.lab import Lab, assert_nothing_left
from tests.openai_server import OpenAIServer


def graded(lab: Lab, *arguments: str) -> dict[str, Any]:
    result = lab.json("bench", "truth", *arguments, timeout=280)
    (grades,) = result["runs"]
    assert isinstance(grades, dict)
    return grades | {"exit": result["exit"]}


def assert_nothing_made_up(grades: dict[str, Any]) -> None:
    assert grades["exit"] == 0, grades
    assert grades["status"] == "done"
    assert grades["fabricated"] == 0
    assert grades["quotes"]["total"] >= 5
    assert grades["quotes"]["count"] == grades["quotes"]["total"]
    assert grades["numbers"]["count"] == grades["numbers"]["total"]
    assert grades["canaries"] == []
    assert grades["false_supported"] == []


def test_the_offline_model_finds_what_is_planted_and_flags_what_is_wrong(lab: Lab) -> None:
    """Both subjects: facts, stale values, contradictions, copies; nothing made up, no leak."""
    subjects = ("quorrow", "tarnstone")
    with ThreadPoolExecutor() as pool:
        runs = list(pool.map(lambda subject: graded(lab, "--subject", subject), subjects))
    for grades in runs:
        assert_nothing_made_up(grades)
        assert grades["recall"]["ratio"] >= 0.8, grades["missed"]
        assert grades["stale"]["total"] >= 3
        assert grades["stale"]["count"] == grades["stale"]["total"], grades
        assert grades["contradictions_missed"] == []
        assert grades["copies"]["total"] >= 1
        assert grades["copies"]["count"] == grades["copies"]["total"]
    for folder in map(lab.store.open, lab.store.task_ids()):
        verified = lab.json("verify", folder.task_id)
        assert verified["exit"] == 0, verified
        assert_nothing_left(folder, [])


def test_a_model_that_lies_every_second_time_gets_no_lie_supported(lab: Lab) -> None:
    with OpenAIServer(mode="lying") as server:
        model = ("--provider", "custom", "--model", "liar", "--base-url", server.base_url)
        grades = graded(lab, "--subject", "quorrow", *model)
    assert_nothing_made_up(grades)
    assert grades["states"].get("unverified", 0) >= 1  # the lies were told, and seen
