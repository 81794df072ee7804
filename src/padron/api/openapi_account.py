"""The OpenAPI 3.1 description of `/api/account`, from the structs that are read and sent."""

from __future__ import annotations

from padron.accounts.keys import SCOPES
from padron.accounts.plans import read_plans
from padron.api import account_model as office
from padron.api import v1_model
from padron.api.account import SENT
from padron.api.openapi_members import IDEMPOTENCY, THEN, Operation, buying, checkout, document, parameter
from padron.errors import Denied, Invalid, NotFound, Unavailable
from padron.model import Language, Text

_KEY_ID = parameter("key", "path", "Id of the key.", {"type": "string", "pattern": "^key_[0-9a-f]{24}$"})
_DESCRIPTION = Text(
    """\
Cuentas, claves y planes. Se abre con la cookie de una sesión, nunca con una clave de API. El registro, la entrada y las
contraseñas olvidadas responden igual tenga o no una cuenta esa dirección.
""",
    """\
Accounts, keys, plans. A session cookie opens it, an API key never does. Sign-up, log-in and forgotten passwords answer
alike whether an address has an account or not.
""",
)


def account_document(base_url: str, language: Language) -> bytes:
    """The description of `/api/account`, for a service at `base_url`, in words of `language`."""
    return document(base_url, language, "Padrón /api/account", _DESCRIPTION, account_operations(language))


def account_operations(language: Language) -> list[Operation]:
    """The operations of `/api/account`; their examples are in `language`."""
    base = "/api/account"
    account = office.AccountShown(
        id="acc_0123456789abcdef01234567",
        email="ana@example.ec",
        language="es",
        plan="free",
        created_at=THEN,
        subscription=None,
    )
    key = office.KeyShown(
        id="key_0123456789abcdef01234567",
        name="uno",
        ending="c0P4",
        scopes=list(SCOPES),
        state="active",
        created_at=THEN,
        expires_at=None,
        revoked_at=None,
        leaked_at=None,
        last_used_at=None,
    )
    made, sent = office.KeyMade(key=key, api_key="pdr_live_…"), office.Accepted(message=SENT.of(language))
    window = v1_model.UsageWindow(limit=60, remaining=60, resets_at=THEN)
    usage = office.AccountUsage(plan="free", minute=window, day=window, history=[])
    mailed, password, email = "…", "una frase larga y propia", "ana@example.ec"
    weak = Invalid("weak-password", parameter="password", minimum=10, maximum=256, reason="length")
    wrong, token, address = Denied("bad-login"), Denied("bad-token"), Invalid("bad-address", parameter="email")
    mine = [NotFound("key-not-found"), Invalid("key-not-in-use", parameter="key")]
    many = [Invalid("key-name-taken", parameter="name"), Invalid("too-many-keys", most=5)]
    late = Invalid("expiry-past", parameter="expiresAt")
    entered = ("Set-Cookie",)
    o = Operation
    return [
        o("post", base, "signUp", "Open an account", 202, sent, [weak, address], (),
          office.SignUp(email=email, password=password), None),
        o("get", base, "getAccount", "The account", 200, account, guard="session"),
        o("patch", base, "changeAccount", "Change the language", 200, account, (), (),
          office.ChangeAccount(language="en"), "session"),
        o("delete", base, "deleteAccount", "Delete the account and all it owns", 204, None,
          [wrong, Invalid("subscription-running")], (), office.Leave(password=password), "session"),
        o("post", f"{base}/verify", "verify", "Prove the address and enter", 200, account, [wrong, token], (),
          office.Verify(token=mailed, password=password), None, entered),
        o("post", f"{base}/session", "logIn", "Enter", 200, account, [wrong], (),
          office.LogIn(email=email, password=password), None, entered),
        o("delete", f"{base}/session", "logOut", "Leave", 204, None, guard="session", headers=entered),
        o("delete", f"{base}/sessions", "logOutEverywhere", "End all sessions", 204, None, guard="session",
          headers=entered),
        o("put", f"{base}/password", "changePassword", "Change the password; ends all other sessions", 200, account,
          [wrong, weak], (), office.ChangePassword(old=password, new=password + " azul"), "session", entered),
        o("post", f"{base}/password/forgotten", "forgottenPassword", "Ask for a link to set a new one", 202, sent,
          [address], (), office.Forgotten(email=email), None),
        o("post", f"{base}/password/reset", "resetPassword", "Set a new password by the mailed link", 200, account,
          [weak, token], (), office.Reset(token=mailed, password=password), None, entered),
        o("get", f"{base}/keys", "listKeys", "The keys", 200, office.KeysShown(keys=[key]), guard="session"),
        o("post", f"{base}/keys", "createKey", "A new key, shown once", 201, made, [*many, late], (),
          office.NewKey(name="uno"), "session"),
        o("delete", f"{base}/keys/{{key}}", "revokeKey", "End a key within a second", 204, None, mine[:1], [_KEY_ID],
          guard="session"),
        o("post", f"{base}/keys/{{key}}/rotate", "rotateKey", "Another key in its place", 201, made, [*mine, *many],
          [_KEY_ID], office.Rotate(overlap_seconds=3600), "session"),
        o("get", f"{base}/export", "exportAccount", "A copy of what is kept", 200,
          office.Export(account={"id": account.id}, keys=[], usage=[], subscriptions=[], checkouts=[], sessions=[],
                        audit=[]), guard="session"),
        o("get", f"{base}/usage", "getAccountUsage", "What is used and left", 200, usage, guard="session"),
        o("get", f"{base}/plans", "listPlans", "The plans on offer", 200,
          office.plans_shown(read_plans(), language), guard=None),
        o("post", f"{base}/checkout", "checkout", "Begin to buy a plan", 201, checkout(""), buying(), [IDEMPOTENCY],
          office.BuyPlan(plan_id="pro"), "session"),
        o("post", f"{base}/portal", "openPortal", "Where the subscription is cancelled", 200,
          office.Place(url="https://padron.example/portal"), [NotFound("no-subscription"), Unavailable("billing-off")],
          guard="session"),
    ]  # fmt: skip
