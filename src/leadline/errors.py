"""Every error that Leadline raises on purpose, in one tree.

A message is one sentence for a person: what is wrong and what to do about it. It never holds a
secret, a traceback or page text. The class says what the caller should do.

    LeadlineError
    ├── UserError                 the input is wrong; exit code 2, nothing was changed
    │   ├── InvalidTopic
    │   ├── InvalidTaskId
    │   ├── InvalidPlan
    │   ├── InvalidSetting
    │   ├── PlanConflict          the plan file changed under its editor
    │   └── UnknownRun
    ├── RunBusy                   another process owns the run; names it
    ├── RunFolderDamaged          a file of the run cannot be read; names it and its backup
    ├── ModelError                one model call failed for good
    │   ├── ModelUnavailable      no answer: endpoint down, 5xx, 429 after all retries, time-out
    │   ├── ModelRejected         the endpoint refuses us: key, model name, request
    │   └── ModelAnswerInvalid    an answer came, and no step of the ladder could read it
    ├── BrowserError
    │   ├── BrowserMissing        no Chromium on this machine
    │   └── BrowserFailed         it would not start, or died
    ├── PageError                 one page failed; the worker goes on
    │   ├── PageBlocked           a wall: captcha, cookie wall, 401, 403, 404, 429, soft 404
    │   └── PageUnreadable        time-out, too large, not text, crash, bad TLS
    ├── EgressRefused             an address that pages may not reach
    ├── SearchError
    │   ├── SearchBlocked         the engine shows a captcha or a 429; cool it down
    │   └── SearchUnavailable     it does not answer, or is not configured
    │       └── SearchMisconfigured   it cannot work before its settings change
    ├── LimitReached              a limit of the run; names it
    ├── InvalidTemplate           a report template that cannot be used; names file and field
    └── PortTaken
"""

from __future__ import annotations


class LeadlineError(Exception):
    """Base of all deliberate errors; ``str(error)`` is one sentence for a person."""


class UserError(LeadlineError):
    """The input is wrong. Nothing was changed; the sentence says what to do."""


class InvalidTopic(UserError):
    """The topic is empty, too long, or not text."""


class InvalidTaskId(UserError):
    """The id of a run does not match ``^[A-Za-z0-9][A-Za-z0-9-]{0,63}$``."""


class InvalidPlan(UserError):
    """A plan without a single task, or a file that is not a plan."""


class InvalidSetting(UserError):
    """A setting has a value that it cannot have; the sentence names both."""


class PlanConflict(UserError):
    """The plan changed since the editor read it; the edit was not saved over it."""


class UnknownRun(UserError):
    """No run has this id."""


class RunBusy(LeadlineError):
    """Another process owns the run folder."""


class RunFolderDamaged(LeadlineError):
    """A file of the run folder cannot be read; the sentence names it and its backup."""


class ModelError(LeadlineError):
    """One model call failed for good."""


class ModelUnavailable(ModelError):
    """No answer after all retries: endpoint down, 5xx, 429, time-out."""


class ModelRejected(ModelError):
    """The endpoint answered and refuses: wrong key, unknown model, bad request."""


class ModelAnswerInvalid(ModelError):
    """An answer came, and no step of the ladder could make the expected object of it."""


class BrowserError(LeadlineError):
    """A browser is missing or died."""


class BrowserMissing(BrowserError):
    """No Chromium was found on this machine."""


class BrowserFailed(BrowserError):
    """Chromium did not start, or ended while it was needed."""


class PageError(LeadlineError):
    """One page could not be used; its worker goes on."""


class PageBlocked(PageError):
    """The page is a wall (``reason``: captcha, cookie_wall, login, forbidden, not_found, …)."""

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class PageUnreadable(PageError):
    """Nothing readable came: time-out, too large, wrong type, renderer crash, bad TLS.

    ``transient``: it may come another time (a time-out, a server in trouble).
    """

    def __init__(self, message: str, *, transient: bool = False) -> None:
        super().__init__(message)
        self.transient = transient


class EgressRefused(LeadlineError):
    """An address that pages may not reach (private, loopback, metadata, wrong scheme)."""


class SearchError(LeadlineError):
    """A search back end gave no results."""


class SearchBlocked(SearchError):
    """The engine refuses us for now (captcha, 429): cool it down and use the next one."""


class SearchUnavailable(SearchError):
    """The engine does not answer, or lacks its address or key."""


class SearchMisconfigured(SearchUnavailable):
    """The engine answers and cannot be used until its settings change: not tried again."""


class LimitReached(LeadlineError):
    """A limit of the run is used up (``limit`` is the field of ``Limits``)."""

    def __init__(self, message: str, *, limit: str) -> None:
        super().__init__(message)
        self.limit = limit


class InvalidTemplate(LeadlineError):
    """A template file that cannot be used; the sentence names the file and the field."""


class PortTaken(LeadlineError):
    """Something else listens on the port of the server."""
