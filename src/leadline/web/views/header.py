"""The head of a run: topic, state, one sentence, and the marker the page's script reads. Pure."""

from __future__ import annotations

from leadline.domain.run import RunStatus
from leadline.web.run_sentences import in_words, without_echo
from leadline.web.texts import Texts
from leadline.web.views.html import badge, cut, esc


def header(
    *,
    task_id: str,
    topic: str,
    status: RunStatus,
    reason: str,
    place: int | None,
    texts: Texts,
    about: str = "",
) -> str:
    """Topic and state of the open run. ``place`` is its number in the queue, from 1; a queued run
    without one has a slot and is starting.

    ``about`` says more of the state than the state's own sentence.
    """
    starting = status is RunStatus.QUEUED and not place
    word = texts("state_starting" if starting else f"state_{status.value}")
    if status is RunStatus.QUEUED and place:
        about = texts("about_queued_at", place=place)
    about = about or texts(f"about_{status.value}")
    reason = in_words(without_echo(status, reason), texts)
    if about.rstrip(".。").casefold() in reason.casefold():
        about = ""
    said = [f"<span>{esc(about)}</span>"] if about else []
    if reason:
        said.append(f'<span class="ll-reason">{esc(reason)}</span>')
    live = " ll-live" if status.is_active else ""
    topic_line = cut(topic, 400)
    title = f"{word} · {cut(topic, 60)}"
    return (
        f'<div class="ll-run-head{live}" data-ll-run="{esc(task_id)}" '
        f'data-ll-status="{status.value}" data-ll-title="{esc(title)}">'
        f'<h1 dir="auto" title="{esc(topic_line)}">{esc(topic_line)}</h1>'
        f'<p class="ll-state" role="status">{badge(status, texts, word=word)} '
        f"{' '.join(said)}</p></div>"
    )


def no_run(texts: Texts) -> str:
    """The marker of the Ask page, with no run open."""
    title = f"Leadline · {texts('new_research')}"
    return f'<div data-ll-run="" data-ll-status="" data-ll-title="{esc(title)}" hidden></div>'
