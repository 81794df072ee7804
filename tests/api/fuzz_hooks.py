"""Exceptions for schemathesis, with their reasons; it loads this module itself, and all else is a failure."""

from __future__ import annotations

import schemathesis
from schemathesis.core.failures import Failure
from schemathesis.core.transport import Response


@schemathesis.hook("filter_failure")
def identifiers_have_a_structure_of_their_own(
    context: schemathesis.HookContext, failure: Failure, case: schemathesis.Case, response: Response
) -> bool:
    """A well-formed path may hold what is no identifier of its country: 400 `invalid-identifier`.

    The structure depends on the country beside it (13 digits in Ecuador, letters and digits in Mexico), which a path
    parameter's schema cannot say.
    """
    structural = response.status_code == 400 and response.json()["code"] == "invalid-identifier"
    return not (type(failure).__name__ == "RejectedPositiveData" and structural)
