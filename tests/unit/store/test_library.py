from __future__ import annotations

import datetime as dt
import threading
from dataclasses import replace

import pytest

from fin_tui.errors import NotFound, UsageError
from fin_tui.paths import Paths
from fin_tui.records import Scope
from fin_tui.store.library import Library, WorseCopy
from tests.unit.store.made import PARAGRAPHS, make_entry


def test_what_goes_in_comes_out(library: Library) -> None:
    entry = make_entry()
    stored = library.add(entry)
    assert stored.is_new
    assert stored.replaced is None
    filing = stored.filing
    assert library.filings() == (filing,)
    assert (filing.items, filing.chunks, filing.facts, filing.embedded) == (("1", "1A", "7", "8"), 4, 2, 0)
    assert (filing.format, filing.coverage, filing.warnings) == ("ixbrl", 0.99, ("a warning",))
    assert library.document(filing.id) == entry.document
    assert library.text(filing.id) == entry.document.text
    assert library.sections(filing.id) == entry.sections
    assert library.original(filing.id) == entry.raw
    assert library.chunks.of_filing(filing.id) == entry.chunks


def test_the_same_bytes_again_change_nothing(library: Library) -> None:
    library.add(make_entry())
    before = (library.generation(), library.chunk_keys(Scope()).tolist(), library.filings())
    again = library.add(make_entry(file="another-name.htm"))
    assert not again.is_new
    assert (library.generation(), library.chunk_keys(Scope()).tolist(), library.filings()) == before


def test_other_bytes_of_the_same_report_take_its_place(library: Library) -> None:
    first = library.add(make_entry()).filing
    old_keys = set(library.chunk_keys(Scope()).tolist())
    changed = make_entry(paragraphs=("Example now makes gadgets.", *PARAGRAPHS[1:]))
    stored = library.add(changed)
    assert stored.replaced == replace(first, embedded=0)
    assert stored.filing.id == first.id, "a hash id stays with the report"
    assert len(library.filings()) == 1
    new_keys = set(library.chunk_keys(Scope()).tolist())
    assert len(new_keys) == 4
    assert not new_keys & old_keys, "a key is never given again"
    texts = [chunk.text for chunk in library.chunks.of_filing(first.id)]
    assert "Example now makes gadgets." in texts
    assert PARAGRAPHS[0] not in texts
    assert {chunk.id.partition("/")[0] for chunk in library.chunks.of_filing(first.id)} == {first.id}
    assert library.original(first.id) == changed.raw
    assert library.records.provenance(first.id).version == 2


def test_a_copy_with_far_fewer_figures_takes_no_place(library: Library) -> None:
    entry = make_entry()
    many = replace(entry.document, facts=entry.document.facts * 200)
    first = library.add(replace(entry, document=many)).filing
    with pytest.raises(WorseCopy, match="has 400 figures, this file 2: it was not replaced") as refused:
        library.add(make_entry(file="plain.txt", paragraphs=("Another text.", *PARAGRAPHS[1:])))
    assert f"fin-tui remove {first.id}" in refused.value.hint
    assert library.filings() == (first,)


def test_an_accession_number_takes_over_from_a_hash(library: Library) -> None:
    library.add(make_entry())
    stored = library.add(make_entry(accession="0000000042-23-000001"))
    assert [filing.id for filing in library.filings()] == ["0000000042-23-000001"]
    assert stored.replaced is not None
    assert stored.replaced.id.startswith("sha256:")


def test_amendments_with_their_own_numbers_stand_side_by_side(library: Library) -> None:
    for number in ("0000000042-23-000001", "0000000042-23-000002"):
        library.add(make_entry(form="10-K/A", accession=number))
    library.add(make_entry(accession="0000000042-23-000000"))
    assert len(library.filings()) == 3


def test_reports_without_a_period_are_never_taken_for_one_another(library: Library) -> None:
    library.add(make_entry(period_end=None, paragraphs=("One.",)))
    library.add(make_entry(period_end=None, paragraphs=("Two.",)))
    assert len(library.filings()) == 2


def test_removing_leaves_nothing_of_a_filing(library: Library) -> None:
    kept = library.add(make_entry(year=2022)).filing
    gone = library.add(make_entry(year=2023)).filing
    before = library.generation()
    assert library.remove([gone.id]) == (gone,)
    assert library.filings() == (kept,)
    assert library.generation() > before
    assert {chunk.filing for chunk, _ in library.chunks_by_keys(library.chunk_keys(Scope()).tolist())} == {kept.id}
    assert library.facts.find(filings=(gone.id,)) == ()
    with pytest.raises(NotFound):
        library.text(gone.id)
    with pytest.raises(NotFound):
        library.remove([gone.id])
    with pytest.raises(NotFound):
        library.original(gone.id)


def test_a_correction_keeps_id_and_version(library: Library) -> None:
    filing = library.add(make_entry()).filing
    entry = make_entry()
    corrected = replace(entry, filing=replace(filing, fiscal_year=2024), corrections={"year": "2024"})
    assert library.rewrite(corrected).fiscal_year == 2024
    known = library.records.provenance(filing.id)
    assert (known.version, known.corrections) == (1, {"year": "2024"})


