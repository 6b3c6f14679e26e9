"""Words that the offline policy knows: what they are akin to, and what a sentence does by them.

Data, kept apart from the code that reads it. Everyday words of research in five languages; nothing
here belongs to one topic. Akin words let a question find a sentence that says it otherwise.
"""

from __future__ import annotations

import re

from leadline.domain.text import terms

_AKIN = """
cost price fee fare tariff charge expense paid dear expensive | kosten kostete preis gebühr teuer
    | costo coste costó precio | coût prix tarif | 费用 价格 成本 造价 票价 收费 花费
funding fund finance financed subsidy grant loan bond budget paid | finanzierung förderung
    zuschuss
    | financiación presupuesto | financement | 资金 补贴 拨款 预算
revenue income sales profit turnover earned | umsatz gewinn einnahmen | ingresos ventas | 收入
    利润
salary wage pay staff employee worker jobs | gehalt lohn mitarbeiter | sueldos empleados | 工资
    员工
user customer client use used adopt adoption deployment serves needs
    | nutzer anwender kunde kasse einsatz nutzt braucht | usuario cliente utiliza guarda | 用户
    客户 案例 使用
migration migrate moved switch switched replaced conversion | umstieg umstellung umgestellt
    wechsel
    zieht | migración cambia cambió | 迁移 改用 旧系统
upgrade update updated | aktualisierung | actualización | 升级
speed fast performance throughput rate latency per second faster benchmark test
    | geschwindigkeit schnell sekunde durchsatz leistung messung schrieb | velocidad rendimiento
    tarda
    segundos | vitesse | 性能 速度 每秒 高峰
energy power electricity fuel watt kwh mwh gwh consumption | energie strom stromverbrauch
    leistungsaufnahme verbrauch | energía consumo | énergie | 能源 电力 能耗 节省
emission carbon co2 dioxide greenhouse climate | emissionen | emisiones | 排放 二氧化碳
limit maximum most size capacity large largest holds | grenze größe maximal höchstens begrenzt
    | límite tamaño máximo | limite taille | 上限 限制 容量 最多 规模
safety safe secure crash loss lose lost | sicherheit verlust verloren | seguridad pérdida perdió
    | sécurité perte | 安全 丢失
failure fault fail failed defect broke breakdown outage | ausfall stromausfall störung fehler
    | fallo avería | panne | 故障 停电
power cut outage blackout | stromausfall netzausfall | apagón corte | coupure | 停电
recovery recover restore restart ready | wiederherstellung bereit | recuperación | 恢复
licence license permit terms copyright | lizenz | licencia | 许可证 授权
fork rival alternative competitor successor | abspaltung konkurrent | bifurcación | 分支 替代
release version edition newest latest published | veröffentlicht version | versión | 版本 发布
support maintenance fixes guarantee warranty end | wartung | soporte | 支持 维护
download installed copies | herunterladen | descargas | 下载
contributor contributed developer volunteer community author | mitwirkende entwickler freiwillige
    | colaboradores | 贡献
error bug code message warning | fehler meldung | error mensaje | 错误 代码
stall hang freeze pause slow delay stopped | stillstand verzug | parada retraso | 停顿 卡顿
passenger ridership traveller rider visitor trips carried | fahrgäste passagiere | pasajeros
    viajeros
    | 乘客 客流
punctual punctuality late delay cancelled reliable | pünktlich verspätung | puntual retraso | 准点
    晚点
timetable schedule departure opening hours leaves | fahrplan abfahrt | horario salidas | 时刻 班次
noise sound decibel loud quiet | lärm geräusch | ruido | bruit | 噪声 噪音 分贝
animal species wildlife nature | tiere arten | animales especies | 动物 物种
storm weather wind flood | sturm wetter | tormenta | 风暴 天气
poll survey vote majority percent | umfrage abstimmung | encuesta voto | sondage | 民意 调查 投票
criticism critic debate dispute controversy campaign oppose disagree differ
    disadvantage complaint problem drawback weakness left leave opinion | kritik streit debatte |
    crítica debate | 争论 争议 批评 反对 不满
benefit advantage saves better gain | vorteil nutzen | ventaja beneficio | 优点 益处 好处
risk danger harm threat | risiko gefahr | riesgo peligro | risque | 风险 危险
history began founded since first origin opened | geschichte gegründet seit ursprung
    | historia fundada origen | 历史 开通 成立 首个 由来
future outlook planned expected forecast next recommend | zukunft geplant erwartet
    | futuro previsto | 未来 计划 预计 前景
latest recent recently new newest development announced | neu neueste seit | reciente nuevo | 最新
    最近
organisation company owner founder member council agency maker | firma gründer hersteller
    | empresa fundador | 公司 机构 人物
law regulation rule act policy ban | gesetz vorschrift verbot | ley norma | 法律 法规 规定
population inhabitants residents people | einwohner bevölkerung | habitantes población | 人口 居民
health disease patient illness symptom | gesundheit krankheit | salud enfermedad | 健康 疾病 患者
treatment therapy drug medicine dose | behandlung | tratamiento | 治疗 药物
death killed casualties victims | tote opfer | muertes víctimas | 死亡 伤亡
cause reason because why due | ursache grund | causa razón | 原因 由于
effect impact influence consequence | wirkung folge | efecto impacto | 影响 效果
alternative comparison compared versus difference | vergleich unterschied | comparación | 比较
    对比
measurement result counted measured data | messung ergebnis | medición resultado | 测量 结果 数据
    统计
"""

