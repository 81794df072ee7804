"""Reports of a run: the printed one, the kept JSON, and docs/reliability.md with its plot."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.baselines import Row
from evaluation.generate import PER_KIND
from evaluation.intervals import Interval, of_figure, of_share
from evaluation.plot import reliability_plot
from evaluation.queries import HINTING, Query
from evaluation.score import (
    PRIORS,
    Answers,
    Figures,
    Report,
    calibration_error,
    figures,
    grouped,
    is_asserted,
    is_found,
    is_right,
)


class About(NamedTuple):
    """The subject of a run: day, release, part of the query set, seed, and queries per country and kind at most."""

    date: str
    release: str
    part: str
    seed: str
    per_kind: int


class Bar(NamedTuple):
    """A figure with its bar: the least value that it may have, or with `least` false the most; and its interval."""

    name: str
    value: float | None
    bar: float
    least: bool = True
    interval: Interval | None = None

    @property
    def met(self) -> bool:
        """The bar is reached. A figure without a value reaches none."""
        if self.value is None:
            return False
        return self.value >= self.bar if self.least else self.value <= self.bar

    @property
    def line(self) -> str:
        """The bar as a line of the report."""
        limit = f"{'least' if self.least else 'most'} {self.bar:g}"
        within = f" [{self.interval.low:.4f}–{self.interval.high:.4f}]" if self.interval else ""
        return f"{'met  ' if self.met else 'SHORT'} {self.name}: {_figure(self.value)}{within} ({limit})"


def bars(report: Report) -> list[Bar]:
    """Return every bar of match quality with the figure of this run."""
    names = report.names
    countries = [
        bar
        for code, some in report.by_country.items()
        for bar in (
            Bar(f"{code}: precision at 0.85", some.precision, 0.99),
            Bar(f"{code}: recall at 0.85, unique answers", some.recall, 0.88),
        )
    ]
    kinds = [
        Bar(f"{kind}: recall@8", some.recall_8, 0.90 if kind in HINTING else 0.97)
        for kind, some in report.by_kind.items()
        if some.present
    ]
    return [
        Bar("recall@1", report.whole.recall_1, 0.985),
        Bar("recall@8", report.whole.recall_8, 0.998),
        Bar("precision at 0.85", names.precision, 0.995),
        Bar("recall at 0.85, unique answers", names.recall, 0.93),
        Bar("calibration error", names.error, 0.02, least=False),
        Bar("1.0 without an identifier", names.ones, 0, least=False),
        *countries,
        *kinds,
    ]


def typed_bars(queries: Sequence[Query], answers: Answers) -> list[Bar]:
    """Return the bars of the typed queries, with intervals."""
    some = figures(queries, answers)
    right = sum(is_asserted(answers[query.id]) and is_right(query, answers[query.id]) for query in queries)
    unique = sum(
        query.unique and is_asserted(answers[query.id]) and is_right(query, answers[query.id]) for query in queries
    )
    first, eighth = (
        sum(not query.absent and is_found(query, answers[query.id], most) for query in queries) for most in (1, 8)
    )
    error = of_figure(queries, lambda sample: calibration_error(sample, answers, None))
    return [
        Bar("recall@1", some.recall_1, 0.95, interval=of_share(first, some.present)),
        Bar("recall@8", some.recall_8, 0.985, interval=of_share(eighth, some.present)),
        Bar("precision at 0.85", some.precision, 0.985, interval=of_share(right, some.asserted)),
        Bar("recall at 0.85, unique answers", some.recall, 0.82, interval=of_share(unique, some.unique)),
        Bar("calibration error", calibration_error(queries, answers, None), 0.03, least=False, interval=error),
    ]


def document(report: Report, about: About, rows: Sequence[Row] = (), typed: Sequence[Bar] = ()) -> dict[str, Any]:
    """Return the run as JSON, with the figures of the baselines (`rows`): every figure, no query.

    Args:
        report: The figures of the generated queries.
        about: The subject of the run.
        rows: The figures of the baselines.
        typed: The figures of the typed queries.

    Returns:
        The content of the kept file.
    """
    return {"about": about._asdict(), "typed": _plain(typed), **_plain(report), "baselines": _plain(rows)}


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {key: _plain(item) for key, item in value._asdict().items()}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def last_kept(results: Path, about: About) -> dict[str, Any] | None:
    """Return the newest kept run of the same query set (seed, part and size), if any."""
    for path in sorted(results.glob("golden-*.json"), reverse=True):
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if all(kept["about"][name] == getattr(about, name) for name in ("seed", "part", "per_kind")):
            return kept
    return None


_HEAD = f"{'':28}{'asked':>7}{'found@1':>9}{'found@8':>9}{'precision':>11}{'recall':>9}{'absent as':>11}{'error':>8}"


def printed(report: Report, about: About) -> str:
    """Format the run for a terminal."""
    lines = [f"{about.part} part of {about.seed}, release {about.release}, {about.date}", "", _HEAD]
    lines += [_row("all names", report.names), _row("  but hints of one", report.whole)]
    lines += [_row(country, some) for country, some in report.by_country.items()]
    lines += ["", *(_row(kind, some) for kind, some in report.by_kind.items())]
    lines += ["", *(_row(kind, some) for kind, some in report.identifiers.items())]
    asked, matched, repaired = report.repairs
    lines.append(
        f"one wrong digit: {asked} asked, {matched} matched at 0.85, {repaired} with the right number as a hint"
    )
    lines.append(f"namesakes asserted at 0.85: {report.names.namesakes_asserted}")
    for prior, error in report.errors_by_prior.items():
        lines.append(f"calibration error, share {prior} absent: {_figure(error)}; confidence > share right:")
        lines.append("  " + " ".join(f"{bin_.confidence:.2f}>{bin_.right:.2f}" for bin_ in report.curves[prior]))
    lines.append("")
    lines += [bar.line for bar in bars(report)]
    lines += ["", "queries by country and kind:"]
    for country, kinds in report.by_country_and_kind.items():
        lines.append(f"  {country} " + ", ".join(f"{kind} {some.asked}" for kind, some in kinds.items()))
    return "\n".join(lines)


def printed_typed(title: str, queries: Sequence[Query], answers: Answers, about: About) -> str:
    """Format the figures of typed queries for a terminal, with 95 % intervals."""
    countries, kinds = grouped(queries, lambda query: query.country), grouped(queries, lambda query: query.kind)
    lines = [
        f"{title}, release {about.release}, {about.date}; error: with the absent ones as they are",
        "",
        _HEAD,
    ]
    lines.append(_row("all typed", _as_asked(queries, answers)))
    lines += [_row(country, _as_asked(some, answers)) for country, some in countries.items()]
    lines += ["", *(_row(kind, _as_asked(some, answers)) for kind, some in sorted(kinds.items()))]
    return "\n".join([*lines, "", *(bar.line for bar in typed_bars(queries, answers)), ""])


def _as_asked(queries: Sequence[Query], answers: Answers) -> Figures:
    """Return the figures of typed queries: their share of absent companies is the one to state errors for."""
    return figures(queries, answers)._replace(error=calibration_error(queries, answers, None))


def _row(name: str, some: Figures) -> str:
    shares = (some.recall_1, some.recall_8, some.precision, some.recall)
    cells = "".join(f"{_figure(value):>{width}}" for value, width in zip(shares, (9, 9, 11, 9), strict=True))
    return f"{name:28}{some.asked:>7}{cells}{f'{some.absent_matched}/{some.absent}':>11}{_figure(some.error):>8}"


def _figure(value: float | None) -> str:
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def keep(
    report: Report, about: About, rows: Sequence[Row], results: Path, docs: Path, typed: Sequence[Bar] = ()
) -> None:
    """Keep the result and, for the whole set, write docs/reliability.md and its plot.

    Args:
        report: The figures of the generated queries.
        about: The subject of the run.
        rows: The figures of the baselines.
        results: The folder of the kept results.
        docs: The folder of the page.
        typed: The figures of the typed queries.
    """
    made = document(report, about, rows, typed)
    results.mkdir(parents=True, exist_ok=True)
    text = json.dumps(made, ensure_ascii=False, indent=1)
    (results / f"golden-{about.date}-{about.per_kind}.json").write_text(text + "\n", encoding="utf-8")
    if about.per_kind != PER_KIND:
        return
    (docs / "reliability.md").write_text(page(made), encoding="utf-8")
    order = (PRIORS[1], PRIORS[0], PRIORS[2])
    curves = {
        f"{prior:.0%} ausentes / absent": [(bin_.confidence, bin_.right) for bin_ in report.curves[f"{prior:.2f}"]]
        for prior in order
    }
    (docs / "reliability.svg").write_text(reliability_plot(curves), encoding="utf-8")


class _Words(NamedTuple):
    """The sentences of the page in one language."""

    title: str
    text: str
    head: str
    everywhere: str


_ES = _Words(
    "Fiabilidad de la confianza",
    "`confidence` es la probabilidad calibrada de que el primer resultado sea la empresa buscada. La tabla compara la"
    " confianza con el proporción de aciertos en {asked} consultas por nombre que no se usaron para ajustar el modelo."
    " De ellas, {absent} nombran empresas que no están en el directorio; se ponderan para que sean un tercio del total."
    " Error de calibración (15 tramos de igual peso): {error}; con 10 % de empresas ausentes, {low}; con 50 %, {high}."
    " Medido el {date} sobre la versión {release}.",
    "| País | Tramo de confianza | Confianza media | Aciertos | Consultas |",
    "todos",
)
_EN = _Words(
    "Reliability of confidence",
    "`confidence` is the calibrated probability that the first result is the company that was meant. The table compares"
    " confidence with the share of right results in {asked} name queries that were not used to fit the model. Of these,"
    " {absent} name companies that are not in the directory; they are weighted to be a third of the total. Calibration"
    " error (15 bins of equal weight): {error}; with 10 % absent companies, {low}; with 50 %, {high}. Measured on"
    " {date} over release {release}.",
    "| Country | Confidence | Mean confidence | Share right | Queries |",
    "all",
)


def page(made: Mapping[str, Any]) -> str:
    """Return docs/reliability.md of a kept run: Spanish, then English."""
    heading = "<!-- Written by `python -m evaluation.run --keep`; do not edit. -->\n\n"
    return heading + "\n".join(_section(made, words) for words in (_ES, _EN))


def _section(made: Mapping[str, Any], words: _Words) -> str:
    names, errors = made["names"], made["errors_by_prior"]
    text = words.text.format(
        asked=names["asked"],
        absent=names["absent"],
        error=_figure(names["error"]),
        low=_figure(errors["0.10"]),
        high=_figure(errors["0.50"]),
        date=made["about"]["date"],
        release=made["about"]["release"],
    )
    rows = [
        f"| {words.everywhere if country == 'all' else country} | {low:g}–{high:g} | {bin_['confidence']:.3f}"
        f" | {bin_['right']:.3f} | {bin_['queries']} |"
        for country, table in made["reliability"].items()
        for low, high, bin_ in table
    ]
    title = f"{'#' if words is _ES else '##'} {words.title}"
    rule = "| --- | --- | --- | --- | --- |"
    return "\n".join([title, "", text, "", f"![{words.title}](reliability.svg)", "", words.head, rule, *rows, ""])
