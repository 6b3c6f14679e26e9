"""Which sections a report has, and which claims each is written from.

Invariant: only a usable claim that the run counts is in a section (one of a finding whose task left
the plan, or whose source is gone, is in none). Each belongs to one part of the plan, and is in the
section of another part only as the other side of a conflict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from leadline.domain.claims import Claim, ClaimState, Confidence
from leadline.domain.config import ReportLength
from leadline.domain.plan import Category, Plan
from leadline.domain.projection import RunView
from leadline.domain.text import numbers, one_line
from leadline.reports.basis import WEAKNESS, Basis
from leadline.reports.templates import SectionSpec, Selection, Template
from leadline.reports.texts import texts_for

_FEW = 3
"""Fewer claims than this are no section of their own: ``rest`` takes all then."""
_CONFIDENT = (Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW)


@dataclass(frozen=True)
class SectionPlan:
    """A section to write: its heading and the claims it may use, and no others."""

    spec: SectionSpec
    heading: str
    """Empty: the writer sets its own."""
    claims: tuple[Claim, ...] = ()
    task_ids: tuple[str, ...] = ()
    words: int = 0
    group: str = ""
    """Heading of the section that this one is a part of."""
    enough: int = 0
    """How many claims do where no one writes: a summary leaves most of them to the sections that
    follow. 0: all."""
    told_in: tuple[str, ...] = ()
    """Headings under which its claims are told, when an earlier section has them all."""

    @property
    def asks_model(self) -> bool:
        """Whether a model writes its text."""
        return bool(self.claims) and self.spec.writer == "model"


@dataclass(frozen=True)
class _Theme:
    """A part of the plan with what it found; ``claims`` are those that no earlier part has."""

    category: Category
    claims: tuple[Claim, ...]
    told_in: tuple[str, ...]


def outline(
    template: Template,
    plan: Plan,
    basis: Basis,
    view: RunView,
    *,
    language: str = "en",
    length: ReportLength = ReportLength.STANDARD,
) -> list[SectionPlan]:
    """The sections of a report in order; the claims of each in the order of the plan."""
    return _Outline(template, plan, basis, view, language, length).sections()


class _Outline:
    def __init__(
        self,
        template: Template,
        plan: Plan,
        basis: Basis,
        view: RunView,
        language: str,
        length: ReportLength,
    ) -> None:
        self._template = template
        self._basis = basis
        self._view = view
        self._texts = texts_for(language)
        self._length = length
        self._themes = self._divided(plan)
        self._all = tuple(claim for theme in self._themes for claim in theme.claims)
        self._known = {claim.id: claim for claim in self._all}

    def sections(self) -> list[SectionPlan]:
        plans: list[SectionPlan] = []
        for spec in self._template.sections:
            if spec.claims is Selection.CATEGORY:
                plans += self._by_theme(spec)
                continue
            claims = self._selected(spec)
            heading = spec.heading.of(self._texts.code) if spec.heading else ""
            words = self._template.words_for(spec, self._length)
            enough = self._enough(spec)
            plans.append(SectionPlan(spec, heading, claims, self._tasks(), words, enough=enough))
        return plans

    def _enough(self, spec: SectionSpec) -> int:
        if spec.items:
            return spec.items[1]
        return max(1, min(-(-spec.limit // 2), len(self._all) // 3)) if spec.restates else 0

    def _tasks(self) -> tuple[str, ...]:
        return tuple(task.id for theme in self._themes for task in theme.category.tasks)

    def _divided(self, plan: Plan) -> list[_Theme]:
        """The parts of the plan with their claims; a claim is in the first part that found it."""
        home: dict[str, str] = {}
        themes: list[_Theme] = []
        for category in plan.categories:
            name = one_line(category.name) or self._texts.findings
            own: list[Claim] = []
            told: dict[str, None] = {}
            for task in category.tasks:
                for claim in self._basis.claims.values():
                    if not self._basis.usable(claim.id) or not counts(claim, self._view, task.id):
                        continue
                    if claim.id not in home:
                        home[claim.id] = name
                        own.append(claim)
                    elif home[claim.id] != name:
                        told[home[claim.id]] = None
            themes.append(_Theme(category, tuple(own), () if own else tuple(told)))
        return themes

    def _by_theme(self, spec: SectionSpec) -> list[SectionPlan]:
        told = [theme for theme in self._themes if theme.claims or theme.told_in]
        group = spec.heading.of(self._texts.code) if spec.heading else ""
        words = self._template.words_for(spec, self._length, sum(bool(t.claims) for t in told))
        plans = [
            SectionPlan(
                spec,
                one_line(theme.category.name) or self._texts.findings,
                self._with_other_sides(theme.claims),
                tuple(task.id for task in theme.category.tasks),
                words,
                group,
                told_in=theme.told_in,
            )
            for theme in told
        ]
        return plans or ([SectionPlan(spec, group)] if group else [])

    def _selected(self, spec: SectionSpec) -> tuple[Claim, ...]:
        selections: dict[Selection, Callable[[], Iterable[Claim]]] = {
            Selection.NONE: lambda: (),
            Selection.ALL: lambda: self._all,
            Selection.STRONGEST: self._strongest,
            Selection.NUMBERS: lambda: (c for c in self._all if numbers(c.text)),
            Selection.AT_ODDS: self._at_odds,
            Selection.REST: self._rest,
        }
        chosen = tuple(selections[spec.claims]())
        return self._with_other_sides(chosen[: spec.limit] if spec.limit else chosen)

    def _strongest(self) -> list[Claim]:
        """The strongest of each part of the plan in turn, so that each has its say."""
        ranked = [sorted(theme.claims, key=self._weakness) for theme in self._themes]
        longest = max((len(claims) for claims in ranked), default=0)
        return [claims[turn] for turn in range(longest) for claims in ranked if turn < len(claims)]

    def _weakness(self, claim: Claim) -> tuple[int, int, int, int]:
        score = self._view.scores.get(claim.id)
        return (
            WEAKNESS.index(self._basis.state(claim.id)),
            -score.total if score else 0,
            -len(claim.origins),
            _CONFIDENT.index(claim.confidence),
        )

    def _at_odds(self) -> list[Claim]:
        in_conflict = {claim_id for c in self._basis.conflicts for claim_id in c.claims}
        fine = (ClaimState.SUPPORTED, ClaimState.NOT_CHECKED)
        return [
            claim
            for claim in self._all
            if claim.id in in_conflict or self._basis.state(claim.id) not in fine
        ]

    def _rest(self) -> tuple[Claim, ...]:
        taken = {
            claim.id
            for spec in self._template.sections
            if spec.claims in (Selection.STRONGEST, Selection.NUMBERS, Selection.AT_ODDS)
            for claim in self._selected(spec)
        }
        rest = tuple(claim for claim in self._all if claim.id not in taken)
        return rest if len(rest) >= _FEW else self._all

    def _with_other_sides(self, claims: Sequence[Claim]) -> tuple[Claim, ...]:
        """The claims and what contradicts or replaces them, so that a writer can give both."""
        others = (
            self._known[other]
            for conflict in self._basis.conflicts
            for claim in claims
            if claim.id in conflict.claims
            for other in (conflict.other(claim.id),)
            if other in self._known
        )
        return tuple({claim.id: claim for claim in (*claims, *others)}.values())


def counts(claim: Claim, view: RunView, task_id: str = "") -> bool:
    """Whether the run counts one of a claim's findings (of this task), and has a passage of it."""
    counted = False
    for finding_id in claim.findings:
        finding = view.findings.get(finding_id)
        if finding is None or (task_id and finding.task != task_id):
            continue
        task = view.tasks.get(finding.task)
        counted |= task is None or finding_id in task.findings
    return counted and any(
        (source := view.sources.get(ref.source)) is not None and ref.passage <= source.passages
        for ref in claim.passages
    )
