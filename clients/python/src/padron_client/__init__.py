"""Client of the Padrón company search: official registers of the Americas, by name or identifier.

    from padron_client import Padron

    with Padron() as padron:  # the key is in PADRON_API_KEY
        print(padron.search("petrobras").best_match)

`Padron` and `AsyncPadron` are the clients, `padron_client.errors` the errors, `padron_client.types` the results.
`match` finds the companies of a data frame of pandas or polars.
"""

from padron_client.calls import (
    DEFAULT_BASE_URL,
    DEFAULT_MAX_RETRIES,
    DEFAULT_TIMEOUT,
    Attempt,
    Cache,
    CompanyToWatch,
    Kept,
    Quota,
    Response,
    Row,
    SearchToSave,
)
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
from padron_client.files import BulkFile
from padron_client.frames import match
from padron_client.identifiers import Validation, validate_identifier
from padron_client.rules import Identifier
from padron_client.webhooks import WebhookVerificationError, verify_webhook

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
    "Attempt",
    "AuthenticationError",
    "BadRequestError",
    "BulkFile",
    "Cache",
    "CompanyToWatch",
    "Identifier",
    "Kept",
    "NotFoundError",
    "Padron",
    "PermissionDeniedError",
    "Quota",
    "RateLimitError",
    "Response",
    "Row",
    "SearchToSave",
    "ServerError",
    "Validation",
    "WebhookVerificationError",
    "__version__",
    "match",
    "validate_identifier",
    "verify_webhook",
]
