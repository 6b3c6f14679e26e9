"""What a worker's tools take: tolerant about shape, strict about amount.

Models write numbers as text, one value for a list, other names for a field, or the bare value
instead of an object. All of that is read. Texts are cut and lists are capped here, and the schema
that the model is shown says so (``maxLength``, ``maxItems``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from leadline.domain.finding_rules import MAX_PASSAGES

FINDINGS_A_CALL = 12

_TRUE = frozenset({"true", "yes", "y", "1", "是"})


@dataclass(frozen=True)
class Cut:
    """A text of at most ``chars`` printable characters; a longer one is cut, anything is text."""

    chars: int

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self._read, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(schema), "maxLength": self.chars}

    def _read(self, value: Any) -> str:
        if isinstance(value, list | tuple):
            value = next((item for item in value if item), "")
        text = "" if value is None else str(value).encode("utf-8", "replace").decode("utf-8")
        return "".join(c if c.isprintable() else " " for c in text).strip()[: self.chars]


def _flag(value: Any) -> bool:
    """Only a clear yes is a yes."""
    return value is True or (not isinstance(value, bool) and str(value).strip().lower() in _TRUE)


def _items(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _numbers(value: Any) -> list[int]:
    """``3``, ``"1, 2"``, ``["[4]", 5.0]`` → whole numbers, in order, once each."""
    found: list[int] = []
    for item in _items(value):
        if isinstance(item, int | float) and not isinstance(item, bool):
            if abs(item) < 10_000:
                found.append(int(item))
        elif isinstance(item, str):
            found.extend(int(number) for number in re.findall(r"\d{1,4}", item[:200], re.ASCII))
    return list(dict.fromkeys(found))[:20]


def _urls(value: Any) -> list[str]:
    texts = [
        part
        for item in _items(value)
        if isinstance(item, str)
        for part in re.split(r"[\s,]+(?=https?://)", item)
    ]
    return [text.strip()[:2000] for text in texts if text.strip()][:10]


def _refs(value: Any) -> list[str]:
    """Passage references as text; one that came as a JSON number is marked with ``~``.

    ``3.10`` written as a number arrives as 3.1: the mark says that a zero may be lost.
    """
    found: list[str] = []
    for item in _items(value):
        if isinstance(item, dict):
            number = item.get("passage", item.get("number", ""))
            found.append(f"{item.get('source', '')}.{number}")
        elif isinstance(item, float):
            found.append(f"~{item!r}")
        else:
            found.append(str(item)[:120])
    return found[: 2 * MAX_PASSAGES]


def _findings(value: Any) -> list[Any]:
    return _items(value)[:FINDINGS_A_CALL]


def _wait(value: Any) -> int:
    return min(10, max(1, next(iter(_numbers(value)), 2)))


def _array(items: dict[str, Any], most: int) -> WithJsonSchema:
    return WithJsonSchema({"type": "array", "items": items, "maxItems": most})


Flag = Annotated[bool, BeforeValidator(_flag)]
Numbers = Annotated[list[int], BeforeValidator(_numbers), _array({"type": "integer"}, 20)]
Urls = Annotated[
    list[str], BeforeValidator(_urls), _array({"type": "string", "maxLength": 2000}, 10)
]
Refs = Annotated[
    list[str], BeforeValidator(_refs), _array({"type": "string", "maxLength": 20}, MAX_PASSAGES)
]
Line = Annotated[str, Cut(200)]
Keys = Annotated[str, Cut(60)]
Url = Annotated[str, Cut(2000)]
Claim = Annotated[str, Cut(1000)]
Summary = Annotated[str, Cut(1500)]
Index = Annotated[int, Field(ge=1, le=1_000_000, description="number of the element")]


class Params(BaseModel):
    """Base: other names for a field are read, unknown ones ignored, a bare value is the first."""

    model_config = ConfigDict(extra="ignore")
    first: ClassVar[str] = ""
    other_names: ClassVar[dict[str, str]] = {}

    @model_validator(mode="before")
    @classmethod
    def _read_any_shape(cls, value: Any) -> Any:
        if value is None:
            return {}
        if not isinstance(value, dict):
            return {cls.first: value} if cls.first and not isinstance(value, BaseModel) else value
        renamed = {
            cls.other_names[name]: given
            for name, given in value.items()
            if name in cls.other_names and cls.other_names[name] not in value
        }
        return {**value, **renamed}


class NoParams(Params):
    """An action that takes nothing."""

    @model_validator(mode="before")
    @classmethod
    def _take_nothing(cls, value: Any) -> Any:
        return value if isinstance(value, BaseModel) else {}


class SearchParams(Params):
    """Search the web."""

    first: ClassVar[str] = "query"
    other_names: ClassVar[dict[str, str]] = {"queries": "query", "q": "query", "text": "query"}
    query: Line = Field(description="plain search words")


class ReadParams(Params):
    """Read pages."""

    first: ClassVar[str] = "results"
    other_names: ClassVar[dict[str, str]] = {
        "result": "results",
        "numbers": "results",
        "ids": "results",
        "url": "urls",
    }
    results: Numbers = Field(default_factory=list, description="numbers of search results")
    urls: Urls = Field(default_factory=list, description="links that you saw on a page")


class FindingParams(Params):
    """One finding."""

    first: ClassVar[str] = "claim"
    other_names: ClassVar[dict[str, str]] = {
        "passage": "passages",
        "refs": "passages",
        "sources": "passages",
        "statement": "claim",
        "text": "claim",
        "finding": "claim",
    }
    claim: Claim = Field("", description="one sentence that the passages say")
    passages: Refs = Field(default_factory=list, description='references such as "3.12"')


class RecordParams(Params):
    """Findings to be recorded."""

    first: ClassVar[str] = "findings"
    other_names: ClassVar[dict[str, str]] = {"finding": "findings"}
    findings: Annotated[list[FindingParams], BeforeValidator(_findings)] = Field(
        default_factory=list, json_schema_extra={"maxItems": FINDINGS_A_CALL}
    )

    @model_validator(mode="before")
    @classmethod
    def _single(cls, value: Any) -> Any:
        """A finding that stands alone, without the list around it."""
        if isinstance(value, dict) and "claim" in value and "findings" not in value:
            return {"findings": [value]}
        return value


class DoneParams(Params):
    """The end of the work."""

    first: ClassVar[str] = "summary"
    other_names: ClassVar[dict[str, str]] = {
        "success": "answered",
        "text": "summary",
        "answer": "summary",
        "result": "summary",
    }
    answered: Flag = Field(False, description="true if the findings answer the task")
    summary: Summary = Field("", description="two sentences at most")
    missing: Summary = Field("", description="what is still unanswered, if anything")


class NavigateParams(Params):
    """Open a page in the tab in front."""

    first: ClassVar[str] = "url"
    url: Url = Field(description="a search result or a link that you saw")


class ClickParams(Params):
    """Click an element."""

    first: ClassVar[str] = "index"
    index: Index


class InputParams(Params):
    """Type into a field."""

    index: Index
    text: Line
    clear: Flag = True


class ScrollParams(Params):
    """Scroll the page."""

    down: Flag = True
    pages: float = Field(1.0, ge=0.1, le=10)


class KeysParams(Params):
    """Press keys."""

    first: ClassVar[str] = "keys"
    keys: Keys = Field(description="such as Enter or PageDown")


class SelectParams(Params):
    """Choose an option."""

    index: Index
    text: Line


class WaitParams(Params):
    """Wait for the page."""

    first: ClassVar[str] = "seconds"
    seconds: Annotated[int, BeforeValidator(_wait)] = Field(2, ge=1, le=10)


class FindTextParams(Params):
    """Scroll to a text."""

    first: ClassVar[str] = "text"
    text: Line
