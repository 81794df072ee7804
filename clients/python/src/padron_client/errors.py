"""Errors of the client: one tree, with the same names in every client library.

    APIError
    ├── APIConnectionError      no whole answer arrived
    │   └── APITimeoutError     … in time
    ├── APIResponseError        a 2xx answer that is not what the service describes
    └── APIStatusError          any other status
        ├── BadRequestError         400
        ├── AuthenticationError     401
        ├── PermissionDeniedError   403
        ├── NotFoundError           404
        ├── RateLimitError          429
        └── ServerError             5xx

A wrong argument is a `ValueError` and is raised before anything is sent. No error holds the key.
"""

from __future__ import annotations

from padron_client.types import Problem


class APIError(Exception):
    """The call failed; every error of this library but `ValueError` is one.

    Attributes:
        status: HTTP status of the answer; None when there was none.
        problem: The problem document (RFC 9457) that came with it, if one did.
        request_id: Id of the request at the service; quote it when asking for help.
        retry_after: Seconds the service asks to wait, from the answer on; None when it does not say.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        problem: Problem | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.problem = problem
        self.request_id = request_id
        self.retry_after = retry_after

    @property
    def code(self) -> str | None:
        """The stable code of the problem, such as `plan-required`; None when there is no problem document."""
        return None if self.problem is None else self.problem.code


class APIConnectionError(APIError):
    """No whole answer arrived: no connection, or it broke off. Tried again `max_retries` times."""


class APITimeoutError(APIConnectionError):
    """No whole answer arrived within `timeout` seconds. Tried again `max_retries` times."""


class APIResponseError(APIError):
    """A successful answer that is not what the service describes: something else answers, or the client is too old."""


class APIStatusError(APIError):
    """The service refused, or failed. A status without a class of its own, such as 409, is just this."""


class BadRequestError(APIStatusError):
    """400: an argument is wrong; `problem.errors` names it."""


class AuthenticationError(APIStatusError):
    """401: the key is missing, unknown, revoked or expired; `code` tells which."""


class PermissionDeniedError(APIStatusError):
    """403: the plan (`plan-required`) or the key (`scope-missing`) does not include this."""


class NotFoundError(APIStatusError):
    """404: the registers that the service holds have no such company; `problem.detail` tells how fresh they are."""


class RateLimitError(APIStatusError):
    """429: too many requests. Tried again after `retry_after` seconds, unless that is more than a minute."""


class ServerError(APIStatusError):
    """5xx: the service is at fault or not ready. 500, 502, 503 and 504 are tried again `max_retries` times."""


_CLASSES: dict[int, type[APIStatusError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    429: RateLimitError,
}


def class_of(status: int) -> type[APIStatusError]:
    """The class for an HTTP status that is not 2xx."""
    return _CLASSES.get(status, ServerError if status >= 500 else APIStatusError)