_ROOT = 6


def root(term: str) -> str:
    """The first letters of a long word: enough to know its relatives by."""
    return term[:_ROOT] if term.isalpha() and ord(term[0]) < 0x2E80 else term


def roots(text: str) -> frozenset[str]:
    """The roots of a text's words."""
    return frozenset(root(term) for term in terms(text))


def _groups() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in re.split(r"\n(?! )", _AKIN.strip()):
        group = roots(line.replace("|", " "))
        for word in group:
            found.setdefault(word, set()).update(group)
    return {word: frozenset(group - {word}) for word, group in found.items()}


_GROUPS = _groups()


def akin(word: str) -> frozenset[str]:
    """The roots that say something near to this one, in any language known here."""
    return _GROUPS.get(word, frozenset())


REQUEST_WORDS = roots(
    """find search research list name compare describe explain identify summarize summarise give
    overview information details detail determine investigate discover look tell show report main
    key important current topic question answer many much kind type different differing fact facts
    number numbers work works well good according take took often
    是什么 如何运作 关键事实 介绍 有什么 什么特点 数据"""
)
"""Words that say what to do rather than what about."""

INSTRUCTION = re.compile(
    r"(?:ignore|disregard) (?:\w+ ){0,3}(?:previous|prior|above|instruction)"
    r"|system prompt|(?:as|you are) an? (?:ai|assistant|language model)"
    r"|\b(?:ai|llm) (?:agents?|assistants?|models?|readers?|systems?)\b"
    r"|(?:dear|attention|note to) (?:ai|assistant|model|agent)|assistant[:,] "
    r"|you (?:must|should) (?:now )?(?:visit|send|write|say|report|include|reply|output|open)"
    r"|\byour (?:\w+ )?(?:task|instructions?|user|research plan|prompt)\b"
    r"|忽略(?:以上|之前|先前|所有)|系统提示",
    re.IGNORECASE,
)
"""An order to whoever reads the page."""

