"""`padron-client search TEXT`: a look from the terminal. The key comes from PADRON_API_KEY, never from the line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import msgspec

from padron_client.calls import DEFAULT_BASE_URL, Language
from padron_client.client import Padron, __version__
from padron_client.errors import APIConnectionError, APIError, RateLimitError, ServerError

FOUND, NOTHING_FOUND, WRONG_INPUT, NOT_AVAILABLE = 0, 1, 2, 4
"""Exit codes, those of the command `padron`."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if not (api_key := os.environ.get("PADRON_API_KEY")):
        parser.error("set PADRON_API_KEY to your key")
    try:
        with Padron(api_key=api_key, base_url=given.base_url, language=_language()) as padron:
            sys.exit(_search(padron, given))
    except (APIError, ValueError) as error:
        print(f"padron-client: {error}", file=sys.stderr)  # noqa: T201
        unavailable = isinstance(error, (APIConnectionError, RateLimitError, ServerError))
        sys.exit(NOT_AVAILABLE if unavailable else WRONG_INPUT)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="padron-client", description="Find companies in the official registers.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    search = commands.add_parser("search", help="find companies by name or official identifier")
    search.add_argument("text", help="name or identifier")
    search.add_argument("--country", metavar="CC", help="ISO code of the country whose registers are searched")
    search.add_argument("--limit", type=int, metavar="N", help="how many results at most, 1 to 50")
    search.add_argument("--json", action="store_true", help="print the whole answer as JSON")
    search.add_argument(
        "--base-url",
        metavar="URL",
        default=os.environ.get("PADRON_BASE_URL", DEFAULT_BASE_URL),
        help=f"address of the service (PADRON_BASE_URL, else {DEFAULT_BASE_URL})",
    )
    return parser


def _search(padron: Padron, given: argparse.Namespace) -> int:
    """Print the results, one a line: confidence, country, identifier, name; the hints go to standard error."""
    answer = padron.search(given.text, country=given.country, limit=given.limit)
    if given.json:
        print(msgspec.json.format(msgspec.json.encode(answer), indent=2).decode())  # noqa: T201
    else:
        for result in answer.results:
            print(f"{result.confidence or 0:.4f}  {result.country_code}  {result.identifier:<14}  {result.legal_name}")  # noqa: T201
        for hint in answer.match_hints:
            print(hint, file=sys.stderr)  # noqa: T201
    return FOUND if answer.results else NOTHING_FOUND


def _language() -> Language:
    """Language of the terminal, by the POSIX order of variables: Spanish unless they name English."""
    given = next((text for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (text := os.environ.get(name))), "")
    return "en" if given.startswith("en") else "es"


if __name__ == "__main__":
    main()
