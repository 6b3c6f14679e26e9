"""Small result pages in the form of the engines', written for these tests."""

from __future__ import annotations

import base64
from urllib.parse import quote


def duckduckgo_row(title: str, url: str, snippet: str, date: str = "", css: str = "") -> str:
    link = f"//duckduckgo.com/l/?uddg={quote(url, safe='')}&amp;rut=0a1b"
    shown = f"<span>&nbsp; {date}T00:00:00.0000000</span>" if date else ""
    return f"""
    <div class="result results_links results_links_deep {css}">
     <div class="links_main links_deep result__body">
      <h2 class="result__title"><a rel="nofollow" class="result__a" href="{link}">{title}</a></h2>
      <div class="result__extras"><div class="result__extras__url">
       <a class="result__url" href="{link}">shown</a>{shown}</div></div>
      <a class="result__snippet" href="{link}">{snippet}</a>
     </div>
    </div>"""


def duckduckgo_page(*rows: str) -> str:
    return f"<html><body><div id='links' class='results'>{''.join(rows)}</div></body></html>"


DUCKDUCKGO_NONE = "<html><body><div class='no-results'>No results.</div></body></html>"
DUCKDUCKGO_CHALLENGE = """<html><body>
 <form id="challenge-form" action="//duckduckgo.com/anomaly.js">
 <div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>
 <p>Please complete the following challenge.</p></form></body></html>"""


def bing_link(url: str) -> str:
    coded = base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")
    return f"https://www.bing.com/ck/a?!&amp;&amp;p=77ab&amp;ptn=3&amp;u=a1{coded}&amp;ntb=1"


def bing_page(*rows: str) -> str:
    return f"<html><body><ol id='b_results'>{''.join(rows)}</ol></body></html>"


def bing_row(title: str, link: str, snippet: str, date: str = "") -> str:
    shown = f"<span class='news_dt'>{date}</span> · " if date else ""
    return f"""<li class="b_algo"><div class="b_tpcn"><a href="{link}">site</a></div>
     <h2><a href="{link}">{title}</a></h2>
     <div class="b_caption"><p class="b_lineclamp2">{shown}{snippet}</p></div></li>"""


BING_AD = """<li class="b_ad"><ul><li><h2><a href="https://www.bing.com/aclk?ld=1">Buy</a></h2></li>
 </ul></li>"""
BING_NONE = bing_page("<li class='b_no'><h1>There are no results for this.</h1></li>")
BING_CHALLENGE = """<html><head><title>qq - Search</title></head><body>
 <div class="captcha"><h1>One last step</h1>
 <p>Please solve the challenge below to continue</p></div></body></html>"""
