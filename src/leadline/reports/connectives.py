"""Words and phrases that connect sentences and state nothing by themselves.

An uncited sentence stays in a report only when it is made of these; whatever is not here counts as
a statement. So the lists may be short: a missing word costs a transition, never the truth.
"""

from __future__ import annotations

from leadline.domain.text import terms

CONNECTIVES = frozenset(
    terms(
        """
        however overall summary summarise summarize short brief briefly first second third finally
        next then also besides moreover furthermore nevertheless still yet thus therefore hence
        instead conversely meanwhile similarly likewise otherwise additionally notably
        source sources finding findings evidence passage passages page pages section report
        agree agrees disagree disagrees differ differs vary varies conflict say says show shows
        describe describes follow follows following below above point points view views picture
        detail details question questions answer answers topic aspect aspects example examples
        main key several many few important note noted clear unclear open remain remains
        matter matters limited mixed let see look turn turning consider come comes
        """
    )
)

CONNECTIVES_CJK = (
    "综上所述", "总的来说", "总体而言", "总而言之", "具体而言", "具体如下", "具体来说",
    "值得注意的是", "与此同时", "另一方面", "一方面", "除此之外", "此外", "然而", "不过", "但是",
    "因此", "所以", "首先", "其次", "最后", "同时", "另外", "相比之下", "换言之", "例如", "如下",
    "以下", "各来源", "来源", "说法", "不一致", "一致", "不同", "存在", "分歧", "要点", "主要",
    "发现", "总结", "小结", "详见", "下文", "上文", "方面", "这一点", "这些", "问题", "不清楚",
    "没有定论", "有", "的", "是", "在", "上", "仍", "尚",
)  # fmt: skip
"""Longer phrases stand before their parts."""
