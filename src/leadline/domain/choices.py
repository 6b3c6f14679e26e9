"""What each choice of a setting does and costs, in English and in Simplified Chinese. Data.

Invariant: every value of a setting that is listed here has its row (a test holds this). The table
of settings, its documentation and the page all say these sentences, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from leadline.domain.claims import Verification
from leadline.domain.config import Profile, ReportLength, ReportTemplate


@dataclass(frozen=True)
class Choice:
    """One value of a setting: its name and one sentence, as ``(English, Chinese)``."""

    name: tuple[str, str]
    meaning: tuple[str, str]


CHOICES: Mapping[str, Mapping[str, Choice]] = MappingProxyType(
    {
        "verification": {
            Verification.OFF: Choice(
                ("Off", "关闭"),
                (
                    "Code alone looks whether words and numbers stand in the passages. No model "
                    "call; claims count as not checked.",
                    "仅由程序核对文字和数字是否见于原文段落；不调用模型，论断记为未核查。",
                ),
            ),
            Verification.CHECK: Choice(
                ("Check", "核查"),
                (
                    "A model also judges whether the passages support each claim. A few more "
                    "model calls, up to a third more.",
                    "另由模型判断段落是否支持每条论断；模型调用略增，最多增加约三分之一。",
                ),
            ),
            Verification.DEBATE: Choice(
                ("Debate", "辩论"),
                (
                    "The main claims are also challenged: browsers look for counter-evidence and "
                    "contradictions are judged. The slowest and the dearest.",
                    "还会质疑主要论断：由浏览器查找反面证据，并裁定矛盾；最慢，费用也最高。",
                ),
            ),
        },
        "profile": {
            Profile.TODO: Choice(
                ("To-do list", "任务清单"),
                (
                    "One list of 3 to 5 tasks. For a plain question.",
                    "3 到 5 个任务，适合简单的问题。",
                ),
            ),
            Profile.HIERARCHICAL: Choice(
                ("Categories", "分类"),
                (
                    "Parts with tasks in each, worked on part by part. For most questions.",
                    "分为若干部分，逐部分执行其中的任务，适合大多数问题。",
                ),
            ),
            Profile.PERSPECTIVES: Choice(
                ("Views", "视角"),
                (
                    "3 to 6 views that are set against each other; weak ones are followed up, so "
                    "it takes longer. For disputed questions.",
                    "3 到 6 个视角相互对照，薄弱处会继续追查，因此耗时更长，适合有争议的问题。",
                ),
            ),
        },
        "report_template": {
            ReportTemplate.THEMATIC: Choice(
                ("By theme", "按主题"),
                (
                    "A summary, a section for each part of the plan, a conclusion.",
                    "摘要、计划各部分对应的章节、结论。",
                ),
            ),
            ReportTemplate.FIVE_PART: Choice(
                ("Five parts", "五部分"),
                (
                    "Background, insights, evidence and data, risks, references.",
                    "背景、洞见、证据与数据、风险、参考来源。",
                ),
            ),
            ReportTemplate.EVIDENCE: Choice(
                ("Evidence", "证据"),
                (
                    "The picture from several views, disputes, what to do, with a score.",
                    "多视角全景、争议、建议，并附评分。",
                ),
            ),
            ReportTemplate.EVIDENCE_ACTION: Choice(
                ("Evidence for a decision", "决策依据"),
                (
                    "A direct answer first, then the key evidence, other views and what to do.",
                    "先直接回答，再列关键证据、不同观点和行动建议。",
                ),
            ),
            ReportTemplate.FREE: Choice(
                ("Free", "自由"),
                (
                    "The writer chooses the headings; every citation is checked all the same.",
                    "由撰写方自拟标题；引用同样逐一核对。",
                ),
            ),
        },
        "report_length": {
            ReportLength.SHORT: Choice(
                ("Short", "简短"), ("About half as long.", "约为标准的一半。")
            ),
            ReportLength.STANDARD: Choice(
                ("Standard", "标准"), ("As the layout has it.", "按版式的篇幅。")
            ),
            ReportLength.LONG: Choice(
                ("Long", "详尽"), ("About twice as long.", "约为标准的两倍。")
            ),
        },
    }
)
"""By the key of the setting, then by the value."""


IN_CHINESE: Mapping[str, str] = MappingProxyType(
    {
        "verification": "报告论断的核查程度",
        "profile": "如何把问题拆分为任务",
        "report_template": "报告的版式",
        "report_length": "报告的篇幅",
    }
)
"""What the settings mean in Chinese; in English their own description says it."""


def meanings(key: str) -> dict[str, str]:
    """Value → its English sentence; empty for a setting whose values speak for themselves."""
    return {str(value): choice.meaning[0] for value, choice in CHOICES.get(key, {}).items()}
