"""The one exception tree. Standard library only; knows codes, never an HTTP status and never a sentence.

The words for each code, in Spanish and English, are in `padron.transport.problems`; `context` fills them in. A context
value may be shown to the person who caused the error, so it never holds a stranger's data.
"""

from __future__ import annotations


class PadronError(Exception):
    """Root of every error this package raises on purpose; `code` is stable kebab-case and part of the API."""

    def __init__(self, code: str, **context: object) -> None:
        super().__init__(code, context)
        self.code = code
        self.context = context

    def __str__(self) -> str:
        """Code and context on one line, for a traceback; readers get the sentence of `http.problems` instead."""
        return self.code + "".join(f" {key}={value!r}" for key, value in self.context.items())


class Invalid(PadronError, ValueError):
    """The caller's input cannot be used; `context["parameter"]` names the part of the input.

    `also` are the refusals of other parts of the same input, told together with this one.
    """

    also: tuple[Invalid, ...] = ()


class NotFound(PadronError, LookupError):
    """What was asked for is not there, or may not be shown."""


class Denied(PadronError):
    """The credentials are missing or wrong, or do not reach this."""


class Limited(PadronError):
    """Too many requests; `context["retry_after"]` is in whole seconds."""


class SourceError(PadronError):
    """An official file cannot be read or breaks what is expected of it; context has `source`, `file` and more."""


class ReleaseError(PadronError):
    """A release, snapshot or index on disk is absent, damaged, or of another format."""


class Unavailable(PadronError):
    """A part of the service is not ready or down; the same request may succeed later."""
