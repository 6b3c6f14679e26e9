"""What a reader gets of the demo web: the statements of each page, as it is served."""

from __future__ import annotations

from io import BytesIO
from urllib.parse import urlsplit

import httpx
from lxml import html as lxml_html
from pypdf import PdfReader

from leadline.browsing.extract import extract_page
from leadline.browsing.passages import split_passages
from leadline.demo.content import DemoPage, Kind, load_content
from leadline.demo.server import DemoWeb
from leadline.domain.text import split_sentences


def all_statements(demo: DemoWeb) -> dict[str, list[str]]:
    """The statements of every page, once scripts, buttons and cookie walls are dealt with."""
    # plain http; loading certificates takes longer than a test
    with httpx.Client(base_url=f"http://127.0.0.1:{demo.port}", verify=False) as client:
        reader = _Reader(demo, client)
        return {key: reader.statements(page) for key, page in load_content().pages.items()}


class _Reader:
    def __init__(self, demo: DemoWeb, client: httpx.Client) -> None:
        self._demo = demo
        self._client = client

    def statements(self, page: DemoPage) -> list[str]:
        cookie = self._consent(page) if page.kind is Kind.CONSENT else ""
        response = self._get(page, page.path, cookie)
        if page.kind is Kind.PDF:
            return _of_pdf(response.content)
        found = _of_html(response.text, self._demo.page_url(page.key))
        if page.kind is Kind.SCRIPT:
            data = self._get(page, f"{page.path}.json").json()
            found += data["intro"]
            found += [" | ".join(row) for row in data["rows"]]
        if page.kind is Kind.MORE:
            start, more = 0, True
            while more:
                piece = self._get(page, f"{page.path}.json?from={start}").json()
                found += [post["text"] for post in piece["posts"]]
                start, more = start + len(piece["posts"]), piece["more"]
        return found

    def _get(self, page: DemoPage, path: str, cookie: str = "") -> httpx.Response:
        return self._client.get(path, headers={"host": self._host(page), "cookie": cookie})

    def _consent(self, page: DemoPage) -> str:
        """The cookie that the button of the wall sets."""
        form = lxml_html.fromstring(self._get(page, page.path).content).forms[0]
        answer = self._client.post(
            form.action, data=dict(form.form_values()), headers={"host": self._host(page)}
        )
        return str(answer.headers["set-cookie"]).partition(";")[0]

    def _host(self, page: DemoPage) -> str:
        return urlsplit(self._demo.page_url(page.key)).netloc


def _of_html(source: str, address: str) -> list[str]:
    passages, truncated = split_passages(extract_page(source, url=address).text)
    assert not truncated
    return [passage.text for passage in passages]


def _of_pdf(content: bytes) -> list[str]:
    sheets = [page.extract_text() for page in PdfReader(BytesIO(content)).pages]
    return [line for sheet in sheets for line in split_sentences(" ".join(sheet.split()))]
