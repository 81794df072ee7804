"""Fit the model of the names that texts ask for, and write its weights to `questions/asked.csv`.

    python -m evaluation.fit_asked --data var [--output FILE]

A linear-chain conditional random field (`padron.questions.asked`), fitted by L-BFGS to the development half of
`evaluation/texts`: each word is outside of the names that are asked for, begins one or continues it. Before the fit to
all texts, cross-validation prints the share of texts whose names are read exactly.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from pycrfsuite import Tagger, Trainer

from evaluation.labelled_texts import read_asked
from evaluation.queries import chance
from padron.countries import REGISTRY
from padron.directory import run
from padron.index import release_index
from padron.index.spans import SpanFinder
from padron.matching.query import Reader
from padron.questions.asked import AFTER, STATES, WEIGHTS, features
from padron.questions.lexicon import Lexicon
from padron.questions.phrases import Phrases
from padron.releases import snapshot

_FOLDS: Final = 5
_TRAINING: Final = {"c1": 0.0, "c2": 1.0, "max_iterations": 100, "feature.minfreq": 2}
"""Penalty on the sum of squares; the fit has settled after 100 iterations; a feature of one word says nothing."""
_LEAST: Final = 0.05
"""Weight below which a feature is left out."""


class _Sequence(NamedTuple):
    """The words of a text: their features, their states, and its fold."""

    features: list[list[str]]
    states: list[str]
    fold: int


def sequences(data: Path) -> list[_Sequence]:
    """Return the texts of the development half with the names of the current release in them."""
    release = snapshot.current(data)
    index = run(release_index.open_index(snapshot.index_folder(data, release, release_index.FORMAT)))
    finder, lexicon = SpanFinder(index, Reader(REGISTRY).forms), Lexicon(REGISTRY)
    some: list[_Sequence] = []
    for text, asked in read_asked("dev"):
        phrases = Phrases(text, lexicon, {}, frozenset())
        states = [STATES[0]] * len(phrases)
        for start, end in asked:
            inside = [at for at, word in enumerate(phrases.words) if word.start < end and word.end > start]
            for at in inside:
                states[at] = STATES[1 if at == inside[0] else 2]
        words, named, shape = features(phrases, run(finder.find(text)))
        whole = [word + shape if is_named else word for word, is_named in zip(words, named, strict=True)]
        some.append(_Sequence(whole, states, chance("fold", text) % _FOLDS))
    return some


class _Model:
    """A field fitted to some sequences; its features are numbered, since the library prints their names."""

    def __init__(self, some: Sequence[_Sequence]) -> None:
        self._numbers: dict[str, str] = {}
        trainer = Trainer(verbose=False)
        trainer.select("lbfgs")
        trainer.set_params(_TRAINING)
        for sequence in some:
            trainer.append(self._numbered(sequence), sequence.states)
        with TemporaryDirectory() as folder:
            trainer.train(f"{folder}/model")
            self._tagger = Tagger()
            self._tagger.open(f"{folder}/model")

    def _numbered(self, sequence: _Sequence) -> list[list[str]]:
        numbers = self._numbers
        return [[numbers.setdefault(name, str(len(numbers))) for name in word] for word in sequence.features]

    def is_right(self, sequence: _Sequence) -> bool:
        """Check that the likeliest states of a sequence are its own."""
        return bool(self._tagger.tag(self._numbered(sequence)) == sequence.states)

    def rows(self) -> Iterator[tuple[str, float, float, float]]:
        """Yield the weights of each feature, by name, and those of each state behind another."""
        info = self._tagger.info()
        for state in STATES:
            a, b, c = (info.transitions.get((state, behind), 0.0) for behind in STATES)
            yield f"{AFTER}{state}", a, b, c
        for name, number in sorted(self._numbers.items()):
            a, b, c = (round(info.state_features.get((number, state), 0.0), 2) for state in STATES)
            if max(abs(a), abs(b), abs(c)) >= _LEAST:
                yield name, a, b, c


def main() -> None:
    """Fit, write, and print the figures of cross-validation."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.fit_asked")
    parser.add_argument("--data", type=Path, default=Path("var"), help="folder of the built release")
    parser.add_argument("--output", type=Path, default=WEIGHTS, help="file to write")
    options = parser.parse_args()
    some = sequences(options.data)
    right = 0
    for fold in range(_FOLDS):
        model = _Model([sequence for sequence in some if sequence.fold != fold])
        right += sum(model.is_right(sequence) for sequence in some if sequence.fold == fold)
    print(f"{len(some)} texts, read exactly by a model of the other folds: {right / len(some):.3f}")
    with options.output.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows(chain([("feature", *STATES)], _Model(some).rows()))


if __name__ == "__main__":
    main()
