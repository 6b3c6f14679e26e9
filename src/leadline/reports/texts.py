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
    none_usable: str = (
        "Statements were found, but the checks let none of them stand, so there is nothing to "
        "report. The table of claims says why."
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
        "Written by {model} from the checked claims alone; each sentence leads to its source."
    )
    dropped: str = (
        "{count} sentences of the draft were left out because no stored passage carries them."
    )
    dropped_one: str = (
        "One sentence of the draft was left out because no stored passage carries it."
    )
    automatic: str = (
        "Put together automatically from the claims, because the writer gave no usable text."
    )
    automatic_all: str = (
        "This report was put together automatically: the writer gave no usable text, so the "
        "claims are listed as they were found."
    )
    told_under: str = "What was found on this is told under {headings}."
    no_information: str = "No information on this was found."
    on_time: str = "{time} UTC"
    score: str = "Score {score} of 100"
    scope: str = (
        "Scope: {tasks} questions were asked; {sources} sources were read, {origins} of them "
        "independent of each other."
    )
    standing: str = "{claims} claims were found. By state: {counts}."
    open_questions: str = "Questions without an answer: {count}."
    conflicts: str = "Where sources disagree"
    at_odds: str = "The sources disagree."
    nothing_settles: str = "Nothing that was read settles it."
    settled: str = "Settled for the statement of {site}. {why}"
    replaced: str = "A newer source replaces an older value."
    was: str = "Was: {said}"
    now: str = "Now: {said}"
    undated: str = "undated"
    time_sensitive: str = "What may change with time"
    claims_table: str = "Claims and their checks"
    columns: tuple[str, ...] = (
        "Claim",
        "Statement",
        "State",
        "Why",
        "Passages",
        "Origins",
        "Grade",
    )
    not_used: str = "not used"
    replaced_by: str = "replaced by {claim}"
    for_tasks: str = "for: {tasks}"
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
    rests_on_source: str = "{count} claims rest on this source"
    rests_on_source_one: str = "One claim rests on this source"
    rests_on_passage: str = "{count} claims rest on this passage"
    rests_on_passage_one: str = "One claim rests on this passage"
    passage: str = "passage {number}"
    states: tuple[tuple[str, str], ...] = (
        ("supported", "supported"),
        ("qualified", "qualified"),
        ("disputed", "disputed"),
        ("contradicted", "contradicted"),
        ("unverified", "unverified"),
        ("not checked", "not checked"),
        ("superseded", "superseded"),
        ("partly superseded", "the older value is superseded"),
    )
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

    def state(self, state: str) -> str:
        """A state of a claim, or a mark of a sentence, in words."""
        return dict(self.states)[state]


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
    none_usable="找到了一些说法，但均未通过核查，因此没有可报告的内容。原因见论断表。",
    no_sources="没有读到任何来源，因此没有可报告的内容。",
    partial="本报告不完整：运行在完成所有任务之前结束。",
    stopped="本报告不完整：运行在完成所有任务之前被停止。",
    failed="本报告不完整：运行无法继续。",
    demo_web="来自内置的演示网站：其中的网页、机构和数字均为虚构，网址仅在 Leadline 阅读时可访问。",
    offline="由离线模式撰写：引文按规则选取，未使用语言模型。",
    written_by="由 {model} 仅根据已核查的论断撰写；每句话都可追溯到其来源。",
    dropped="草稿中有 {count} 句话因没有存档段落支持而被删去。",
    dropped_one="草稿中有 1 句话因没有存档段落支持而被删去。",
    automatic="本节由程序根据论断自动生成，因为撰写未给出可用的文字。",
    automatic_all="本报告由程序自动生成：撰写未给出可用的文字，因此按原样列出所得论断。",
    told_under="与此相关的发现见{headings}。",
    no_information="暂无相关信息",
    on_time="{time} UTC",
    score="评分 {score}/100",
    scope="范围：共提出 {tasks} 个问题；阅读了 {sources} 个来源，其中 {origins} 个相互独立。",
    standing="共得到 {claims} 条论断。按状态：{counts}。",
    open_questions="没有答案的问题：{count} 个。",
    conflicts="来源之间的分歧",
    at_odds="各来源说法不一。",
    nothing_settles="已阅读的内容中没有能作出判断的证据。",
    settled="采信 {site} 的说法。{why}",
    replaced="较新的来源取代了旧数值。",
    was="原为：{said}",
    now="现为：{said}",
    undated="日期不详",
    time_sensitive="可能随时间变化的内容",
    claims_table="论断及其核查",
    columns=("编号", "论断", "状态", "原因", "段落", "独立来源", "等级"),
    not_used="未采用",
    replaced_by="已被 {claim} 取代",
    for_tasks="对应任务：{tasks}",
    states=(
        ("supported", "得到支持"),
        ("qualified", "有条件成立"),
        ("disputed", "有争议"),
        ("contradicted", "被反驳"),
        ("unverified", "未能核实"),
        ("not checked", "未核查"),
        ("superseded", "已被取代"),
        ("partly superseded", "旧数值已被取代"),
    ),
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
    rests_on_source="有 {count} 条论断以本来源为依据",
    rests_on_source_one="有 1 条论断以本来源为依据",
    rests_on_passage="有 {count} 条论断以此段落为依据",
    rests_on_passage_one="有 1 条论断以此段落为依据",
    passage="段落 {number}",
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


_OTHER_STATES = (
    "verified",
    "confirmed",
    "proven",
    "fact-checked",
    "refuted",
    "已证实",
    "已核实",
    "已验证",
)
STATE_WORDS = (
    *dict.fromkeys(word for texts in (ENGLISH, CHINESE) for _, word in texts.states),
    *_OTHER_STATES,
)
"""Every word by which a state is printed, and what a writer may call one."""


def texts_for(language: str) -> Texts:
    """The sentences for a language code such as ``zh-CN``; English where there are none."""
    return CHINESE if language.lower().replace("_", "-").split("-")[0] == "zh" else ENGLISH


def fill(text: str, **values: object) -> str:
    """``text`` with its ``{name}`` places filled; braces in the values mean nothing (W2-5)."""
    for name, value in values.items():
        before, found, after = text.partition(f"{{{name}}}")
        text = f"{before}{value}{after}" if found else text
    return text
