"""`--help` of every command, and what is wrong with a command line, in the language of the person at the terminal.

The English stands where it is used: in the docstrings of the commands and in the list of them in `padron.cli.app`.
Here it is translated while it is printed, paragraph by paragraph, and collected for the catalogue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from typing import TYPE_CHECKING, Any, Final

from cyclopts import (
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
    ValidationError,
)
from cyclopts.help import DefaultFormatter, InlineText

from padron import config
from padron.errors import Invalid
from padron.words import N_, bilingual, translate

if TYPE_CHECKING:
    from cyclopts import App
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions

_PLACEHOLDERS: Final = {
    "STR": N_("TEXT"),
    "INT": N_("NUMBER"),
    "PATH": N_("PATH"),
    "DATE": N_("DATE"),
    "COMMAND": N_("COMMAND"),
    "[OPTIONS]": N_("[OPTIONS]"),
    "[ARGS]": N_("[ARGUMENTS]"),
}
"""Words that stand for what is to be typed -> the same for people."""
_PLACEHOLDER: Final = re.compile(r"(?<![\w-])(?:\[OPTIONS\]|\[ARGS\]|(?:STR|INT|PATH|DATE|COMMAND)\b)")
_USAGE, _DEFAULT, _REQUIRED = N_("Usage:"), N_("default"), N_("required")


class CommandHelp(DefaultFormatter):
    """Prints help pages, translated."""

    def translated(self, sentence: str) -> str:
        """Return a sentence in the language of the person."""
        return translate(sentence, config.reader_language())

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:
        """Print the first line.

        Args:
            console: Where to print.
            options: Unused.
            usage: The words behind `Usage:`.
        """
        from rich.text import Text  # noqa: PLC0415 - as the formatter itself: only a help page needs it

        console.print(Text(f"{self.translated(_USAGE)} {self._placeholders(str(usage))}", style="bold"))

    def render_description(self, console: Console, options: ConsoleOptions, description: Any) -> None:
        """Print what a command does.

        Args:
            console: Where to print.
            options: Unused.
            description: Its docstring.
        """
        super().render_description(console, options, self._text(description, force_empty_end=True))

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """Print a list of commands or parameters."""
        title = self.translated(str(panel.title))
        super().__call__(console, options, panel.copy(title=title, entries=list(map(self._entry, panel.entries))))

    def _entry(self, entry: HelpEntry) -> HelpEntry:
        from rich.text import Text  # noqa: PLC0415 - as above

        description = self._text(entry.description)
        remarks = []
        if entry.default not in {None, "False"}:
            remarks.append(f"{self.translated(_DEFAULT)}: {entry.default}")
        if entry.required:
            remarks.append(self.translated(_REQUIRED))
        for remark in remarks:
            description.append(Text(f"[{remark}]", style="cyclopts.default"))
        metavar = entry.metavar and self._placeholders(entry.metavar)
        return entry.copy(description=description, metavar=metavar, default=None, required=False)

    def _placeholders(self, text: str) -> str:
        return _PLACEHOLDER.sub(lambda word: self.translated(_PLACEHOLDERS[word[0]]), text)

    def _text(self, description: Any, *, force_empty_end: bool = False) -> InlineText:
        """Translate a description, which is Markdown, paragraph by paragraph."""
        markdown = getattr(getattr(description, "primary_renderable", None), "markup", "")
        paragraphs = [" ".join(paragraph.split()) for paragraph in markdown.split("\n\n") if paragraph.strip()]
        text = "\n\n".join(map(self.translated, paragraphs))
        return InlineText.from_format(text, "markdown", force_empty_end=force_empty_end)


class _Collector(CommandHelp):
    """Collects the sentences of help pages."""

    def __init__(self) -> None:
        super().__init__()
        self.sentences: set[str] = set()

    def translated(self, sentence: str) -> str:
        """Note a sentence."""
        self.sentences.add(sentence)
        return sentence


def pages(app: App, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of every command of a program, its groups of commands and the program itself first."""
    yield words
    for name in app:
        if not name.startswith("-"):
            yield from pages(app[name], (*words, name))


def sentences(app: App) -> set[str]:
    """Return the sentences of all help pages of a program."""
    from rich.console import Console  # noqa: PLC0415 - as above

    collector = _Collector()
    printing, app.help_formatter = app.help_formatter, collector
    try:
        for words in pages(app):
            app.help_print(words, console=Console(file=StringIO()))
    finally:
        app.help_formatter = printing
    return collector.sentences


def fault(error: CycloptsError) -> Invalid:
    """Return what is wrong with a command line as an error of ours: `bad-command-line`."""
    match error:
        case UnknownOptionError(token=token):
            reason = bilingual("there is no option {word}", word=token.keyword or token.value)
        case UnknownCommandError(unused_tokens=[word, *_]):
            reason = bilingual("there is no command {word}", word=word)
        case UnusedCliTokensError(unused_tokens=[word, *_]):
            reason = bilingual("{word} is one word too many", word=word)
        case RepeatArgumentError(token=token):
            reason = bilingual("{word} is given twice", word=token.keyword)
        case MissingArgumentError(argument=argument) if argument:
            reason = bilingual("{word} needs a value", word=argument.name)
        case CoercionError(argument=argument) | ValidationError(argument=argument) if argument:
            reason = bilingual("{word} cannot have this value", word=argument.name)
        case _:
            reason = bilingual("it cannot be read")
    return Invalid("bad-command-line", reason=reason, command=" ".join(("padron", *(error.command_chain or ()))))
