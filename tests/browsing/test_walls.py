"""Walls are told from pages (safety 47: a wall page is never evidence)."""

from __future__ import annotations

import pytest

from leadline.browsing.walls import WALL_SENTENCES, wall_reason

ARTICLE = " ".join(
    f"Paragraph {i} goes on about the subject with names, dates and numbers like {i * 7}."
    for i in range(40)
)


def reason(
    text: str = "",
    *,
    status: int = 200,
    title: str = "",
    html: str = "",
    url: str = "https://a.example/x",
) -> str | None:
    return wall_reason(status, title, text, html or f"<body>{text}</body>", url)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (401, "login"), (402, "login"), (403, "forbidden"), (404, "not_found"), (410, "not_found"),
        (429, "rate_limited"), (451, "forbidden"), (418, "forbidden"), (500, "server_error"),
        (502, "server_error"), (503, "server_error"), (200, None), (0, None), (204, None),
    ],
)  # fmt: skip
def test_status_decides(status: int, expected: str | None) -> None:
    assert reason(ARTICLE, status=status) == expected
    assert expected is None or expected in WALL_SENTENCES


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("Just a moment...", "Verifying you are human. This may take a few seconds.", "captcha"),
        ("Attention Required! | Cloudflare", "Please complete the security check.", "captcha"),
        ("", "Our systems have detected unusual traffic from your computer network.", "captcha"),
        ("", "Bitte bestätigen Sie, dass Sie ein Mensch sind.", "captcha"),
        ("安全验证", "请完成下方验证码后继续访问。", "captcha"),
        ("百度安全验证", "请拖动下方滑块完成拼图", "captcha"),
        ("", "Unfortunately, bots use DuckDuckGo too. Please complete the challenge.", "captcha"),
        ("We value your privacy", "We and our partners use cookies. Accept all.", "cookie_wall"),
        ("Bevor Sie fortfahren", "Cookies: akzeptieren oder ablehnen.", "cookie_wall"),
        ("", "本网站使用cookie，请点击同意继续。", "cookie_wall"),
        ("Log in to continue", "This page is for members only.", "login"),
        ("The secret life of moss", "Subscribe to continue. Already a member?", "login"),
        ("", "Dieser Artikel ist nur für Abonnenten. Jetzt anmelden und weiterlesen.", "login"),
        ("", "请登录后查看全部内容", "login"),
        ("Access denied", "You don't have permission to access this resource.", "forbidden"),
        ("", "Zugriff verweigert", "forbidden"),
        ("", "访问被拒绝", "forbidden"),
        ("404 Not Found", "nginx", "not_found"),
        ("Oops", "Sorry, the page you are looking for does not exist.", "not_found"),
        ("", "Die gesuchte Seite wurde leider nicht gefunden.", "not_found"),
        ("出错了", "抱歉，您访问的页面不存在。", "not_found"),
        ("", "Too many requests. Please slow down.", "rate_limited"),
        ("", "您的访问过于频繁，请稍后再试。", "rate_limited"),
        ("Error", "Internal server error", "server_error"),
    ],
)  # fmt: skip
def test_soft_walls(title: str, text: str, expected: str) -> None:
    assert reason(text, title=title) == expected


@pytest.mark.parametrize(
    ("title", "lead"),
    [
        ("How a captcha works", "A captcha asks: are you human? It is a test against bots."),
        ("HTTP 404 explained", "404 means that the page was not found. Servers send it often."),
        ("What cookie banners cost us", "Accept all cookies, says every banner. Studies differ."),
        ("Too many requests: a guide to 429", "Rate limits protect a server from overload."),
        ("Access denied: the story of a border", "Access was denied to thousands in 1990."),
        ("验证码的历史", "验证码是一种区分人和机器的测试。"),
    ],
)
def test_articles_about_walls_are_pages(title: str, lead: str) -> None:
    assert reason(f"{lead} {ARTICLE}", title=title) is None


@pytest.mark.parametrize(
    "text",
    [
        "Sum: 14",
        "The ferry leaves at 7:30. Tickets cost 404 crowns.",
        "Opening hours: Monday to Friday, 9 to 17. Closed on holidays.",
        "你好，世界。渡轮今天正常运营。",
        "No boats were found damaged after the storm; service goes on.",
    ],
)
def test_short_pages_that_say_something_are_pages(text: str) -> None:
    assert reason(text, title="Notice board") is None


def test_a_captcha_in_a_comment_form_does_not_make_a_wall() -> None:
    html = f"<body><p>{ARTICLE}</p><form><div class='g-recaptcha'></div></form></body>"
    assert reason(ARTICLE, html=html) is None


def test_challenge_pages_are_named_by_what_they_ask() -> None:
    html = "<title>Just a moment...</title><script>window._cf_chl_opt={}</script>"
    assert reason("", status=403, title="Just a moment...", html=html) == "captcha"
    assert reason("", status=503, title="Just a moment...", html=html) == "captcha"
    assert reason("", status=200, html="<body><div id='px-captcha'></div></body>") == "captcha"


def test_a_page_of_which_nothing_was_extracted_is_judged_by_its_html() -> None:
    assert reason("", html="<body><div>Please log in to continue</div></body>") == "login"


def test_a_refusal_that_asks_for_a_login_is_named_so() -> None:
    assert reason("Please sign in with your member number.", status=403) == "login"