def test_a_correction_can_not_make_two_filings_one(library: Library) -> None:
    library.add(make_entry(year=2022))
    second = make_entry(year=2023)
    library.add(second)
    wrong = replace(second, filing=replace(second.filing, period_end=dt.date(2022, 9, 30)))
    with pytest.raises(UsageError, match="already is the 10-K of Example"):
        library.rewrite(wrong)
    assert {filing.period_end for filing in library.filings()} == {dt.date(2022, 9, 30), dt.date(2023, 9, 30)}


@pytest.mark.parametrize(
    ("scope", "count"),
    [
        (Scope(), 8),
        (Scope(fiscal_years=(2023,)), 4),
        (Scope(companies=("cik:0000000042",), items=("7",)), 2),
        (Scope(items=("1a", "8"), fiscal_years=(2022,)), 2),
        (Scope(companies=("cik:none",)), 0),
        (Scope(forms=("10-K/A",)), 0),
    ],
)
def test_a_scope_allows_only_its_chunks(library: Library, scope: Scope, count: int) -> None:
    library.add(make_entry(year=2022))
    library.add(make_entry(year=2023))
    keys = library.chunk_keys(scope)
    assert len(keys) == count
    assert keys.tolist() == sorted(keys.tolist())
    for chunk, filing in library.chunks_by_keys(keys.tolist()):
        assert not scope.fiscal_years or filing.fiscal_year in scope.fiscal_years
        assert not scope.items or chunk.item in {item.upper() for item in scope.items}


def test_both_items_of_a_merged_section_find_its_chunks(library: Library) -> None:
    entry = make_entry()
    first = entry.sections[0]
    merged = (first, replace(first, item="2", title="Items 1 and 2"), *entry.sections[1:])
    library.add(replace(entry, sections=merged))
    assert library.chunk_keys(Scope(items=("2",))).tolist() == library.chunk_keys(Scope(items=("1",))).tolist()
    assert len(library.chunk_keys(Scope(items=("2",)))) == 1


def test_a_scope_asked_before_sees_what_another_process_adds(library: Library, paths: Paths) -> None:
    library.add(make_entry(year=2022))
    assert len(library.chunk_keys(Scope())) == 4
    assert len(library.filings()) == 1
    with Library.open(paths) as other:
        other.add(make_entry(year=2023))
    assert len(library.chunk_keys(Scope())) == 8
    assert len(library.filings()) == 2


def test_readers_in_other_threads_see_whole_filings_only(library: Library) -> None:
    seen: list[tuple[int, int]] = []
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            seen.extend((filing.chunks, len(library.chunks.of_filing(filing.id))) for filing in library.filings())

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for year in range(2001, 2021):
        library.add(make_entry(year=year))
    done.set()
    for thread in threads:
        thread.join()
    assert seen
    assert set(seen) == {(4, 4)}


def test_facts_are_found_by_concept_period_label_and_filing(library: Library) -> None:
    filing = library.add(make_entry()).filing
    library.add(make_entry(year=2022))
    found = library.facts.find(concepts=("us-gaap:Revenues",), filings=(filing.id,))
    assert [fact.value for fact in found] == [391_035e6]
    assert library.text(filing.id)[found[0].start : found[0].end] == found[0].text
    assert dict(found[0].dimensions) == {"us-gaap:StatementBusinessSegmentsAxis": "ex:WidgetsMember"}
    assert len(library.facts.find(label="NET sales")) == 2
    assert library.facts.find(period_ends=(dt.date(1999, 1, 1),)) == ()
    both = library.facts.find_with_filing(concepts=("us-gaap:Revenues",))
    assert len({filing_id for filing_id, _ in both}) == 2


def test_a_chunk_text_that_its_index_text_does_not_end_with_is_kept(library: Library) -> None:
    filing = library.add(make_entry()).filing
    table = library.chunks.of_filing(filing.id)[3]
    assert table.kind == "table"
    assert table.text == library.text(filing.id)[table.start : table.end]
    assert "391,035" in table.text
    assert library.chunks.by_id([table.id]) == {table.id: table}
    key = library.chunks.keys_by_id([table.id])[table.id]
    assert library.chunk_ids([key, key + 1000]) == {key: table.id}


def test_index_texts_go_on_after_a_key(library: Library) -> None:
    library.add(make_entry())
    everything = list(library.index_texts(0))
    assert [key for key, _ in everything] == library.chunk_keys(Scope()).tolist()
    assert list(library.index_texts(everything[1][0])) == everything[2:]


def _fill(library: Library) -> None:
    library.add(make_entry(company="Apple Inc.", cik="0000320193", ticker="AAPL", year=2023, file="aapl-2023.htm"))
    library.add(make_entry(company="Apple Inc.", cik="0000320193", ticker="AAPL", year=2024, accession="0000320193-24-000123"))
    library.add(make_entry(company="Applied Materials, Inc.", cik="0000006951", ticker="AMAT", year=2023))
    library.add(make_entry(company="Applied Signal Corporation", cik="0000006952", year=2022))