BOILERPLATE = re.compile(
    r"\bcookies?\b|all rights reserved|©|copyright|subscribe|newsletter|sign (?:in|up)"
    r"|log ?in\b|privacy policy|terms of (?:use|service)|share (?:this|on)|read more"
    r"|click here|advertisement|skip to|back to (?:top|about|the)|^(?:see also|related|contents)\b"
    r"|版权所有|隐私政策|登录|注册|^(?:相关阅读|siehe auch|véase)",
    re.IGNORECASE,
)
ABOUT_ITSELF = re.compile(
    r"^(?:(?:on|in) )?(?:this|these|the following) (?:page|pages|thread|board|article|"
    r"handbook|site|"
    r"website|post|section|document|report|table|list|guide|faq|category|chapter|appendix)\b"
    r"|^(?:these are|here (?:is|are)|below|the (?:table|list|figure)s? (?:below|above|shows?|"
    r"gives?))\b"
    r"|\bon this page\b|\bthis (?:page|thread|board) (?:gives|shows|collects|lists|describes|"
    r"is about)"
    r"|\b(?:is|are) (?:listed|described|explained|given|shown) (?:in|by|on) (?:the|our|this)\b"
    r"|[;,:] see (?:the|our|also)\b|^for [^.]{3,60} see (?:the|our)\b"
    r"|^(?:question|asked) (?:by|from)\b[^:]{0,60}:|^a question about\b|本页|本文(?:介绍|"
    r"说明)|^diese seite|^esta página",
    re.IGNORECASE,
)
"""A page that speaks of itself, not of its subject."""

DISAGREES = re.compile(
    r"\bdiffer(?:s|ent|ence)?\b|\bdisagree|\bcontradict|\bdisput|\bcontrary|\bhowever\b|\bwhereas\b"
    r"|\bcritic|\binflated\b|\bcannot (?:show|prove|be)|\bnot (?:show|prove|confirm)|"
    r"\bcalls? (?:that|this|it)"
    r"|\baccording to\b|\bcompared (?:with|to)\b|\binstead of\b|\brather than\b|\bclaims?\b|"
    r"\bopponents?\b"
    r"|\bjedoch\b|\bdagegen\b|\bsin embargo\b|不同|但是|然而|争论|认为|则为|不能证明",
    re.IGNORECASE,
)
"""Words of a comparison or of one side of a disagreement."""

REPLACES = re.compile(
    r"\breplac(?:e[sd]?|ing)\b|\bsupersed|\bno longer (?:valid|holds?|apply|applies)|\boutdated\b"
    r"|\b(?:older|newer|previous|earlier|current|new) (?:version|edition|prices?|limits?|figures?|"
    r"timetable|rules?)\b|\bgives? (?:a|an|another|other) (?:\w+ ){0,2}(?:figure|number|value|"
    r"cost|result)"
    r"|\b(?:different|lower|higher|other) (?:figure|number|value|cost|estimate|result)s?\b|"
    r"\bcorrection\b"
    r"|\bown (?:study|count|test|estimate)\b|\bersetz|\büberholt|\bsustituye|\breemplaza|取代|作废",
    re.IGNORECASE,
)
"""A page says that another one replaces or contradicts it."""

DOCUMENT = re.compile(r"\bpdf\b|\bfull (?:report|text|study|paper)\b|全文|完整报告", re.IGNORECASE)
"""A linked document."""

HIDES_MORE = re.compile(
    r"\b\d+ (?:posts|answers|comments|replies|reviews|entries|responses|messages|results)\b"
    r"|\b(?:oldest|newest) (?:first|come first)\b|\bpage 1 of \d|\b(?:load|show|view) (?:more|"
    r"all)\b"
    r"|\b\d+ (?:beiträge|antworten|kommentare|respuestas|comentarios)\b"
    r"|\d+ ?[条个篇](?:评论|回复|帖子|回答)",
    re.IGNORECASE,
)
"""A page says that it has more than it may show at once."""

CONSENT = re.compile(
    r"^(?:accept|agree|allow|i agree|ok\b|got it|continue|alle?s? (?:cookies )?(?:akzept|"
    r"annehm|zustimm)"
    r"|akzept|zustimm|einverstanden|acept|tout accepter|accepter|同意|接受)",
    re.IGNORECASE,
)
MORE = re.compile(
    r"\b(?:load|show|see|view) (?:more|all|older|newer|next)\b|^more\b|^next\b|"
    r"mehr (?:anzeigen|laden)"
    r"|weitere|(?:ver|cargar|mostrar) más|voir plus|更多|展开",
    re.IGNORECASE,
)
