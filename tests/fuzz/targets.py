"""What is fed with hostile bytes: each reader of something from outside, with seeds to begin with and pieces to swell up.

``run`` returns when the bytes were read, or refused with a FinTuiError; anything else that it raises is a defect.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from fin_tui.errors import FinTuiError
from tests.fuzz import seeds
from tests.fuzz.edgar_target import read_answers
from tests.fuzz.properties import check_chunks, check_document, check_sections, check_spans, check_text


@dataclass(frozen=True)
class Target:
    """One reader. ``head`` and ``tail`` stand around what is swollen, so that it reaches the reader it is meant for."""

    run: Callable[[bytes], None]
    seeds: tuple[bytes, ...]
    pieces: tuple[bytes, ...] = ()
    head: bytes = b""
    tail: bytes = b""
    largest: int = 1 << 20
    """Bytes to which it is swollen at most: a reader may refuse what is longer."""
    words: tuple[bytes, ...] = ()
    """What a fuzzer may write as a whole."""


@cache
def _folder() -> Path:
    folder = Path(mkdtemp(prefix="fin-tui-fuzz-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    return folder


def read_filing(raw: bytes) -> None:
    """All of adding a filing short of storing it."""
    from fin_tui.config import Chunking
    from fin_tui.ingest.pipeline import parse

    with suppress(FinTuiError):
        entry = parse(raw, "made.txt", Chunking(), force=True)
        document = entry.document
        check_document(document)
        check_sections(entry.sections, document)
        check_chunks(entry.chunks, document)
        for told in (entry.filing.company, entry.filing.form, entry.filing.ticker, *(chunk.header for chunk in entry.chunks)):
            check_text(told)


def read_words(raw: bytes) -> None:
    """Tokenizer, sentences and numbers."""
    from fin_tui.engine.evidence.numbers import find_numbers
    from fin_tui.language import split_sentences
    from fin_tui.retrieval.tokens import tokenize, tokenize_query

    text = raw.decode("utf-8", "replace")
    assert all(tokenize(text)), "an empty token"
    tokenize_query(text)
    check_spans(split_sentences(text), text)
    for number in find_numbers(text):
        assert 0 <= number.start < number.end <= len(text)
        assert number.value.is_finite()


def read_numbers(raw: bytes) -> None:
    """Tagged figures, dates and formulas."""
    from fin_tui.facts.expression import Measure, evaluate, parse, write
    from fin_tui.filings.xbrl import parse_boolean, parse_date, parse_duration, parse_number

    text = raw.decode("utf-8", "replace")
    name, _, rest = text.partition("\n")
    for format_name in ("", name):
        number = parse_number(rest, format_name)
        assert number is None or number.is_finite()
        parse_date(rest, format_name)
        parse_duration(rest, format_name)
        parse_boolean(rest, format_name)
    with suppress(FinTuiError):
        node = parse(text)
        assert parse(write(node, lambda given: given.name)) is not None
        assert evaluate(node, lambda given: Measure(seeds.FIGURE, "usd")).value.is_finite()


def read_question(raw: bytes) -> None:
    """A question, up to what is searched for; long ones are cut where a prompt line is."""
    from fin_tui.engine.questions.understanding import Request, understand
    from fin_tui.facts import vocabulary

    text = raw.decode("utf-8", "replace")
    first, _, second = text.partition("\n")
    with suppress(FinTuiError):
        understood = understand(Request(second or first, history=(first,) if second else ()), seeds.held(), vocabulary())
        assert understood.question.text or not text.strip()


def read_settings(raw: bytes) -> None:
    from fin_tui.config import Settings, load_settings

    file = _folder() / "settings.toml"
    file.write_bytes(raw)
    with suppress(FinTuiError):
        assert isinstance(load_settings(file, {}), Settings)


def read_model(raw: bytes) -> None:
    from fin_tui.engine.models.files import read_header

    file = _folder() / "model.gguf"
    file.write_bytes(raw)
    with suppress(FinTuiError):
        assert 0 < read_header(file).bytes_needed <= len(raw)


def targets() -> dict[str, Target]:
    """By name."""
    page_end = b"</body></html>"
    made = {
        "html": Target(read_filing, seeds.pages(), head=seeds.HTML_HEAD, tail=page_end),
        "xbrl": Target(read_filing, seeds.tagged_pages(), head=seeds.XBRL_HEAD, tail=page_end),
        "submission": Target(read_filing, seeds.submissions(), head=seeds.SGML_HEAD),
        "text": Target(read_filing, seeds.texts(), head=seeds.TEXT_HEAD),
        "pdf": Target(read_filing, seeds.pdfs(), head=b"%PDF-1.4\n", tail=b"\n%%EOF\n"),
        "words": Target(read_words, seeds.texts()),
        "numbers": Target(read_numbers, seeds.figures()),
        "question": Target(read_question, seeds.questions(), largest=8_000),
        "settings": Target(read_settings, seeds.settings()),
        "model": Target(read_model, seeds.models(), (b"\0", b"\xff", b"\x09\0\0\0"), head=seeds.models()[0][:24]),
        "edgar": Target(read_answers, seeds.answers()),
    }
    return {
        name: replace(target, pieces=target.pieces or seeds.pieces(name), words=seeds.words(name))
        for name, target in made.items()
    }
