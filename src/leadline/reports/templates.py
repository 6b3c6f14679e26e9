"""Report templates: how a report is laid out, as data.

A template is ``templates/<name>.md``: front matter in TOML (between two lines of ``+++``) that
lists the sections, and below it what the writer is told of the whole report. Invariant: a loaded
template tells every contradiction, gap, blocked site, reference and claim exactly once, and lists
its references after everything that cites.
"""

from __future__ import annotations

import tomllib
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from leadline.domain.config import ReportLength
from leadline.errors import InvalidTemplate

_FENCE = "+++"
_LENGTHS = {ReportLength.SHORT: 0.5, ReportLength.STANDARD: 1.0, ReportLength.LONG: 2.0}
MIN_WORDS = 60


class Selection(StrEnum):
    """Which claims a section is written from."""

    NONE = "none"
    ALL = "all"
    CATEGORY = "category"
    """Those of one part of the plan; the section stands once for each part."""
    STRONGEST = "strongest"
    """The strongest of each part of the plan in turn."""
    NUMBERS = "numbers"
    """Those that state a number."""
    AT_ODDS = "at-odds"
    """Those in a conflict, or whose check found a fault, with both sides."""
    REST = "rest"
    """Those that no other section of the template selects; all when few are left."""


class Part(StrEnum):
    """What stands in a section: its text, or a piece that code writes."""

    TEXT = "text"
    SCOPE = "scope"
    STANDING = "standing"
    CONFLICTS = "conflicts"
    TIME_SENSITIVE = "time-sensitive"
    GAPS = "gaps"
    BLOCKED = "blocked"
    REFERENCES = "references"
    CLAIMS = "claims"


_ONCE = (Part.CONFLICTS, Part.GAPS, Part.BLOCKED, Part.REFERENCES, Part.CLAIMS)
_CITING = (Part.TEXT, Part.CONFLICTS, Part.TIME_SENSITIVE)


class Words(BaseModel):
    """A heading in each language that the report has its own texts for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    en: str = Field(min_length=1)
    zh: str = Field(min_length=1)

    def of(self, language: str) -> str:
        """The words in the language with this code; ``en`` or ``zh``."""
        return self.zh if language == "zh" else self.en


class SectionSpec(BaseModel):
    """One section of a template."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z][a-z-]*$")
    heading: Words | None = Field(None, description="None: the plan's names, or the writer's own.")
    claims: Selection = Selection.NONE
    limit: int = Field(0, ge=0, description="Most claims it is given; 0: all.")
    items: tuple[int, int] | None = Field(None, description="Fewest and most points of its list.")
    writer: Literal["model", "code"] = Field("model", description="Code lists the claims.")
    judged: bool = Field(False, description="Needs judgement: without it nothing is listed.")
    share: int = Field(0, ge=0, le=100, description="Percent of the report's words.")
    instruction: str = ""
    parts: tuple[Part, ...] = (Part.TEXT,)

    @property
    def restates(self) -> bool:
        """Whether it says in other words what other sections say in full."""
        return self.claims is Selection.STRONGEST

    @model_validator(mode="after")
    def _whole(self) -> SectionSpec:
        has_text = Part.TEXT in self.parts
        if has_text is (self.claims is Selection.NONE):
            raise ValueError("claims: a section with a text needs claims, one without has none")
        if has_text and self.writer == "model" and not (self.instruction.strip() and self.share):
            raise ValueError("instruction, share: what a model writes needs both")
        if self.heading is None and self.claims not in (Selection.CATEGORY, Selection.ALL):
            raise ValueError("heading: is needed")
        if self.items and not 0 < self.items[0] <= self.items[1]:
            raise ValueError("items: the fewest first, then the most")
        return self


class Template(BaseModel):
    """A template: its sections in order, and what the writer is told of the whole."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    header: Literal["date", "time-and-score"] = "date"
    missing: Literal["leave-out", "say"] = Field(
        "leave-out", description="What becomes of a section with nothing in it."
    )
    sources_by_task: bool = Field(False, description="References name the tasks they are for.")
    words: int = Field(ge=100, description="Words of a report of standard length.")
    sections: tuple[SectionSpec, ...] = Field(min_length=1, alias="section")
    style: str = Field(min_length=1)

    @model_validator(mode="after")
    def _whole(self) -> Template:
        ids = [section.id for section in self.sections]
        if len(set(ids)) < len(ids):
            raise ValueError("section.id: two sections have the same")
        parts = [part for section in self.sections for part in section.parts]
        for part in _ONCE:
            if parts.count(part) != 1:
                raise ValueError(f"section.parts: {part} must be in exactly one section")
        if any(part in _CITING for part in parts[parts.index(Part.REFERENCES) :]):
            raise ValueError("section.parts: references must follow everything that cites")
        if sum(section.share for section in self.sections) > 100:
            raise ValueError("section.share: the shares come to more than 100")
        return self

    def words_for(self, spec: SectionSpec, length: ReportLength, sections: int = 1) -> int:
        """How many words a section may have, when ``sections`` of its kind share them."""
        whole = self.words * _LENGTHS[length] * spec.share / 100
        return max(MIN_WORDS, round(whole / max(sections, 1)))


@cache
def load_template(name: str) -> Template:
    """The bundled template of this name. Raises :class:`InvalidTemplate`."""
    file = resources.files("leadline.reports").joinpath("templates", f"{name}.md")
    if not file.is_file():
        raise InvalidTemplate(f"There is no report template templates/{name}.md.")
    return parse_template(file.read_text("utf-8"), name)


def parse_template(text: str, name: str) -> Template:
    """Read the text of a template file. Raises :class:`InvalidTemplate` naming file and field."""
    file = f"templates/{name}.md"
    before, fence, rest = text.partition(f"{_FENCE}\n")
    front, closing, style = rest.partition(f"\n{_FENCE}\n")
    if before.strip() or not fence or not closing:
        raise InvalidTemplate(f"{file}: its front matter must stand between two lines of {_FENCE}.")
    try:
        values = tomllib.loads(front)
    except tomllib.TOMLDecodeError as error:
        raise InvalidTemplate(f"{file}: the front matter is no TOML ({error}).") from error
    try:
        return Template.model_validate({**values, "name": name, "style": style.strip()})
    except ValidationError as error:
        raise InvalidTemplate(f"{file}: {_first_fault(error, values)}.") from error


def _first_fault(error: ValidationError, values: dict[str, object]) -> str:
    fault = error.errors(include_url=False)[0]
    path = list(fault["loc"])
    sections = values.get("section")
    if path[:1] == ["section"] and len(path) > 1 and isinstance(sections, list):
        place = path[1]
        section = sections[place] if isinstance(place, int) and place < len(sections) else None
        name = section.get("id", place) if isinstance(section, dict) else place
        path[:2] = [f"section {name}"]
    where = ".".join(str(step) for step in path)
    return f"{where}: {fault['msg']}" if where else fault["msg"]
