"""What the page says of claims, their checks and how a report is made: part of ``texts``."""

from __future__ import annotations

CLAIM_TEXTS: dict[str, tuple[str, str]] = {
    # Ask
    "group_report": ("Plan and report", "计划与报告"),
    "choice": ("{name}: {meaning}", "{name}：{meaning}"),
    # Run
    "checking": ("Checking {n} of {total} claims", "正在核查论断：已完成 {n}/{total} 条"),
    "checking_debate": (
        "Checking {n} of {total} claims, with searches for counter-evidence",
        "正在核查论断并查找反面证据：已完成 {n}/{total} 条",
    ),
    "checking_soon": ("Putting claims together from what was found", "正在把发现归并为论断"),
    "checking_answers": ("{n} answers from the verifier so far", "核查方已答复 {n} 次"),
    "checking_answer_one": ("1 answer from the verifier so far", "核查方已答复 1 次"),
    "count_checked": ("Claims checked", "已核查论断"),
    "counter_searches": ("Searches for counter-evidence", "查找反面证据"),
    "counter_about": (
        "The debate looks for what speaks against these claims. They are no tasks of the plan.",
        "辩论阶段查找反对这些论断的内容；它们不属于计划。",
    ),
    "counter_running": ("searching", "查找中"),
    "counter_open": ("not finished", "未完成"),
    "counter_none": ("nothing found against it", "没有找到反面内容"),
    "counter_one": ("1 passage found", "找到 1 个段落"),
    "counter_n": ("{n} passages found", "找到 {n} 个段落"),
    "counter_worker": ("looking for counter-evidence", "查找反面证据"),
    "counter_against": ("against: {text}", "针对：{text}"),
    "feed_counter_started": (
        "Counter-evidence is looked for: {text}",
        "开始查找反面证据：{text}",
    ),
    "feed_counter_done": (
        "Search for counter-evidence ended: {text}",
        "反面证据查找结束：{text}",
    ),
    "feed_counter_found": ("Found as counter-evidence: {claim}", "找到的反面内容：{claim}"),
    "feed_claims": ("{n} claims were put together.", "已归并为 {n} 条论断。"),
    "feed_conflict": ("Sources are at odds: {reason}", "来源说法不一：{reason}"),
    # Report: the overview
    "claims_n": ("{n} claims", "{n} 条论断"),
    "claim_one": ("1 claim", "1 条论断"),
    "score_of": ("Score {score} of 100", "评分 {score}/100"),
    "score_about": (
        "From the kinds of sources, the checks, and how many independent sources stand behind "
        "each claim.",
        "根据来源类别、核查结果以及每条论断背后的独立来源数计算。",
    ),
    "states_label": ("Claims by state", "按状态统计论断"),
    "show_state": ("Show the claims in this state", "显示该状态的论断"),
    "go_conflicts": ("Contradictions", "矛盾之处"),
    "go_claims": ("All claims", "全部论断"),
    "unchecked_note": (
        "These claims were not checked: the run was set so, or ended before.",
        "这些论断未经核查：按设置不核查，或运行提前结束。",
    ),
    # Report: the table
    "claims_title": ("Claims and their checks", "论断及其核查"),
    "filter_text": ("Search the claims", "搜索论断"),
    "filter_state": ("State", "状态"),
    "filter_view": ("Part of the plan", "计划部分"),
    "filter_grade": ("Grade", "等级"),
    "filter_origins": ("2 or more independent sources", "至少 2 个独立来源"),
    "filter_all": ("All", "全部"),
    "filter_reset": ("Show all", "显示全部"),
    "shown_of": ("{n} of {total} shown", "显示 {n} 条，共 {total} 条"),
    "no_claim_matches": ("No claim matches these filters.", "没有符合筛选条件的论断。"),
    "claims_cut": (
        "The first {n} claims are listed here; all {total} stand in Evidence (JSON).",
        "此处列出前 {n} 条论断；全部 {total} 条见“证据（JSON）”。",
    ),
    "col_claim": ("Claim", "编号"),
    "col_statement": ("Statement", "论断"),
    "col_state": ("State", "状态"),
    "col_view": ("Part", "部分"),
    "col_origins": ("Independent sources", "独立来源"),
    "col_grade": ("Grade", "等级"),
    "sort_by": ("Sort by {column}", "按{column}排序"),
    "open_passage": ("Open the passage", "打开原文段落"),
    "not_in_report": ("not used in the report", "报告中未采用"),
    "replaced_by": ("replaced by {claim}", "已被 {claim} 取代"),
    "at_odds_with": ("at odds with {claims}", "与 {claims} 不一致"),
    "grade_about": (
        "{total} of 15: source {reliability}, check {verification}, coverage {coverage}",
        "{total}/15：来源 {reliability}，核查 {verification}，覆盖 {coverage}",
    ),
    "no_view": ("–", "–"),
    # Report: contradictions
    "conflicts_title": ("Contradictions, side by side", "矛盾之处对照"),
    "conflict_open": (
        "Open: nothing that was read settles it.",
        "尚无定论：已阅读的内容无法裁定。",
    ),
    "conflict_settled": ("Settled for {claim}: {why}", "采信 {claim}：{why}"),
    "conflict_superseded": ("A newer source replaces an older value.", "较新的来源取代了旧数值。"),
    "side_older": ("Older", "较旧"),
    "side_newer": ("Newer", "较新"),
    "side_held": ("Held", "采信"),
    "undated": ("undated", "日期不详"),
    "basis_origins": ("{n} independent sources", "{n} 个独立来源"),
    "basis_origin_one": ("1 independent source", "1 个独立来源"),
    # Downloads
    "download_bundle": ("Evidence bundle (ZIP)", "证据包（ZIP）"),
    "download_failed": (
        "The file could not be fetched; the server does not answer. Try again.",
        "无法下载文件：服务器没有响应，请重试。",
    ),
    "preparing": ("Preparing…", "正在准备……"),
}
