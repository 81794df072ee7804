"""Exceptions of the package. They have codes, and neither an HTTP status nor a sentence; standard library only.

The message of each code, in Spanish and English, is in `errors.messages`; `context` fills in its placeholders. A
context value may be shown to the person who caused the error, so it never holds a stranger's data.
"""

from __future__ import annotations


class PadronError(Exception):
    """Root of every error this package raises on purpose; `code` is stable kebab-case and part of the API."""

    def __init__(self, code: str, **context: object) -> None:
        super().__init__(code, context)
        self.code = code
        self.context = context

    def __str__(self) -> str:
        """Return code and context on one line, for a traceback; people get a sentence instead."""
        return self.code + "".join(f" {key}={value!r}" for key, value in self.context.items())


class Invalid(PadronError, ValueError):
    """The caller's input cannot be used; `context["parameter"]` names the part of the input.

    `also` are the errors in other parts of the same input, reported together with this one.
    """

    also: tuple[Invalid, ...] = ()


class NotFound(PadronError, LookupError):
    """A company or page that does not exist, or may not be shown."""


class Denied(PadronError):
    """The credentials are missing or wrong, or do not allow this."""


class Limited(PadronError):
    """A limit of requests is exceeded; `context["retry_after"]` is in whole seconds."""


class SourceError(PadronError):
    """An official file that cannot be read or breaks an expectation; context has `source`, `file` and more."""


class ReleaseError(PadronError):
    """A release, snapshot or index on disk that is absent, damaged, or of another format."""


class Unavailable(PadronError):
    """A part of the service is not ready or down; the same request may succeed later."""
