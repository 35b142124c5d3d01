from __future__ import annotations

from fin_tui.store.library import Library
from fin_tui.store.notebook import Bookmark

TEXT = "Item 7\nNet sales rose.\nNet sales fell.\nNet sales rose.\n"


def test_a_place_is_kept_once_and_removed(library: Library) -> None:
    at = TEXT.index("Net sales fell")
    for _ in range(2):
        library.bookmarks.add("f", at, TEXT)
    library.bookmarks.add("g", 0, TEXT)
    assert library.bookmarks.of("f", TEXT) == (Bookmark(at, "Net sales fell.", at),)
    library.bookmarks.remove("f", at)
    assert library.bookmarks.of("f", TEXT) == ()
    assert len(library.bookmarks.of("g", TEXT)) == 1


def test_after_a_re_parse_the_words_are_found_nearest_to_where_they_stood(library: Library) -> None:
    second = TEXT.rindex("Net sales rose")
    library.bookmarks.add("f", second, TEXT)
    longer = "A cover.\n" + TEXT
    assert library.bookmarks.of("f", longer)[0].at == longer.rindex("Net sales rose")
    assert library.bookmarks.of("f", "other words")[0].at == second


def test_bookmarks_come_in_the_order_of_the_text(library: Library) -> None:
    for at in (23, 0, 7):
        library.bookmarks.add("f", at, TEXT)
    assert [bookmark.at for bookmark in library.bookmarks.of("f", TEXT)] == [0, 7, 23]
