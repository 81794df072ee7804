"""Client of the Padrón company search: official registers of the Americas, by name or identifier.

    from padron_client import Padron

    with Padron() as padron:  # the key is in PADRON_API_KEY
        print(padron.search("petrobras").best_match)

`Padron` and `AsyncPadron` are the clients, `padron_client.errors` the errors, `padron_client.types` the results.
"""

from padron_client.calls import DEFAULT_BASE_URL, DEFAULT_MAX_RETRIES, DEFAULT_TIMEOUT, Cache, Kept, Quota, Response
from padron_client.client import AsyncPadron, Padron, __version__
from padron_client.errors import (
    APIConnectionError,
    APIError,
    APIResponseError,
    APIStatusError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
)

__all__ = [
    "DEFAULT_BASE_URL",
    "DEFAULT_MAX_RETRIES",
    "DEFAULT_TIMEOUT",
    "APIConnectionError",
    "APIError",
    "APIResponseError",
    "APIStatusError",
    "APITimeoutError",
    "AsyncPadron",
    "AuthenticationError",
    "BadRequestError",
    "Cache",
    "Kept",
    "NotFoundError",
    "Padron",
    "PermissionDeniedError",
    "Quota",
    "RateLimitError",
    "Response",
    "ServerError",
    "__version__",
]
