"""Requests to EDGAR: within its limit, tried again with growing pauses, bounded, stoppable at any moment."""

from __future__ import annotations

import datetime as dt
import logging
import re
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from fin_tui.config import Edgar
from fin_tui.errors import FinTuiError, UsageError
from fin_tui.filings.edgar import Addresses, headers, user_agent, wait_turn

if TYPE_CHECKING:
    from requests import Response, Session
    from urllib3 import BaseHTTPResponse
    from urllib3.util import Retry

_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_HTML = (".htm", ".html")


@dataclass(frozen=True, slots=True)
class Company:
    """Who files. From outside: clean before it is shown."""

    cik: str
    """Ten digits."""
    name: str = ""
    ticker: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """A filing that can be fetched. Its fields are checked: safe as parts of an address and of a path."""

    accession: str
    company: Company
    form: str
    filed: dt.date | None
    period_end: dt.date | None
    document: str = ""
    """Base name of the primary HTML document; "" when there is only the full submission (before 2001)."""
    size: int = 0
    """Bytes of the full submission; 0 when EDGAR does not say. No document of it is larger."""

    @property
    def is_amendment(self) -> bool:
        return self.form.endswith("/A")

    @property
    def base_form(self) -> str:
        return self.form.removesuffix("/A")

    @property
    def year(self) -> int:
        """Of the period's end, else the year before it was filed."""
        if self.period_end:
            return self.period_end.year
        return self.filed.year - 1 if self.filed else 0

    @property
    def label(self) -> str:
        """For people; not cleaned."""
        name = self.company.ticker or self.company.name or self.company.cik
        return f"{name} {self.form} {self.period_end or self.filed or ''} ({self.accession})"


def spelled_accession(text: str) -> str:
    """``text`` as an accession number with its dashes; "" when it is none."""
    digits = text.strip().replace("-", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) == 18):
        return ""
    return f"{digits[:10]}-{digits[10:12]}-{digits[12:]}"


def safe_document(name: str) -> str:
    """The base name of an HTML primary document; "" when it is of another kind, or no plain file name."""
    base = name.rsplit("/", 1)[-1]
    is_plain = bool(_SAFE_NAME.fullmatch(base)) and ".." not in name and "\\" not in name
    return base if is_plain and base.lower().endswith(_HTML) else ""


def day(text: str) -> dt.date | None:
    """An ISO date; None when it is none."""
    try:
        return dt.date.fromisoformat(text[:10])
    except ValueError:
        return None


ANNUAL = ("10-K", "10-K405", "10-KT", "10-KT405")
"""Annual reports of one kind: 10-K405 until 2002 with a box ticked, 10-KT for a year cut short."""
_LABEL_REACH = dt.timedelta(days=120)
"""A fiscal year may end in the first months of the next calendar year."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is wanted of one company. Dates are of filing, as EDGAR counts."""

    forms: tuple[str, ...] = ANNUAL
    newest: int = 0
    """Only so many periods, the latest first; 0: all."""
    after: dt.date | None = None
    before: dt.date | None = None
    years: tuple[int, ...] = ()
    """Fiscal years; all when empty."""
    amends: bool = False

    @property
    def filed_after(self) -> dt.date | None:
        """No wanted original was filed earlier."""
        by_year = dt.date(min(self.years), 1, 1) if self.years else None
        return max(filter(None, (self.after, by_year)), default=None)


def choose(listed: Iterable[Listed], selection: Selection) -> tuple[Listed, ...]:
    """The wanted filings, newest first; an amendment only beside a wanted period."""
    fitting = [filing for filing in listed if _fits(filing, selection)]
    unique = list({filing.accession: filing for filing in fitting}.values())
    unique.sort(key=lambda filing: (filing.filed or dt.date.min, filing.accession), reverse=True)
    if not selection.newest:
        return tuple(unique)
    periods = set(_periods(unique)[: selection.newest])
    return tuple(filing for filing in unique if _period(filing) in periods)


def is_enough(listed: Sequence[Listed], selection: Selection) -> bool:
    """Whether older lists can add nothing that is wanted: the newest periods are there."""
    fitting = [filing for filing in listed if _fits(filing, selection)]
    return bool(selection.newest) and len(_periods(fitting)) >= selection.newest


