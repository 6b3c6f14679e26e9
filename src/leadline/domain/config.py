"""What a run is asked to do: the typed configuration that is stored in ``run.json``.

It never holds a secret. Keys travel from the parent to the child process in its environment
(``LEADLINE_MODEL_API_KEY``, ``LEADLINE_VERIFIER_API_KEY`` …) and live in memory alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from leadline.domain.claims import Verification
from leadline.domain.limits import Limits


class Provider(StrEnum):
    """Where the model lives. ``OFFLINE`` needs neither network nor key."""

    OFFLINE = "offline"
    OPENAI = "openai"
    AZURE = "azure"
    OPENROUTER = "openrouter"
    DEEPSEEK = "deepseek"
    OLLAMA = "ollama"
    LMSTUDIO = "lmstudio"
    VLLM = "vllm"
    CUSTOM = "custom"
    ANTHROPIC = "anthropic"
    GOOGLE = "google"
    MISTRAL = "mistral"
    OLLAMA_NATIVE = "ollama-native"


class ModelRole(StrEnum):
    """What a model is asked to do; each role may have a model of its own."""

    PLANNER = "planner"
    WORKER = "worker"
    REFLECTOR = "reflector"
    VERIFIER = "verifier"
    REFUTER = "refuter"
    ADJUDICATOR = "adjudicator"
    WRITER = "writer"


class SearchEngine(StrEnum):
    """The search back ends; the first one that answers is used."""

    DUCKDUCKGO = "duckduckgo"
    BING = "bing"
    TEMPLATE = "template"
    DDGS = "ddgs"
    SEARXNG = "searxng"
    DEMO = "demo"


class Profile(StrEnum):
    """How a question is divided; what each one means is data (``profiles``)."""

    TODO = "todo"
    HIERARCHICAL = "hierarchical"
    PERSPECTIVES = "perspectives"


class ReportTemplate(StrEnum):
    """How the report is laid out; each one is a prompt and a list of sections."""

    THEMATIC = "thematic"
    FIVE_PART = "five-part"
    EVIDENCE = "evidence"
    EVIDENCE_ACTION = "evidence-action"
    FREE = "free"


class ReportLength(StrEnum):
    """How long the report may be."""

    SHORT = "short"
    STANDARD = "standard"
    LONG = "long"


class ModelConfig(BaseModel):
    """Which model answers, and how. The key is not part of it."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())

    provider: Provider = Field(Provider.OFFLINE, description="Where the model lives.")
    name: str = Field("", description="The model's name at its provider.")
    base_url: str = Field("", description="Address of the endpoint; empty: the provider's own.")
    temperature: float | None = Field(
        0.2, ge=0, le=2, description="How freely the model answers; none: its own default."
    )
    context_tokens: int = Field(32_000, ge=2_000, description="Tokens the model can take in.")
    max_output_tokens: int = Field(4_096, ge=256, description="Tokens of one answer.")
    vision: bool = Field(False, description="Whether the model is shown screenshots.")


class BrowserConfig(BaseModel):
    """Which browser reads the pages."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    headless: bool = Field(True, description="No window.")
    executable: str = Field("", description="Path of a Chromium or Chrome; empty: find one.")
    user_data_dir: str = Field("", description="Your own browser profile; empty: a clean one.")
    cdp_url: str = Field("", description="A browser that already runs, by its debugging address.")
    proxy: str = Field("", description="Upstream proxy (http://host:port) for all pages.")
    window_width: int = Field(1280, ge=320, le=7680, description="Window width in pixels.")
    window_height: int = Field(1100, ge=240, le=4320, description="Window height in pixels.")
    extra_args: tuple[str, ...] = Field((), description="Further Chromium switches.")
    screens: bool = Field(True, description="Keep the newest small screenshot of each worker.")


class SearchConfig(BaseModel):
    """Where searches go, and which sites count."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    engines: tuple[SearchEngine, ...] = Field(
        (SearchEngine.DUCKDUCKGO, SearchEngine.BING, SearchEngine.DDGS),
        min_length=1,
        description="Search back ends in the order they are tried.",
    )
    template_url: str = Field("", description="Result page with {query}, for the template engine.")
    searxng_url: str = Field("", description="Address of a SearXNG instance.")
    only_domains: tuple[str, ...] = Field((), description="Read these sites alone.")
    without_domains: tuple[str, ...] = Field((), description="Never read these sites.")
    allow_private_hosts: tuple[str, ...] = Field(
        (), description="host or host:port of private machines that pages may be read from."
    )


class RunConfig(BaseModel):
    """Everything that decides how a run goes, without a secret."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())

    limits: Limits = Field(default_factory=Limits)
    model: ModelConfig = Field(default_factory=ModelConfig)
    roles: Mapping[ModelRole, ModelConfig] = Field(
        default_factory=dict, description="Models of single roles; all others use the run's model."
    )
    browser: BrowserConfig = Field(default_factory=BrowserConfig)
    search: SearchConfig = Field(default_factory=SearchConfig)
    profile: Profile = Field(
        Profile.HIERARCHICAL, description="How the question is divided into tasks."
    )
    verification: Verification = Field(
        Verification.CHECK, description="How far the claims of the report are checked."
    )
    report_template: ReportTemplate = Field(
        ReportTemplate.THEMATIC, description="How the report is laid out."
    )
    report_length: ReportLength = Field(
        ReportLength.STANDARD, description="How long the report may be."
    )
    report_language: str = Field("", description="Language of the report; empty: the topic's own.")
    plan_first: bool = Field(False, description="Halt after the plan, so that it can be edited.")

    def model_of(self, role: ModelRole) -> ModelConfig:
        """The model that answers in this role."""
        return self.roles.get(role, self.model)
