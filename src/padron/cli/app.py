"""The command line: every command by its name, loaded when it runs; errors as sentences and exit codes.

Everything but `serve` works in process, no server needed. Words for people follow LANGUAGE, LC_ALL, LC_MESSAGES or LANG
(Spanish unless they name English or nothing); `--json` prints what the public API answers, and errors as problem
documents. Exit codes: 0 done, 1 nothing found, 2 the input is wrong, 3 an official file or a release is broken,
4 not available now (another build runs, the port is taken).
A command that a signal ends removes what it began, and dies of that signal.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Iterator
from json import dumps

from cyclopts import App, CycloptsError

from padron import __version__, config
from padron.cli.help import CommandHelp, fault, sentences
from padron.errors import Invalid, NotFound, PadronError, ReleaseError, SourceError, Unavailable
from padron.words import Extracted, extracted

NOTHING_FOUND, BAD_INPUT, BROKEN, UNAVAILABLE = 1, 2, 3, 4

COMMANDS = {
    "search": ("searches:search", "Find companies by name or identifier, the best match first."),
    "get": ("searches:get", "Get one company by its official identifier."),
    "coverage": (
        "searches:coverage",
        "Tell how many companies of each country are covered, from which source and date.",
    ),
    "compare": (
        "searches:compare",
        "Compare two names, in either order: the confidence that they mean one company.",
    ),
    "match": (
        "lists:match",
        "Match a list: find the company of each row of a CSV, workbook, Parquet or NDJSON file.",
    ),
    "dedupe": ("lists:dedupe", "Tell which rows of a list are one company."),
    "build": ("builds:build", "Build a release from official files and make it the one to serve."),
    "fetch": (
        "builds:fetch",
        "Fetch the official files of a country that are new, into the data folder.",
    ),
    "refresh": (
        "builds:refresh",
        "Fetch what is new of all countries and build anew those that have news: the command for a timer.",
    ),
    "sources": (
        "sources:commands",
        "Tell the date, age, rows, licence, completeness and state of every official source.",
    ),
    "changes": (
        "builds:changes",
        "Tell what each published release changed: companies new, gone, renamed, renumbered and more.",
    ),
    "corpus": (
        "builds:corpus",
        "Write synthetic files in the official format of Brazil's Receita Federal, for benchmarks at any size.",
    ),
    "release": ("releases:commands", "List, check, bring back, remove, push and pull releases."),
    "export": (
        "releases:export",
        "Write the public data of the current release as files: Parquet and NDJSON by country, licences, a catalogue.",
    ),
    "accounts": ("accounts:commands", "Open, show, change and delete accounts, their keys and plans."),
    "serve": ("service:serve", "Serve the HTTP API."),
    "mcp": (
        "searches:mcp",
        "Offer the release to agents of this machine: the Model Context Protocol on standard input and output.",
    ),
    "doctor": (
        "service:examine",
        "Check settings, disk, release, index lock, port and clock; tell every fault at once.",
    ),
}
"""Commands by name: where they are, and their help."""

app = App(
    name="padron",
    version=__version__,
    version_format="plaintext",
    help="Company search of the Americas, from the official registers.",
    help_formatter=CommandHelp(),
)
app.register_install_completion_command()
for _name, (_place, _help) in COMMANDS.items():
    app.command(f"padron.cli.{_place}", name=_name, help=_help)


_ENDING = (signal.SIGHUP, signal.SIGTERM)
"""Signals that end a command as Ctrl-C does, save those that it is started to ignore (`nohup`)."""


def main() -> None:
    """Run a command to its exit code, or until a signal ends it."""
    _occupy_standard_files()
    received: list[int] = []

    def interrupt(number: int, _frame: object) -> None:
        """Let the command remove what it has begun; no other signal disturbs it there."""
        for other in _ENDING:
            signal.signal(other, signal.SIG_IGN)
        received.append(number)
        raise KeyboardInterrupt

    awaited = [number for number in _ENDING if signal.getsignal(number) == signal.SIG_DFL]
    for number in awaited:
        signal.signal(number, interrupt)
    try:
        sys.exit(_run())
    finally:
        for number in awaited:
            signal.signal(number, signal.SIG_DFL)
        # Whatever the command ended with: DuckDB makes another error of a KeyboardInterrupt.
        for ended_by in received:
            signal.raise_signal(ended_by)


def _run() -> int:
    """Run a command and return its exit code; every error of ours becomes one sentence on standard error."""
    try:
        code = app(exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except CycloptsError as error:
        code = _state(fault(error))
    except PadronError as error:
        code = _state(error)
    except BrokenPipeError:
        code = 0
        _discard_output()
    except OSError as error:
        if error.filename or error.errno not in _UNWRITTEN:
            raise
        code = _state(Unavailable("output-fault", reason=error.strerror))
        _discard_output()
    except KeyboardInterrupt:
        code = 130
    return code if isinstance(code, int) else 0


_UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF)


def _occupy_standard_files() -> None:
    """Open what is closed of standard input, output and error: a socket or a file would be in its place.

    There is nothing to read, writing the output fails as before, and errors are written to nowhere.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)  # takes the lowest number
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))


def _state(error: PadronError) -> int:
    """State an error on standard error, as a problem document where JSON was asked for; return the exit code."""
    from padron.errors import messages  # noqa: PLC0415 - only an error needs its sentence

    language = config.reader_language()
    detail = messages.detail(error, language)
    if "--json" in sys.argv:
        names = ("type", "title", "detail", "code")
        values = (f"urn:padron:problem:{error.code}", messages.title(error.code, language), detail, error.code)
        detail = dumps(dict(zip(names, values, strict=True)), ensure_ascii=False)
    print(detail, file=sys.stderr)  # noqa: T201
    if isinstance(error, NotFound):
        return NOTHING_FOUND
    if isinstance(error, Invalid):
        return BAD_INPUT
    return BROKEN if isinstance(error, (SourceError, ReleaseError)) else UNAVAILABLE


def extract(*_unused: object, **_options: object) -> Iterator[Extracted]:
    """Yield the sentences of all help pages, as an extraction method of Babel."""
    yield from extracted(sentences(app))


def _discard_output() -> None:
    """Let the interpreter write what it still holds for standard output to nowhere, and not fail again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