def _periods(filings: Iterable[Listed]) -> list[object]:
    return list(dict.fromkeys(_period(filing) for filing in filings if not filing.is_amendment))


def _period(filing: Listed) -> object:
    return filing.period_end or filing.filed or filing.accession


def _fits(filing: Listed, selection: Selection) -> bool:
    if filing.base_form not in selection.forms or (filing.is_amendment and not selection.amends):
        return False
    if selection.after and (filing.filed is None or filing.filed < selection.after):
        return False
    if selection.before and (filing.filed is None or filing.filed > selection.before):
        return False
    return not selection.years or any(_may_be(filing, year) for year in selection.years)


def _may_be(filing: Listed, year: int) -> bool:
    """Whether a company may call the filing's period ``year``: it ends in it, or soon after it."""
    if filing.period_end is None:
        return filing.year == year
    return dt.date(year, 1, 1) <= filing.period_end <= dt.date(year, 12, 31) + _LABEL_REACH


class EdgarError(FinTuiError):
    """EDGAR could not be asked, or its answer can't be used."""


class NotAtEdgar(FinTuiError):
    """EDGAR has no such file or company."""

    exit_code = 3


class Stopped(FinTuiError):
    """The user stopped the work."""


_PIECE = 1 << 16
_ANY_WRAPPING = 32 + zlib.MAX_WBITS


class Broken(Exception):
    """The transfer ended before its end, or not at all; worth another try, after ``pause`` seconds when EDGAR named them."""

    def __init__(self, why: str, pause: float | None = None, *, is_unreached: bool = False) -> None:
        super().__init__(why)
        self.pause = pause
        self.is_unreached = is_unreached
        """No connection came about: no name was found, or no way to it."""


class TooLarge(Exception):
    """More bytes than are taken; another try brings the same."""


class Cancelled(Exception):
    """The user stopped it."""


def pieces(
    response: BaseHTTPResponse, *, largest: int, until: float, cancelled: Callable[[], bool], before: int = 0
) -> Iterator[bytes]:
    """The unpacked body. ``largest`` bounds ``before`` plus what comes; ``until`` is a ``time.monotonic`` instant.

    Raises ``Broken`` (cut, garbled, too slow), ``TooLarge``, ``Cancelled``.
    """
    unpack = _unpacker(response.headers.get("content-encoding", ""))
    size = before
    for raw in _raw(response, until, cancelled):
        for piece in unpack.feed(raw):
            size += len(piece)
            if size > largest:
                raise TooLarge
            yield piece
    unpack.end()


def _raw(response: BaseHTTPResponse, until: float, cancelled: Callable[[], bool]) -> Iterator[bytes]:
    from urllib3.exceptions import HTTPError

    try:
        while True:
            if cancelled():
                raise Cancelled
            if time.monotonic() > until:
                raise Broken("it took too long")
            piece = response.read1(_PIECE, decode_content=False)
            if not piece:
                return
            yield piece
    except (HTTPError, OSError) as error:
        raise Broken(f"it broke off ({type(error).__name__})") from error


class _Plain:
    def feed(self, raw: bytes) -> Iterator[bytes]:
        yield raw

    def end(self) -> None:
        return None


class _Zipped:
    """A bomb unpacks in bounded pieces, so the bound of size stops it."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(_ANY_WRAPPING)

    def feed(self, raw: bytes) -> Iterator[bytes]:
        try:
            while raw and not self._inner.eof:
                if piece := self._inner.decompress(raw, _PIECE):
                    yield piece
                raw = self._inner.unconsumed_tail
        except zlib.error as error:
            raise Broken("its packing is garbled") from error

    def end(self) -> None:
        if not self._inner.eof:
            raise Broken("it broke off")


def _unpacker(encoding: str) -> _Plain | _Zipped:
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return _Plain()
    if encoding in ("gzip", "x-gzip", "deflate"):
        return _Zipped()
    raise Broken(f"it is packed as {encoding[:20]!r}")


def unpacked(raw: bytes, largest: int) -> bytes:
    """A gzip file's content. Raises ``Broken`` or ``TooLarge``."""
    inner = _Zipped()
    found = bytearray()
    for piece in inner.feed(raw):
        found += piece
        if len(found) > largest:
            raise TooLarge
    inner.end()
    return bytes(found)