@pytest.mark.parametrize(
    ("name", "year"),
    [
        ("0000320193-24-000123", 2024),
        ("0000320193-24", 2024),
        ("000032019324000123", 2024),
        ("aapl-2023.htm", 2023),
        ("some/folder/AAPL-2023.htm", 2023),
        ("aapl-2023", 2023),
        ("AAPL:2023", 2023),
        ("aapl:FY2024", 2024),
        ("Apple:2024", 2024),
        ("320193:2024", 2024),
        ("Apple Inc.:2023", 2023),
    ],
)
def test_a_filing_has_many_names(library: Library, name: str, year: int) -> None:
    _fill(library)
    filing = library.resolve(name)
    assert (filing.company, filing.fiscal_year) == ("Apple Inc.", year)


def test_a_hash_is_found_by_its_first_digits(library: Library) -> None:
    _fill(library)
    filing = next(filing for filing in library.filings() if filing.ticker == "AMAT")
    assert library.resolve(filing.id[:14]) == filing
    assert library.resolve(filing.id.removeprefix("sha256:")[:8]) == filing


def test_an_ambiguous_name_lists_the_candidates(library: Library) -> None:
    _fill(library)
    with pytest.raises(UsageError, match=r"Apple Inc\. 10-K FY2023 .*FY2024"):
        library.resolve("AAPL")
    with pytest.raises(UsageError, match=r"Applied Materials, Inc\., Applied Signal"):
        library.resolve("Applied:2023")


def test_what_is_missing_is_answered_with_what_is_held(library: Library) -> None:
    with pytest.raises(NotFound, match="the library is empty"):
        library.resolve("AAPL:2023")
    _fill(library)
    with pytest.raises(NotFound, match=r"No filing of Apple Inc\. for 1999; in the library: 10-K FY2023, 10-K FY2024"):
        library.resolve("AAPL:1999")
    with pytest.raises(NotFound, match=r"No filing .nonsense\.pdf. in the library, which holds \d+ filings"):
        library.resolve("nonsense.pdf")


def test_a_company_and_a_year_need_no_colon(library: Library) -> None:
    _fill(library)
    assert library.resolve("Apple Inc. 2023").id == library.resolve("AAPL FY2023").id == library.resolve("AAPL:2023").id


def test_an_original_goes_before_its_amendment(library: Library) -> None:
    _fill(library)
    library.add(make_entry(company="Apple Inc.", cik="0000320193", ticker="AAPL", year=2023, form="10-K/A"))
    assert library.resolve("AAPL:2023").form == "10-K"


@pytest.mark.parametrize("name", ["AAPL", "aapl", "apple", "Apple Inc", "Apple Computer Inc"[:9], "320193", "CIK0000320193"])
def test_a_company_by_ticker_name_or_number(library: Library, name: str) -> None:
    _fill(library)
    assert library.company_keys(name) == ("cik:0000320193",)


def test_a_short_word_is_not_a_misspelt_company(library: Library) -> None:
    _fill(library)
    with pytest.raises(NotFound, match="No company 'Ape'"):
        library.company_keys("Ape")
    assert library.company_keys("Aplied Materials") == ("cik:0000006951",)


@pytest.mark.parametrize("is_pdf_first", [True, False])
def test_one_company_read_from_two_formats_has_one_key(library: Library, is_pdf_first: bool) -> None:
    html = make_entry(company="Example Corp.", cik="0000000042", irs_number="94-2404110", year=2023, ticker="EX")
    pdf = make_entry(company="Example Widgets Corporation", cik="", irs_number="942404110", year=2022)
    other = make_entry(company="Other Corp.", cik="", irs_number="11-1111111", year=2022)
    for entry in (pdf, html, other) if is_pdf_first else (other, html, pdf):
        library.add(entry)
    keys = {filing.company: filing.company_key for filing in library.filings()}
    assert keys["Example Widgets Corporation"] == keys["Example Corp."] == "cik:0000000042"
    assert keys["Other Corp."] == "irs:11-1111111"


def test_file_numbers_are_one_whatever_their_zeros(library: Library) -> None:
    library.add(make_entry(company="Old Name Inc", cik="", commission_file="000-10030", year=2001))
    library.add(make_entry(company="New Name Inc", cik="0000000042", commission_file="0-10030", year=2023))
    assert {filing.company_key for filing in library.filings()} == {"cik:0000000042"}


def test_a_name_alone_joins_the_company_of_that_name(library: Library) -> None:
    library.add(make_entry(company="Example Corp.", cik="0000000042", year=2023))
    library.add(make_entry(company="EXAMPLE CORP", cik="", year=2021))
    library.add(make_entry(company="Example Holdings Energy", cik="", year=2021))
    keys = {filing.company: filing.company_key for filing in library.filings()}
    assert keys["EXAMPLE CORP"] == "cik:0000000042"
    assert keys["Example Holdings Energy"] == "name:example holdings energy"
