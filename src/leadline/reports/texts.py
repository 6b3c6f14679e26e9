"""The fixed sentences of a report and of a stored page, in each language that has its own.

Values with ``{…}`` are filled by ``fill``, which replaces names and never interprets the values.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Texts:
    """One language's sentences."""

    code: str
    report_on: str = "Research report of {date}"
    in_short: str = "In short"
    findings: str = "Findings"
    not_found: str = "What was not found"
    blocked: str = "What blocked us"
    references: str = "References"
    cited_passages: str = "Cited passages"
    nothing: str = (
        "No passage that answers this was found in the sources that were read, "
        "so there is nothing to report."
    )
    no_sources: str = "No source could be read, so there is nothing to report."
    partial: str = "This report is partial: the run ended before every task was worked on."
    stopped: str = "This report is partial: the run was stopped before every task was worked on."
    failed: str = "This report is partial: the run could not go on."
    demo_web: str = (
        "From the bundled demo web: its pages, organisations and numbers are invented, and its "
        "addresses answer only while Leadline reads them."
    )
    offline: str = (
        "Written by the offline model: quotes chosen by rule, no language model was asked."
    )
    written_by: str = (
        "Written by {model} from the findings alone; each sentence leads to its source."
    )
    dropped: str = (
        "{count} sentences of the draft were left out because no stored passage carries them."
    )
    dropped_one: str = (
        "One sentence of the draft was left out because no stored passage carries it."
    )
    open_task: str = "not worked on"
    failed_task: str = "no answer found"
    by_hand: str = "ticked by hand, nothing was researched for it"
    pages: str = "{count} pages"
    more: str = "and {count} more"
    accessed: str = "accessed {date}"
    published: str = "published {date}"
    same_text: str = "same text as {other}"
    stored_text: str = "stored text"
    original: str = "Original page"
    fetched: str = "Fetched {date}"
    passages: str = "{count} passages"
    page_number: str = "Page {number}"
    truncated: str = "The page was longer than what is stored."
    stored_copy: str = "Stored copy of a web page, text only, as it was read for this report."
    fingerprint: str = "SHA-256 of the text"
    quoted: str = "Passages quoted"
    reasons: tuple[tuple[str, str], ...] = (
        ("captcha", "asks for a captcha"),
        ("cookie_wall", "shows a cookie wall"),
        ("login", "asks for a login"),
        ("paywall", "asks for payment"),
        ("forbidden", "refused access"),
        ("unauthorized", "refused access"),
        ("not_found", "has no such page"),
        ("soft_404", "has no such page"),
        ("too_many_requests", "allows no more requests for now"),
        ("rate_limited", "allows no more requests for now"),
        ("unreadable", "could not be read"),
    )

    def reason(self, code: str) -> str:
        """A reason in words; what is no known code is a sentence already."""
        return dict(self.reasons).get(code, code)


ENGLISH = Texts("en")

CHINESE = Texts(
    "zh",
    report_on="研究报告，{date}",
    in_short="摘要",
    findings="发现",
    not_found="未找到答案的问题",
    blocked="受阻的网站",
    references="参考来源",
    cited_passages="引用的段落",
    nothing="在已阅读的来源中没有找到能回答该问题的段落，因此没有可报告的内容。",
    no_sources="没有读到任何来源，因此没有可报告的内容。",
    partial="本报告不完整：运行在完成所有任务之前结束。",
    stopped="本报告不完整：运行在完成所有任务之前被停止。",
    failed="本报告不完整：运行无法继续。",
    demo_web="来自内置的演示网站：其中的网页、机构和数字均为虚构，网址仅在 Leadline 阅读时可访问。",
    offline="由离线模式撰写：引文按规则选取，未使用语言模型。",
    written_by="由 {model} 仅根据所得发现撰写；每句话都可追溯到其来源。",
    dropped="草稿中有 {count} 句话因没有存档段落支持而被删去。",
    dropped_one="草稿中有 1 句话因没有存档段落支持而被删去。",
    open_task="尚未研究",
    failed_task="没有找到答案",
    by_hand="由用户手动勾选，未作研究",
    pages="{count} 个页面",
    more="以及另外 {count} 项",
    accessed="访问于 {date}",
    published="发布于 {date}",
    same_text="与 {other} 内容相同",
    stored_text="存档文本",
    original="原始页面",
    fetched="抓取于 {date}",
    passages="{count} 个段落",
    page_number="第 {number} 页",
    truncated="原页面比存档内容更长。",
    stored_copy="网页存档，仅含文字，为撰写报告时所读内容。",
    fingerprint="文本的 SHA-256",
    quoted="引用的段落",
    reasons=(
        ("captcha", "要求验证码"),
        ("cookie_wall", "要求同意 Cookie"),
        ("login", "要求登录"),
        ("paywall", "要求付费"),
        ("forbidden", "拒绝访问"),
        ("unauthorized", "拒绝访问"),
        ("not_found", "页面不存在"),
        ("soft_404", "页面不存在"),
        ("too_many_requests", "请求过多，暂时受限"),
        ("rate_limited", "请求过多，暂时受限"),
        ("unreadable", "无法读取"),
    ),
)


def texts_for(language: str) -> Texts:
    """The sentences for a language code such as ``zh-CN``; English where there are none."""
    return CHINESE if language.lower().replace("_", "-").split("-")[0] == "zh" else ENGLISH


def fill(text: str, **values: object) -> str:
    """``text`` with its ``{name}`` places filled; braces in the values mean nothing (W2-5)."""
    for name, value in values.items():
        before, found, after = text.partition(f"{{{name}}}")
        text = f"{before}{value}{after}" if found else text
    return text