_EMAIL = re.compile(r"[^@\s<>\"(),;:\\]{1,64}@[A-Za-z0-9.-]{1,190}\.[A-Za-z]{2,24}")
_LONGEST = 100
_HOW = (
    "Set FIN_TUI_EDGAR_NAME and FIN_TUI_EDGAR_EMAIL, or name and email under [edgar] in fin-tui.toml; "
    "on a terminal fin-tui fetch asks for them once."
)


@dataclass(frozen=True, slots=True)
class Contact:
    """A checked name and address; both are plain ASCII, as a header must be."""

    name: str
    email: str


def contact(settings: Edgar) -> Contact:
    """Who asks, from the settings. Raises ``UsageError`` when that is not known or unusable."""
    if not settings.name.strip() or not settings.email.strip():
        raise UsageError("EDGAR wants to know who asks: a name and an e-mail address.", _HOW)
    return checked_contact(settings.name, settings.email)


def checked_contact(name: str, email: str) -> Contact:
    """``name`` and ``email`` without outer spaces. Raises ``UsageError`` for what no header can carry or is no address."""
    name, email = " ".join(name.split()), email.strip()
    if not name or len(name) > _LONGEST or not (name.isascii() and name.isprintable()):
        raise UsageError(f"{name!r} can't be sent as a name: it must be plain letters, at most {_LONGEST}.", _HOW)
    if not email.isascii() or not _EMAIL.fullmatch(email):
        raise UsageError(f"{email!r} is no e-mail address.", _HOW)
    return Contact(name, email)


T = TypeVar("T")
_log = logging.getLogger(__name__)
_TRIES = 6
_TRIES_UNREACHED = 2
"""Where EDGAR was never reached: there is no network, and waiting brings none."""
_FIRST_PAUSE = 0.5
"""Seconds before the second try; each pause is twice the one before."""
_LONGEST_PAUSE = 60
_AGAIN = frozenset({403, 408, 425, 429, 500, 502, 503, 504})
"""403 is also EDGAR's answer to who asks too often."""
_BODIES = frozenset({200, 206, 416})
_LIST_BYTES = 64 << 20
_CONNECT_S = 10
_FIRST_CONNECT_S = 4
"""Seconds for a connection before there was any."""


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
        self._was_reached = False

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
                raise EdgarError(f"{_name(address)} is too large; it was skipped.", "edgar.file_mb is the bound.") from error
            except Cancelled as error:
                raise Stopped("Stopped.") from error
            if broken.is_unreached and not self._was_reached and len(retries.history) + 1 >= _TRIES_UNREACHED:
                raise EdgarError("EDGAR can't be reached: no connection.", "Check the network, or a proxy (HTTPS_PROXY).")
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
        longest = _CONNECT_S if self._was_reached else _FIRST_CONNECT_S
        timeouts = (min(longest, self.settings.timeout_s), self.settings.timeout_s)
        try:
            # A filing is where its address says; who sends us elsewhere is not EDGAR.
            response = self._opened().get(
                address, headers={**self._headers, **(extra or {})}, timeout=timeouts, stream=True, allow_redirects=False
            )
        except requests.RequestException as error:
            raise Broken(f"no connection ({type(error).__name__})", is_unreached=_is_unreached(error)) from error
        self._was_reached = True
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


def _is_unreached(error: Exception) -> bool:
    """Whether a request failed before there was a connection."""
    from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

    why = getattr(error.args[0] if error.args else None, "reason", None)
    return isinstance(why, NewConnectionError | ConnectTimeoutError)


def _name(address: str) -> str:
    return address.split("?", 1)[0].rstrip("/").rsplit("/", 1)[-1][:80]


def _hint(why: str) -> str:
    if "403" in why or "429" in why:
        return "EDGAR refuses for about ten minutes who asks too often or gives no true name: check edgar.name and edgar.email."
    return "Try again later: what came is kept, and the download goes on from there."
