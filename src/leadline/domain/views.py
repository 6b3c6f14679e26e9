"""Views: the sides from which a question is looked at, and which ones fit which kind of question.

Data in two languages. A view becomes a category of the plan: its name is the heading, its role and
the kinds of source it wants stand in note lines below, which a person may edit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from leadline.domain.plan import Category
from leadline.domain.text import one_line, shorten

MAX_ROLE_CHARS = 160

_ROLE = re.compile(r"\s*>\s*(?:role|角色)\s*[:：]\s*(.+)", re.IGNORECASE)


class QuestionType(StrEnum):
    """What kind of question it is (S3-24); it decides which views are worth taking."""

    TECHNICAL = "technical"
    BUSINESS = "business"
    ACADEMIC = "academic"
    POLICY = "policy"
    COMPARATIVE = "comparative"
    GENERAL = "general"


class View(NamedTuple):
    """One side of a question. ``{s}`` is the subject; ``keywords`` are what else to search for."""

    name: str
    question: str
    keywords: tuple[str, ...]
    role: str = ""
    sources: tuple[str, ...] = ()


def view_notes(role: str, sources: tuple[str, ...], *, chinese: bool) -> tuple[str, ...]:
    """The note lines of a view's category; none for what is not known."""
    role = shorten(role, MAX_ROLE_CHARS)
    wanted = shorten(("、" if chinese else ", ").join(map(one_line, sources)), MAX_ROLE_CHARS)
    labels = ("> 角色：", "> 来源：") if chinese else ("> Role: ", "> Sources: ")
    return tuple(
        f"{label}{text}" for label, text in zip(labels, (role, wanted), strict=True) if text
    )


def role_of(category: Category) -> str:
    """The role that a category's notes give to its view; empty when they give none."""
    found = (_ROLE.fullmatch(line) for note in category.notes for line in note.splitlines())
    return next((match[1].strip() for match in found if match), "")


EN: Mapping[str, View] = {
    "technical": View(
        "Technical view", "{s}: how it works and how well it performs",
        ("how it works", "performance", "specifications"),
        "Engineer: mechanisms, measurements, limits",
        ("official documentation", "academic", "standards"),
    ),
    "industry": View(
        "Industry view", "{s}: who builds and uses it, and on what scale",
        ("operators", "market", "deployment"),
        "Analyst: makers, users, adoption",
        ("media", "analysts", "commercial"),
    ),
    "critical": View(
        "Critical view", "{s}: criticism, risks and failures",
        ("criticism", "risks", "problems"),
        "Sceptic: what speaks against it",
        ("academic", "government", "media"),
    ),
    "future": View(
        "Future view", "{s}: recent developments and outlook",
        ("latest", "plans", "outlook"),
        "Forecaster: what changes next, and on what basis",
        ("government", "media", "analysts"),
    ),
    "economic": View(
        "Economic view", "{s}: costs, prices and funding",
        ("cost", "price", "funding"),
        "Economist: who pays, what it returns",
        ("government", "analysts", "media"),
    ),
    "users": View(
        "Users' view", "{s}: experience of the people who use it",
        ("experience", "survey", "complaints"),
        "User advocate: daily practice",
        ("community", "media"),
    ),
    "evidence": View(
        "Evidence view", "{s}: studies, data and their results",
        ("study", "data", "results"),
        "Researcher: what was measured, and how",
        ("academic", "government"),
    ),
    "methods": View(
        "Methods view", "{s}: methods behind the results and their limits",
        ("methodology", "limitations", "replication"),
        "Reviewer: how far the results carry",
        ("academic", "standards"),
    ),
    "legal": View(
        "Legal view", "{s}: laws, rules and who decides",
        ("law", "regulation", "policy"),
        "Lawyer: what applies, since when",
        ("government", "standards"),
    ),
    "affected": View(
        "Affected people's view", "{s}: whom it affects, and what they say",
        ("impact", "residents", "debate"),
        "Mediator: interests and conflicts",
        ("media", "community", "government"),
    ),
    "background": View(
        "Background", "{s}: what it is and where it comes from",
        ("overview", "history"),
        "Historian: origin and terms",
        ("encyclopaedia", "official documentation"),
    ),
    "differences": View(
        "Differences", "{s}: differences, feature by feature",
        ("comparison", "differences"),
        "Tester: the same measure for each side",
        ("academic", "media", "official documentation"),
    ),
    "choice": View(
        "Choice", "{s}: which suits whom",
        ("best for", "advantages", "disadvantages"),
        "Adviser: needs, conditions, trade-offs",
        ("media", "community"),
    ),
}  # fmt: skip

