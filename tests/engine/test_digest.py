"""What later stages are told of earlier ones."""

import re

from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.evidence import Finding, PassageRef
from leadline.domain.text import estimate_tokens
from leadline.engine.digest import digest


def finding(number: int, claim: str) -> Finding:
    return Finding(
        id=f"f{number}",
        task="t1",
        claim=claim,
        passages=(PassageRef(source=1, passage=1),),
        quotes=("q",),
    )


def test_each_finding_is_a_line_with_its_id() -> None:
    text = digest([finding(1, "Nine boats run."), finding(2, "{} Error: stays")], max_tokens=500)
    assert text.splitlines() == ["- Nine boats run. [f1]", "- {} Error: stays [f2]"]


def test_the_budget_shortens_and_keeps_every_id() -> None:
    """W2-14, W3-13: findings do not grow without limit, and none disappears."""
    findings = [finding(n, f"claim number {n} " + "word " * 30) for n in range(1, 50)]
    said: list[str] = []
    text = digest(findings, max_tokens=250, report=said.append)
    assert f"- claim number 49 {'word ' * 30}".strip() in text
    assert set(re.findall(r"f\d+", text)) == {f"f{n}" for n in range(1, 50)}
    assert "[source 1]" in text.splitlines()[-1]
    assert estimate_tokens(text) <= 250
    assert len(said) == 1
    assert "49 findings" in said[0] or "of 49" in said[0]


def test_what_the_task_asks_for_is_kept_in_full() -> None:
    wanted = "The ferry carries 900 people a day " + "and more " * 15
    findings = [finding(1, wanted), *(finding(n, "bread " * 30) for n in range(2, 50))]
    text = digest(findings, max_tokens=250, query="How many people use the ferry?")
    assert text.splitlines()[0] == f"- {wanted.strip()} [f1]"


@given(st.lists(st.text(max_size=300), max_size=40), st.integers(0, 1500))
def test_any_findings_fit_any_budget_above_their_ids(claims: list[str], spare: int) -> None:
    findings = [finding(n, claim) for n, claim in enumerate(claims)]
    floor = 20 + 2 * len(claims)
    text = digest(findings, max_tokens=floor + spare)
    assert {f"f{n}" for n in range(len(claims))} <= set(re.findall(r"\bf\d+\b", text))
    assert estimate_tokens(text) <= floor + spare


def test_nothing_found_gives_an_empty_digest() -> None:
    assert digest([], max_tokens=100) == ""
