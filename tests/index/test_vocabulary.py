"""The vocabulary: counts, completions and near words, built in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from padron.companies.company import Company
from padron.countries import REGISTRY
from padron.directory import run
from padron.index import counting, release_index, vocabulary
from padron.index.counting import KeyCounter
from padron.index.release_index import ReleaseIndex
from padron.index.vocabulary import COMPLETIONS, Vocabulary

WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=7), st.integers(1, 9), min_size=1, max_size=400)


def built(counts: dict[str, int], folder: Path) -> Vocabulary:
    counter = KeyCounter(folder, "words")
    counter.add(counts)
    vocabulary.build(counter, folder / "vocabulary")
    return Vocabulary(folder / "vocabulary")


def commonest(counts: dict[str, int], beginning: str) -> list[str]:
    return sorted((word for word in counts if word.startswith(beginning)), key=lambda word: (-counts[word], word))


def test_companies_are_counted_not_names(opened: ReleaseIndex) -> None:
    assert opened.vocabulary.frequency("apple") == 2
    assert opened.vocabulary.frequencies(["apple", "xyzzyx", "plaza", ""]) == [2, 0, 2, 0]


def test_completions_are_the_commonest_words(opened: ReleaseIndex) -> None:
    assert opened.vocabulary.completions("ap") == ["apple"]
    assert opened.vocabulary.completions("pet") == ["petrobras", "petroleo", "petroquisa"]
    assert opened.vocabulary.completions("xyzzyx") == []


@settings(max_examples=30, deadline=None)
@given(counts=WORDS)
def test_every_beginning_is_completed_by_its_commonest_words(
    tmp_path_factory: pytest.TempPathFactory, counts: dict[str, int]
) -> None:
    """However many words have it: those of many are written down when the vocabulary is built."""
    words = built(counts, tmp_path_factory.mktemp("words"))
    assert words.frequencies(counts) == list(counts.values())
    for beginning in {word[:length] for word in counts for length in range(1, len(word) + 1)} | {"d", "abd"}:
        assert words.completions(beginning) == commonest(counts, beginning)[:COMPLETIONS]


def test_a_broad_beginning_is_written_down(tmp_path: Path) -> None:
    counts = {f"ab{first}{second}": 1 for first in "abcdefghij" for second in "abcdefghij"}
    words = built(counts, tmp_path)
    assert sorted(beginning for beginning, _ in words._completions.items()) == ["a", "ab"]


def test_near_words_are_misspellings_and_what_sounds_the_same(opened: ReleaseIndex) -> None:
    near = opened.vocabulary.near
    assert near("favorta", True)[0] == ("favorita", 1)
    assert ("favorita", 0.5) in near("faborita", True)
    assert near("faborita", False) == [("favorita", 0.5)]
    assert near("d1", True) == ()


def test_words_are_counted_in_bounded_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_IN_MEMORY", 3)
    counter, whole = KeyCounter(tmp_path, "words"), Counter[str]()
    for batch in ("banco andes", "andes sur norte", "banco banco", "plaza hotel andes", "este"):
        counts = Counter(batch.split())
        whole += counts
        counter.add(counts)
    assert len(list(tmp_path.iterdir())) == 2
    assert list(counter.counts()) == list(counter.counts()) == sorted(whole.items())
    counter.close()
    assert list(tmp_path.iterdir()) == []


def test_counts_that_were_written_to_disk_give_the_same_index(
    index: Path, companies: tuple[Company, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "_IN_MEMORY", 3)
    release_index.build(companies, tmp_path / "index", REGISTRY)
    for name in (
        "tables.msgpack",
        "vocabulary/counts.bin",
        "vocabulary/words.marisa",
        "vocabulary/near/rows.bin",
        "lists/rows.bin",
    ):
        assert (tmp_path / "index" / name).read_bytes() == (index / name).read_bytes(), name
    assert sorted(path.name for path in (tmp_path / "index").iterdir()) == sorted(path.name for path in index.iterdir())


def test_completions_among_companies_agree_with_those_among_all(
    company: Callable[..., Company], tmp_path: Path
) -> None:
    """The engine and the vocabulary count and order alike."""
    endings = ["andes", "andina", "andino", "andamios", "norte"]
    companies = [
        company("EC", "ec-expediente", str(number + 1), f"COMERCIAL {endings[number % 5 * (number % 3) % 5]} S.A.")
        for number in range(60)
    ]
    release_index.build(companies, tmp_path / "index", REGISTRY)
    opened = run(release_index.open_index(tmp_path / "index"))
    among = run(opened.engine.complete("and", ["comercial"], COMPLETIONS))
    assert list(among) == opened.vocabulary.completions("and") != []
