"""Requests to EDGAR: within its limit, tried again with growing pauses, bounded, stoppable at any moment."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from fin_tui.config import Edgar
from fin_tui.filings.edgar.contact import Contact
from fin_tui.filings.edgar.errors import EdgarError, NotAtEdgar, Stopped
from fin_tui.filings.edgar.package import Addresses, headers, user_agent, wait_turn
from fin_tui.filings.edgar.transfer import Broken, Cancelled, TooLarge, pieces

if TYPE_CHECKING:
    from requests import Response, Session
    from urllib3.util import Retry

T = TypeVar("T")
_log = logging.getLogger(__name__)
_TRIES = 6
_FIRST_PAUSE = 0.5
"""Seconds before the second try; each pause is twice the one before."""
_LONGEST_PAUSE = 60
_AGAIN = frozenset({403, 408, 425, 429, 500, 502, 503, 504})
"""403 is also EDGAR's answer to who asks too often."""
_BODIES = frozenset({200, 206, 416})
_LIST_BYTES = 64 << 20
_CONNECT_S = 10


class Client:
    """A session with EDGAR, for one thread. ``cancelled`` is looked at all the time; a stop raises ``Stopped``."""

    def __init__(
        self, settings: Edgar, contact: Contact, cancelled: Callable[[], bool], first_pause: float = _FIRST_PAUSE
    ) -> None:
        self.settings = settings
        self.addresses = Addresses.of(settings)
        self.cancelled = cancelled
        self._headers = dict(headers(user_agent(contact.name, contact.email)))
        self._first_pause = first_pause
        self._session: Session | None = None

    def close(self) -> None:
        """Close the connections; safe to call twice."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def read(self, address: str, check: Callable[[bytes], T]) -> T:
        """What ``check`` makes of a list's body; when that raises ``Broken`` the list is asked for again.

        Raises ``NotAtEdgar`` for 404, ``EdgarError`` when all tries failed, ``Stopped``.
        """

        def once() -> T:
            with self.ask(address) as response:
                until = time.monotonic() + self.settings.file_s
                body = b"".join(pieces(response.raw, largest=_LIST_BYTES, until=until, cancelled=self.cancelled))
            return check(body)

        return self.attempt(address, once)

    def attempt(self, address: str, once: Callable[[], T]) -> T:
        """What ``once`` gives; tried again when it raises ``Broken``, with pauses that grow or that EDGAR asks for."""
        retries = self._policy()
        while True:
            try:
                return once()
            except Broken as error:
                broken = error
            except TooLarge as error:
                raise EdgarError(f"{_name(address)} is too large; it was left out.", "edgar.file_mb is the bound.") from error
            except Cancelled as error:
                raise Stopped("Stopped.") from error
            if not retries.total:
                raise EdgarError(f"EDGAR did not give {_name(address)} in {_TRIES} tries: {broken}.", _hint(str(broken)))
            retries = retries.increment(method="GET", url=address)
            pause = max(retries.get_backoff_time(), self._first_pause) if broken.pause is None else broken.pause
            _log.info("%s: %s; again in %.1f s", _name(address), broken, pause)
            self._sleep(min(pause, _LONGEST_PAUSE))

    def ask(self, address: str, extra: Mapping[str, str] | None = None) -> Response:
        """One request; the answer's body is still to be read. Raises ``Broken`` for what is worth another try."""
        import requests

        if not wait_turn(self.cancelled):
            raise Cancelled
        timeouts = (min(_CONNECT_S, self.settings.timeout_s), self.settings.timeout_s)
        try:
            # A filing is where its address says; who sends us elsewhere is not EDGAR.
            response = self._opened().get(
                address, headers={**self._headers, **(extra or {})}, timeout=timeouts, stream=True, allow_redirects=False
            )
        except requests.RequestException as error:
            raise Broken(f"no connection ({type(error).__name__})") from error
        if response.status_code in _BODIES:
            return response
        with response:
            raise self._refusal(address, response)

    def _refusal(self, address: str, response: Response) -> Exception:
        from urllib3.exceptions import InvalidHeader

        status = response.status_code
        if status in (404, 410):
            return NotAtEdgar(f"EDGAR has no {_name(address)}.")
        if status not in _AGAIN:
            return EdgarError(f"EDGAR answered {status} for {_name(address)}.", "Look the filing up at EDGAR, or try later.")
        try:
            pause = self._policy().get_retry_after(response.raw)
        except InvalidHeader:
            pause = None
        return Broken(f"it answered {status}", pause)

    def _policy(self) -> Retry:
        from urllib3.util import Retry

        return Retry(total=_TRIES - 1, backoff_factor=self._first_pause, backoff_max=_LONGEST_PAUSE)

    def _sleep(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self.cancelled():
                raise Stopped("Stopped.")
            time.sleep(min(left, 0.1))

    def _opened(self) -> Session:
        if self._session is None:
            import requests

            self._session = requests.Session()
        return self._session


def _name(address: str) -> str:
    return address.split("?", 1)[0].rstrip("/").rsplit("/", 1)[-1][:80]


def _hint(why: str) -> str:
    if "403" in why or "429" in why:
        return "EDGAR refuses for about ten minutes who asks too often or gives no true name: check edgar.name and edgar.email."
    return "Try again later: what came is kept, and the download goes on from there."
