"""`padron sources`: the state of the official sources here, and at their publishers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from padron import config
from padron.cli.builds import BROKEN, BUNDLED, fetch_settings
from padron.cli.terminal import current_step, print_json, print_source_checks, print_sources
from padron.countries import REGISTRY
from padron.errors import messages
from padron.ingest.fetching.source_check import CheckedFile, SourceCheck, check_sources
from padron.ingest.fetching.source_status import sources as source_states
from padron.transport import inputs

commands = App(
    name="sources", help="Tell the date, age, rows, licence, completeness and state of every official source."
)
Json = Annotated[bool, Parameter(name="--json", negative="")]

_UNREACHABLE = 4


@commands.default
def show(*, json: Json = False, data: Path | None = None) -> int:
    """Tell the date, age, rows, licence, completeness and state of every official source.

    Args:
        json: Print it as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    rows = source_states(REGISTRY, data or config.load().data, BUNDLED, datetime.now(UTC).date())
    if json:
        print_json([row._asdict() for row in rows])
    else:
        print_sources(rows)
    return 0


@commands.command
def check(country: str | None = None, *, json: Json = False, data: Path | None = None) -> int:
    """Ask every address of the sources, and compare the answers with the expected layouts; nothing is downloaded whole.

    Args:
        country: ISO code of a country (default: all of them).
        json: Print it as JSON.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        0 where all is as expected, 3 where a source changed, is gone or asks for a login, 4 where some only cannot be
        reached.
    """
    settings = config.load(data=data)
    countries = [REGISTRY[inputs.country_code(country)]] if country else list(REGISTRY.values())
    with current_step() as tell:
        checks = check_sources(
            countries, fetch_settings(settings), settings.data / "official", datetime.now(UTC).date(), tell
        )
    if json:
        print_json([_as_json(row) for row in checks])
    else:
        print_source_checks(checks)
    return _exit(checks)


def _exit(checks: Sequence[SourceCheck]) -> int:
    states = {row.state for row in checks}
    if states <= {"expected", "manual"}:
        return 0
    return _UNREACHABLE if states <= {"expected", "manual", "unreachable"} else BROKEN


def _as_json(row: SourceCheck) -> dict[str, object]:
    return {**row._asdict(), "files": [_file_as_json(file) for file in row.files]}


def _file_as_json(file: CheckedFile) -> dict[str, object]:
    detail = messages.detail(file.reason, config.reader_language()) if file.reason else None
    return {**file._asdict(), "reason": file.reason.code if file.reason else None, "detail": detail}