ZH: Mapping[str, View] = {
    "technical": View(
        "技术视角", "{s}：如何运作，性能如何", ("原理", "性能", "参数"),
        "工程师：机制、测量与局限", ("官方文档", "学术", "标准"),
    ),
    "industry": View(
        "产业视角", "{s}：由谁建设和使用，规模多大", ("企业", "市场", "应用"),
        "分析师：制造者、使用者与普及程度", ("媒体", "分析机构", "商业"),
    ),
    "critical": View(
        "批判视角", "{s}：批评、风险与失败", ("批评", "风险", "问题"),
        "质疑者：反对的理由", ("学术", "政府", "媒体"),
    ),
    "future": View(
        "未来视角", "{s}：最新进展与前景", ("最新进展", "计划", "前景"),
        "预测者：接下来的变化及其依据", ("政府", "媒体", "分析机构"),
    ),
    "economic": View(
        "经济视角", "{s}：成本、价格与资金", ("成本", "价格", "资金"),
        "经济学家：谁付费，回报如何", ("政府", "分析机构", "媒体"),
    ),
    "users": View(
        "用户视角", "{s}：使用者的体验", ("体验", "调查", "投诉"),
        "用户代言人：日常使用", ("社区", "媒体"),
    ),
    "evidence": View(
        "证据视角", "{s}：研究、数据与结果", ("研究", "数据", "结果"),
        "研究者：测量了什么，如何测量", ("学术", "政府"),
    ),
    "methods": View(
        "方法视角", "{s}：结果背后的方法及其局限", ("方法", "局限", "复现"),
        "审稿人：结果能推广多远", ("学术", "标准"),
    ),
    "legal": View(
        "法规视角", "{s}：法律、规定与决策者", ("法律", "法规", "政策"),
        "律师：适用什么，自何时起", ("政府", "标准"),
    ),
    "affected": View(
        "相关方视角", "{s}：影响了谁，他们怎么说", ("影响", "居民", "争议"),
        "调解人：利益与冲突", ("媒体", "社区", "政府"),
    ),
    "background": View(
        "背景", "{s}：是什么，从何而来", ("介绍", "历史"),
        "历史学者：由来与概念", ("百科", "官方文档"),
    ),
    "differences": View(
        "差异", "{s}：逐项差异", ("对比", "区别"),
        "测试者：各方同一标准", ("学术", "媒体", "官方文档"),
    ),
    "choice": View(
        "选择", "{s}：各自适合谁", ("适合", "优点", "缺点"),
        "顾问：需求、条件与取舍", ("媒体", "社区"),
    ),
}  # fmt: skip

DEFAULT_VIEWS = ("technical", "industry", "critical", "future")
"""The fixed four of S3-25."""

VIEWS_OF: Mapping[QuestionType, tuple[str, ...]] = {
    QuestionType.TECHNICAL: ("technical", "evidence", "critical", "users", "economic", "future"),
    QuestionType.BUSINESS: ("industry", "economic", "critical", "users", "legal", "future"),
    QuestionType.ACADEMIC: ("evidence", "methods", "critical", "background", "technical", "future"),
    QuestionType.POLICY: ("legal", "affected", "critical", "economic", "evidence", "future"),
    QuestionType.COMPARATIVE: (
        "differences", "choice", "critical", "economic", "evidence", "future",
    ),
    QuestionType.GENERAL: ("background", "evidence", "critical", "economic", "affected", "future"),
}  # fmt: skip
"""Views by kind of question, the most telling first; a critical one is always among
the first three (W3-15)."""

_TYPES_ZH: Mapping[QuestionType, str] = {
    QuestionType.TECHNICAL: "技术",
    QuestionType.BUSINESS: "商业",
    QuestionType.ACADEMIC: "学术",
    QuestionType.POLICY: "政策",
    QuestionType.COMPARATIVE: "比较",
    QuestionType.GENERAL: "一般",
}


def type_note(kind: QuestionType, *, chinese: bool) -> str:
    """The note line of a plan that tells what kind of question it was taken for."""
    return f"> 问题类型：{_TYPES_ZH[kind]}" if chinese else f"> Question type: {kind}"
