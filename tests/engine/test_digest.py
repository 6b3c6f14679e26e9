"""What later stages are told of earlier ones."""

from leadline.domain.evidence import Finding, PassageRef
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


def test_the_budget_drops_the_oldest_first() -> None:
    """W2-14: findings do not grow without limit."""
    findings = [finding(n, f"claim number {n} " + "word " * 30) for n in range(1, 50)]
    text = digest(findings, max_tokens=200)
    assert "[f49]" in text
    assert "[f1]" not in text
    assert len(text) < 2000


def test_nothing_found_gives_an_empty_digest() -> None:
    assert digest([], max_tokens=100) == ""
