"""Every sentence of the page, in English and in Simplified Chinese.

Invariant: each key has both languages with the same placeholders (a test holds this). Texts are
plain: what goes into HTML is escaped where it is put in, never here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from leadline.web.claim_texts import CLAIM_TEXTS

Language = Literal["en", "zh"]

_TABLE: dict[str, tuple[str, str]] = {
    # The frame
    "tagline": (
        "Research you can check, sentence by sentence.",
        "每一句都能核对的研究。",
    ),
    "skip": ("Skip to the content", "跳到正文"),
    "new_research": ("New research", "新的研究"),
    "search_runs": ("Search runs", "搜索记录"),
    "no_runs": (
        "Nothing here yet. Your runs will be listed here.",
        "还没有记录。您的研究会列在这里。",
    ),
    "no_match": ("No run matches.", "没有匹配的记录。"),
    "other_language": ("中文", "English"),
    # Ask
    "ask_title": ("What do you want to find out?", "您想了解什么？"),
    "ask_hint": (
        "Real browsers read the sources. Every sentence of the report leads to the passage "
        "behind it.",
        "由真实浏览器阅读来源，报告中的每一句都能追溯到原文段落。",
    ),
    "question": ("Question", "问题"),
    "question_placeholder": (
        "Ask a question or name a topic…",
        "输入一个问题或主题……",
    ),
    "depth": ("Depth", "深度"),
    "depth_quick": ("Quick", "快速"),
    "depth_standard": ("Standard", "标准"),
    "depth_deep": ("Deep", "深入"),
    "browsers": ("Parallel browsers", "并行浏览器"),
    "plan_first": ("Review the plan first", "先审阅计划"),
    "start": ("Start research", "开始研究"),
    "samples": ("Try one of these", "试试这些问题"),
    "demo_mark": ("demo", "演示"),
    "advanced": ("Advanced", "高级设置"),
    "group_limits": ("Limits", "限制"),
    "group_sources": ("Sources", "来源"),
    "group_model": ("Model", "模型"),
    "group_browser": ("Browser", "浏览器"),
    "group_plan": ("Your own plan", "自己的计划"),
    "loops": ("Follow-up rounds", "补充轮次"),
    "minutes": ("Minutes", "分钟"),
    "tokens": ("Model tokens", "模型词元"),
    "cost": ("Cost (US$)", "费用（美元）"),
    "preset_value": ("as the preset", "按预设"),
    "report_language": ("Report language", "报告语言"),
    "language_auto": ("As the question", "与问题相同"),
    "source": ("Where to look", "在哪里查找"),
    "source_web": ("The web", "互联网"),
    "source_demo": ("Demo web", "演示网站"),
    "engines": ("Search engines, in order", "搜索引擎（按顺序）"),
    "searxng_url": ("SearXNG address", "SearXNG 地址"),
    "template_url": ("Result page with {{query}}", "结果页地址（含 {{query}}）"),
    "only_domains": ("Only these sites", "仅限这些网站"),
    "without_domains": ("Leave these sites out", "排除这些网站"),
    "domains_placeholder": ("example.org, example.com", "example.org, example.com"),
    "provider": ("Provider", "提供方"),
    "provider_offline": ("Offline (no model)", "离线（无模型）"),
    "model_name": ("Model name", "模型名称"),
    "base_url": ("Base URL", "接口地址"),
    "base_url_placeholder": ("the provider's own", "提供方默认"),
    "api_key": ("API key", "API 密钥"),
    "api_key_info": (
        "Kept in memory only, for the runs started from here.",
        "仅保存在内存中，供由此启动的研究使用。",
    ),
    "key_set": ("Set by {origin}.", "已由 {origin} 设置。"),
    "temperature": ("Temperature", "温度"),
    "vision": ("Show screenshots to the model", "向模型提供截图"),
    "headless": ("No browser window", "不显示浏览器窗口"),
    "browser_path": ("Path of Chromium or Chrome", "Chromium 或 Chrome 路径"),
    "found_by_itself": ("found by itself", "自动查找"),
    "profile": ("Your own browser profile", "自己的浏览器配置目录"),
    "clean_profile": ("a clean one for each run", "每次使用全新的"),
    "cdp_url": ("Running browser (CDP address)", "已运行的浏览器（CDP 地址）"),
    "proxy": ("Proxy", "代理"),
    "own_plan": ("Plan in Markdown", "Markdown 计划"),
    "own_plan_placeholder": (
        "## History\n- [ ] When was it founded?\n- [ ] Who founded it?",
        "## 历史\n- [ ] 何时成立？\n- [ ] 由谁创立？",
    ),
    "own_plan_info": (
        "Its tasks are worked on as they stand; nothing is planned anew.",
        "将按原样执行其中的任务，不再重新规划。",
    ),
    "plan_file_too_large": (
        "This file is larger than 300 KB; choose a smaller one.",
        "该文件超过 300 KB，请选择较小的文件。",
    ),
    "open_plan_file": ("Open a plan file (.md)…", "打开计划文件（.md）……"),
    # What answers
    "banner_offline": (
        "No model is configured: the offline model picks quotes by rule.",
        "尚未配置模型：离线模型按规则摘取原文。",
    ),
    "banner_offline_more": (
        "Add one under Advanced → Model, or set LEADLINE_MODEL_NAME and its key.",
        "可在“高级设置 → 模型”中添加，或设置 LEADLINE_MODEL_NAME 及其密钥。",
    ),
    "banner_demo": (
        "Demo web: bundled invented pages, no internet.",
        "演示网站：随附的虚构页面，不访问互联网。",
    ),
    "banner_demo_more": (
        "Switch to the web under Advanced → Sources.",
        "可在“高级设置 → 来源”中切换到互联网。",
    ),
    "banner_model": (
        "{model} answers; pages come from the web.",
        "由 {model} 回答；页面来自互联网。",
    ),
    "banner_model_demo": ("{model} answers.", "由 {model} 回答。"),
    # Field messages
    "need_question": ("Type a question or a topic first.", "请先输入一个问题或主题。"),
    "bad_number": (
        "{field} must be a number between {low} and {high}.",
        "{field}必须是 {low} 到 {high} 之间的数字。",
    ),
    "bad_domain": (
        "“{value}” is not a site name; write it like example.org.",
        "“{value}”不是网站名，请写成 example.org 这样的形式。",
    ),
    "bad_url": (
        "{field} must start with {schemes}.",
        "{field}必须以 {schemes} 开头。",
    ),
    "bad_port": (
        "{field} names a port that does not exist; ports go from 1 to 65535.",
        "{field}中的端口不存在；端口范围为 1 到 65535。",
    ),
    "url_with_password": (
        "{field} must not hold a user name or password, since it is stored with the run.",
        "{field}会随研究保存，不能包含用户名或密码。",
    ),
    "need_model_name": (
        "Name the model that the provider should use.",
        "请填写要使用的模型名称。",
    ),
    "need_base_url": ("Enter the address of the endpoint.", "请填写接口地址。"),
    "need_key": (
        "This provider needs an API key: enter it here or set LEADLINE_MODEL_API_KEY.",
        "该提供方需要 API 密钥：请在此填写，或设置 LEADLINE_MODEL_API_KEY。",
    ),
    "need_engine": ("Choose at least one search engine.", "请至少选择一个搜索引擎。"),
    "need_searxng": ("Enter the address of your SearXNG.", "请填写 SearXNG 的地址。"),
    "need_template": (
        "Enter the address of a result page with {{query}} in it.",
        "请填写包含 {{query}} 的结果页地址。",
    ),
    "no_such_file": ("There is no file at this path.", "该路径下没有文件。"),
    "no_such_folder": ("There is no folder at this path.", "该路径下没有文件夹。"),
    "plan_without_tasks": (
        "This plan has no task; write each one as “- [ ] what to find out”.",
        "该计划没有任务；请将每个任务写成“- [ ] 要查明的内容”。",
    ),
    "plan_too_long": (
        "This plan is too long for one run; keep it to {n} short tasks at most.",
        "该计划过长，单次研究最多支持 {n} 个简短的任务。",
    ),
    # States
    "state_queued": ("Waiting", "排队中"),
    "state_planning": ("Planning", "规划中"),
    "state_planned": ("Plan ready", "计划就绪"),
    "state_researching": ("Researching", "研究中"),
    "state_verifying": ("Checking", "核查中"),
    "state_writing": ("Writing", "撰写中"),
    "state_stopping": ("Stopping", "正在停止"),
    "state_done": ("Done", "已完成"),
    "state_empty": ("Nothing found", "未找到内容"),
    "state_stopped": ("Stopped", "已停止"),
    "state_failed": ("Failed", "失败"),
    "state_interrupted": ("Interrupted", "已中断"),
    "state_damaged": ("Damaged", "已损坏"),
    "state_plan_only": ("Only a plan", "仅有计划"),
    "state_starting": ("Starting", "正在启动"),
    "about_queued": ("Its process is coming up.", "其进程正在启动。"),
    "about_queued_at": (
        "Waiting for its turn: number {place} in the queue.",
        "正在排队：第 {place} 位。",
    ),
    "about_planning": ("Working out what to look for.", "正在确定要查找的内容。"),
    "about_planned": (
        "Read the plan, change what you like, then start.",
        "请查看计划，按需修改，然后开始。",
    ),
    "about_researching": ("Browsers are reading sources.", "浏览器正在阅读来源。"),
    "about_verifying": ("Claims are checked against their sources.", "正在对照来源核查各项陈述。"),
    "about_writing": ("Writing the report from what was found.", "正在根据发现撰写报告。"),
    "about_stopping": ("What was found is kept.", "已有发现会保留。"),
    "about_done": ("The report is ready.", "报告已完成。"),
    "about_empty": (
        "It ran to its end and found nothing that it could cite.",
        "已运行完毕，没有找到可以引用的内容。",
    ),
    "about_stopped": ("Resume goes on with the open tasks.", "“继续”将执行未完成的任务。"),
    "about_failed": ("What was found is kept.", "已有发现会保留。"),
    "about_interrupted": (
        "Its process ended without a word. Resume goes on from what was kept.",
        "其进程意外结束。“继续”将从已保留的内容继续。",
    ),
    # Steps and actions
    "step_plan": ("Plan", "计划"),
    "step_run": ("Run", "进行"),
    "step_report": ("Report", "报告"),
    "stop": ("Stop", "停止"),
    "stopping": ("Stopping…", "正在停止……"),
    "start_plan": ("Start", "开始"),
    "resume": ("Resume", "继续"),
    "retry_one": ("Try the failed task again", "重试失败的任务"),
    "retry_n": ("Try the {n} failed tasks again", "重试 {n} 个失败的任务"),
    "raise_to": ("{field} · its {n} are used up", "{field} · 已用完 {n}"),
    "raise_more": (
        "{field}: enter a number above the {low} used so far, and not above {high}.",
        "{field}：请填写大于已用的 {low}、不超过 {high} 的数字。",
    ),
    "key_missing": (
        "Its model needs an API key, and none is set.",
        "其模型需要 API 密钥，但尚未设置。",
    ),
    "key_refused": (
        "Its model refused the request. If the key was wrong, enter the right one.",
        "其模型拒绝了请求。如果密钥有误，请填写正确的密钥。",
    ),
    "key_as_before": ("empty: the one from before", "留空则沿用之前的密钥"),
    "key_in_memory": ("kept in memory only", "仅保存在内存中"),
    "need_resume_key": (
        "Enter the API key of the model, or set LEADLINE_MODEL_API_KEY and start Leadline anew.",
        "请填写模型的 API 密钥，或设置 LEADLINE_MODEL_API_KEY 后重新启动 Leadline。",
    ),
    "run_again": ("Run the plan again", "按计划重新运行"),
    "edit_plan": ("Edit the plan", "编辑计划"),
    "save_plan": ("Save", "保存"),
    "close_editor": ("Close", "关闭"),
    "editor_label": ("Plan (Markdown)", "计划（Markdown）"),
    "editor_info": (
        "One “## Heading” a stage, one “- [ ] task” a line. [x] done, [-] failed.",
        "每个阶段一个“## 标题”，每行一个“- [ ] 任务”。[x] 完成，[-] 失败。",
    ),
    "plan_saved": ("Saved.", "已保存。"),
    "plan_merged": (
        "Saved, with the boxes that were ticked meanwhile.",
        "已保存，并保留了期间勾选的任务。",
    ),
    "plan_conflict": (
        "The plan changed while you were editing. Yours is still below and not saved; the plan "
        "as it stands now is shown above. Take over what you need and save again to replace it.",
        "编辑期间计划已被更改。您的内容仍在下方，尚未保存；上方是当前的计划。请合并需要的内容，再次保存即可替换。",
    ),
    "draft_kept": (
        "You have an edit of this plan that is not saved.",
        "您对该计划的修改尚未保存。",
    ),
    "draft_restore": ("Restore", "恢复"),
    "draft_discard": ("Discard", "放弃"),
    "server_down": (
        "Leadline’s server does not answer. What your runs have found is kept; this page goes on "
        "by itself when the server is back.",
        "Leadline 服务器没有响应。研究已有的发现会保留；服务器恢复后，本页面会自动继续。",
    ),
    "delete": ("Delete", "删除"),
    "delete_confirm": (
        "Delete “{{topic}}” with its report and sources? This cannot be undone.",
        "删除“{{topic}}”及其报告和来源？此操作无法撤销。",
    ),
    "deleted": ("Deleted.", "已删除。"),
    "cancel": ("Cancel", "取消"),
    "unexpected": (
        "Something went wrong here; the server's log says what. The run is not affected.",
        "此处出现问题，详情见服务器日志。研究本身不受影响。",
    ),
    # Plan
    "plan_empty": ("The plan appears here as soon as it is made.", "计划生成后会显示在这里。"),
    "task_open": ("open", "未完成"),
    "task_running": ("at work", "进行中"),
    "task_done": ("done", "完成"),
    "task_failed": ("failed", "失败"),
    "findings_n": ("{n} findings", "{n} 条发现"),
    "finding_one": ("1 finding", "1 条发现"),
    # Run
    "count_elapsed": ("Elapsed", "用时"),
    "count_tasks": ("Tasks", "任务"),
    "count_pages": ("Pages", "页面"),
    "count_findings": ("Findings", "发现"),
    "count_calls": ("Model calls", "模型调用"),
    "count_steps": ("Steps by rule", "规则步骤"),
    "count_tokens": ("Tokens", "词元"),
    "count_cost": ("Cost", "费用"),
    "count_browsers": ("Browsers", "浏览器"),
    "workers": ("Browsers at work", "工作中的浏览器"),
    "no_workers": ("No browser is at work.", "没有浏览器在工作。"),
    "worker_waiting": ("waiting for a browser", "等待浏览器"),
    "worker_searching": ("searching", "正在搜索"),
    "worker_reading": ("reading", "正在阅读"),
    "worker_thinking": ("waiting for the model", "等待模型"),
    "worker_browsing": ("browsing", "正在浏览"),
    "worker_finished": ("finished", "已结束"),
    "worker_failed": ("failed", "失败"),
    "worker_step": ("step {n}", "第 {n} 步"),
    "screen_of": ("Screenshot of {title}", "{title} 的截图"),
    "sources_found": ("Sources read", "已阅读的来源"),
    "no_sources": ("No source has been read yet.", "尚未阅读来源。"),
    "failed_pages": ("Pages that gave nothing", "未能获取的页面"),
    "page_blocked": ("blocked", "被阻止"),
    "activity": ("Activity", "活动"),
    "no_activity": ("Nothing has happened yet.", "尚无活动。"),
    # Feed
    "feed_started": ("Work began with {model}.", "开始工作，模型：{model}。"),
    "feed_resumed": ("Work went on with {model}.", "继续工作，模型：{model}。"),
    "feed_plan": ("The plan has {n} tasks.", "计划共有 {n} 个任务。"),
    "feed_plan_user": ("Your changes to the plan were taken over.", "已采纳您对计划的修改。"),
    "feed_task_started": ("Task taken up: {text}", "开始任务：{text}"),
    "feed_task_again": ("Task tried again ({n}): {text}", "再次尝试任务（第 {n} 次）：{text}"),
    "feed_task_done": ("Task done: {text}", "任务完成：{text}"),
    "feed_task_failed": ("Task failed: {text}", "任务失败：{text}"),
    "feed_task_open": ("Task left open: {text}", "任务未完成：{text}"),
    "feed_search": (
        "Searched {engine} for “{query}”: {n} results",
        "在 {engine} 搜索“{query}”：{n} 条结果",
    ),
    "feed_page": ("Read {title}", "已阅读：{title}"),
    "feed_page_failed": ("No text from {site}: {reason}", "未能读取 {site}：{reason}"),
    "feed_page_blocked": ("Blocked by {site}: {reason}", "被 {site} 阻止：{reason}"),
    "feed_finding": ("Found: {claim}", "发现：{claim}"),
    "feed_report": ("The report is written: {n} citations.", "报告已写成：{n} 处引用。"),
    "feed_report_partial": (
        "A partial report is written: {n} citations.",
        "已写成部分报告：{n} 处引用。",
    ),
    "feed_model_failed": ("A model call failed: {detail}", "模型调用失败：{detail}"),
    "feed_end": ("{state}. {reason}", "{state}。{reason}"),
    # Report
    "report_none": ("The report appears here when it is written.", "报告写成后会显示在这里。"),
    "report_none_final": (
        "There is no report: the run ended before one could be written.",
        "没有报告：研究在写成报告之前已结束。",
    ),
    "report_partial": (
        "A partial report, from what had been found when the run ended.",
        "部分报告：根据研究结束时已有的发现写成。",
    ),
    "report_draft": ("Draft, while it is being written.", "撰写中的草稿。"),
    "downloads": ("Download", "下载"),
    "download_md": ("Markdown", "Markdown"),
    "download_html": ("HTML", "HTML"),
    "download_evidence": ("Evidence (JSON)", "证据（JSON）"),
    "download_log": ("Log", "日志"),
    "copy_report": ("Copy as Markdown", "复制 Markdown"),
    "copied": ("Copied", "已复制"),
    "passage_panel": ("Stored passage", "存储的原文段落"),
    "open_in_tab": ("Open in a new tab", "在新标签页打开"),
    "close": ("Close", "关闭"),
    # Times
    "minutes_n": ("{n} min", "{n} 分钟"),
    "just_now": ("just now", "刚刚"),
    "minutes_ago": ("{n} min ago", "{n} 分钟前"),
    "hours_ago": ("{n} h ago", "{n} 小时前"),
    "days_ago": ("{n} d ago", "{n} 天前"),
    "tasks_of": ("{done} of {all}", "{done}/{all}"),
    **CLAIM_TEXTS,
}


@dataclass(frozen=True)
class Texts:
    """The texts of one language: ``texts("bad_url", field="Proxy", schemes="http://")``."""

    language: Language = "en"

    def __call__(self, key: str, **values: object) -> str:
        """The text of ``key`` with its placeholders filled; an unknown key is a ``KeyError``."""
        return _TABLE[key][0 if self.language == "en" else 1].format(**values)

    @property
    def root(self) -> str:
        """Path of the page in this language."""
        return "/" if self.language == "en" else "/zh/"


def keys() -> dict[str, tuple[str, str]]:
    """A copy of the whole table, for the tests."""
    return dict(_TABLE)
