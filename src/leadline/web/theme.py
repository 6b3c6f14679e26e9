"""The Gradio theme: system fonts (nothing is fetched), one accent, quiet surfaces."""

from __future__ import annotations

import gradio as gr
from gradio.themes.utils.colors import Color
from gradio.themes.utils.fonts import Font

ACCENT = Color(
    name="lead",
    c50="#eef7f8",
    c100="#d5ecef",
    c200="#aad9df",
    c300="#76bfc9",
    c400="#429fad",
    c500="#1f8394",
    c600="#116a7b",
    c700="#0f5665",
    c800="#104652",
    c900="#113a44",
    c950="#06232b",
)
INK = Color(
    name="ink",
    c50="#fafaf9",
    c100="#f4f4f2",
    c200="#e6e6e2",
    c300="#d3d3cd",
    c400="#a1a19a",
    c500="#73736c",
    c600="#575751",
    c700="#42423d",
    c800="#272724",
    c900="#1b1b19",
    c950="#121211",
)
SANS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "PingFang SC")
SANS_MORE = ("Microsoft YaHei", "Noto Sans CJK SC", "sans-serif")
MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")


def build_theme() -> gr.themes.Base:
    """The theme of the page."""
    theme = gr.themes.Base(
        primary_hue=ACCENT,
        secondary_hue=ACCENT,
        neutral_hue=INK,
        radius_size="md",
        font=[Font(name) for name in (*SANS, *SANS_MORE)],
        font_mono=[Font(name) for name in MONO],
    )
    return theme.set(
        body_background_fill="#fcfcfb",
        body_background_fill_dark="#161615",
        background_fill_secondary="#f6f6f4",
        background_fill_secondary_dark="#1d1d1b",
        block_background_fill="transparent",
        block_background_fill_dark="transparent",
        block_border_width="0px",
        block_shadow="none",
        block_label_background_fill="transparent",
        block_label_background_fill_dark="transparent",
        block_title_text_weight="500",
        block_title_text_size="*text_sm",
        input_background_fill="white",
        input_background_fill_dark="#1f1f1d",
        input_border_color="*neutral_300",
        input_border_color_dark="#3b3b37",
        input_border_width="1px",
        input_shadow="none",
        input_shadow_focus="0 0 0 3px rgba(17, 106, 123, 0.18)",
        input_border_color_focus="*primary_500",
        button_primary_background_fill="*primary_600",
        button_primary_background_fill_hover="*primary_700",
        button_primary_background_fill_dark="*primary_500",
        button_primary_background_fill_hover_dark="*primary_600",
        button_primary_text_color="white",
        button_secondary_background_fill="transparent",
        button_secondary_background_fill_hover="*neutral_100",
        button_secondary_background_fill_dark="transparent",
        button_secondary_background_fill_hover_dark="#2a2a27",
        button_secondary_border_color="*neutral_300",
        button_secondary_border_color_dark="#3b3b37",
        button_border_width="1px",
        button_large_text_weight="550",
        button_medium_text_weight="500",
        slider_color="*primary_600",
        slider_color_dark="*primary_400",
        checkbox_background_color_selected="*primary_600",
        checkbox_background_color_selected_dark="*primary_500",
        link_text_color="*primary_700",
        link_text_color_dark="*primary_300",
    )
