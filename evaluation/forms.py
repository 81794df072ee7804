"""Own list of legal forms with their spellings, and of the remarks that registers put behind a name."""

from __future__ import annotations

from typing import NamedTuple


class Form(NamedTuple):
    """A legal form: its short spellings (the customary one first) and its long ones."""

    code: str
    short: tuple[str, ...]
    long: tuple[str, ...] = ()


_SA = Form("sa", ("S.A.", "SA", "S. A.", "S/A"), ("Sociedad Anónima", "Soc. Anónima"))
_SAS = Form("sas", ("S.A.S.", "SAS", "S. A. S."), ("Sociedad por Acciones Simplificada",))
_LTDA = Form("ltda", ("Ltda.", "LTDA"), ("Limitada", "Sociedad Limitada"))
_ABROAD = (
    Form("inc", ("Inc.", "INC"), ("Incorporated",)),
    Form("ltd", ("Ltd.", "LTD"), ("Limited",)),
    Form("llc", ("LLC", "L.L.C."), ("Limited Liability Company",)),
    Form("gmbh", ("GmbH",)),
    Form("bv", ("B.V.", "BV")),
    Form("nv", ("N.V.", "NV")),
    Form("plc", ("PLC", "plc"), ("Public Limited Company",)),
)

FORMS: dict[str, tuple[Form, ...]] = {
    "EC": (
        _SA,
        _SAS,
        Form(
            "ltda",
            ("Cía. Ltda.", "CIA LTDA", "C. Ltda.", "C LTDA", "Ltda.", "C.L."),
            ("Compañía Limitada", "Compañía de Responsabilidad Limitada", "Limitada"),
        ),
        Form("ca", ("C.A.", "CA"), ("Compañía Anónima",)),
        Form("cem", ("C.E.M.", "CEM"), ("Compañía de Economía Mixta",)),
        *_ABROAD,
    ),
    "MX": (
        Form("sa-cv", ("S.A. de C.V.", "SA de CV", "S.A. DE C.V"), ("Sociedad Anónima de Capital Variable",)),
        Form(
            "srl-cv",
            ("S. de R.L. de C.V.", "S de RL de CV", "SRL de CV"),
            ("Sociedad de Responsabilidad Limitada de Capital Variable",),
        ),
        Form("srl", ("S. de R.L.", "S de RL"), ("Sociedad de Responsabilidad Limitada",)),
        Form(
            "sapi",
            ("S.A.P.I. de C.V.", "SAPI de CV"),
            ("Sociedad Anónima Promotora de Inversión de Capital Variable",),
        ),
        Form("sab", ("S.A.B. de C.V.", "SAB de CV"), ("Sociedad Anónima Bursátil de Capital Variable",)),
        _SA,
        Form("sas", ("S.A.S. de C.V.", "SAS de CV", "S.A.S."), ("Sociedad por Acciones Simplificada",)),
        Form("sc", ("S.C.", "SC"), ("Sociedad Civil",)),
        Form("ac", ("A.C.", "AC"), ("Asociación Civil",)),
        Form(
            "spr",
            ("S.P.R. de R.L.", "SPR de RL", "SPR de RL de CV"),
            ("Sociedad de Producción Rural de Responsabilidad Limitada",),
        ),
        Form(
            "sc-rl",
            ("S.C. de R.L. de C.V.", "SC de RL de CV", "S.C. de R.L.", "SCL"),
            ("Sociedad Cooperativa de Responsabilidad Limitada",),
        ),
        Form("iap", ("I.A.P.", "IAP"), ("Institución de Asistencia Privada",)),
        *_ABROAD,
    ),
    "US": (
        Form("corp", ("Corp.", "Corp", "CORP"), ("Corporation",)),
        Form("co", ("Co.", "Co", "CO"), ("Company",)),
        Form("lp", ("L.P.", "LP"), ("Limited Partnership",)),
        Form("sa", ("S.A.", "SA")),
        Form("ag", ("AG",)),
        *_ABROAD,
    ),
    "BR": (
        Form("sa", ("S.A.", "S/A", "SA", "S. A."), ("Sociedade Anônima",)),
        Form("ltda", ("Ltda.", "LTDA"), ("Limitada", "Sociedade Limitada")),
        Form("eireli", ("EIRELI", "Eireli"), ("Empresa Individual de Responsabilidade Limitada",)),
        Form("ss", ("S/S", "SS"), ("Sociedade Simples",)),
        *_ABROAD,
    ),
    "CO": (
        _SAS,
        _SA,
        _LTDA,
        Form("sca", ("S.C.A.", "SCA"), ("Sociedad en Comandita por Acciones",)),
        Form("s-en-c", ("S. en C.", "S en C"), ("Sociedad en Comandita", "Sociedad en Comandita Simple")),
        Form("eu", ("E.U.", "EU"), ("Empresa Unipersonal",)),
        *_ABROAD,
    ),
    "AR": (
        _SA,
        Form(
            "srl",
            ("S.R.L.", "SRL", "S. R. L."),
            ("Sociedad de Responsabilidad Limitada", "Soc. de Resp. Ltda.", "Soc. de Resp. Limitada"),
        ),
        _SAS,
        Form("sau", ("S.A.U.", "SAU"), ("Sociedad Anónima Unipersonal",)),
        _LTDA,
        Form("sca", ("S.C.A.", "SCA"), ("Sociedad en Comandita por Acciones",)),
        Form("saic", ("S.A.I.C.", "SAIC"), ("Sociedad Anónima Industrial y Comercial",)),
        Form("saci", ("S.A.C.I.", "SACI"), ("Sociedad Anónima Comercial e Industrial",)),
        Form("sacif", ("S.A.C.I.F.", "SACIF", "S.A.C.I. y F."), ()),
        Form("se", ("S.E.", "SE"), ("Sociedad del Estado",)),
        *_ABROAD,
    ),
}

_TRADES = (
    "comercial|industrial|financiera|agropecuaria|ganadera|inmobiliaria|inversora|importadora|exportadora|[cifaey]"
)
LONG_FORM = rf"sa[cifaegmy]{{2,8}}|(sociedad anonima|soc anon|sa)( ({_TRADES}))+"
"""Argentina: a sociedad anónima that names its trades (`S.A.C.I.F.I.A.`, `S.A.I.C. y F.`), over folded words."""
TRAILING_TRADES = r"(ind|industria|com|comercio)( [e&y])? (ind|industria|com|comercio)( (imp|exp|e))*"
"""Brazil: trades behind the form, `SA IND E COMERCIO`, over folded words."""

OTHER_OWNERS: dict[str, tuple[str, ...]] = {
    "EC": ("sa", "ltda", "sas"),
    "MX": ("sa-cv", "srl-cv", "sc"),
    "US": ("inc", "llc", "lp"),
    "BR": ("sa", "ltda"),
    "CO": ("sas", "sa", "ltda"),
    "AR": ("sa", "srl", "sas"),
}
"""Common forms of a country: the same name under another of them is the company of another owner."""

TAILS = (
    r"en liquidacion( judicial| forzosa| obligatoria)?",
    r"en reorganizacion( empresarial)?",
    r"(sociedad de )?beneficio e interes colectivo",
    r"en (concordato|formacion|negociacion de emergencia|reestructuracion|acuerdo de reestructuracion|insolvencia)",
    r"em (liquidacao( extrajudicial| judicial| ordinaria)?|recuperacao (extra)?judicial|organizacao)",
    r"(massa )?falida",
    r"institucion de banca (multiple|de desarrollo).*",
    r"sofom( enr| er| e n r| e r)?",
    r"bic|zomac|esp|me|epp|efc|adr",
)
"""Regular expressions over folded words that registers put behind a name and that people do not type."""
FORM_WORDS = frozenset(
    "acciones anon anonima anonyma capital limitada limited ltda responsabilidad responsabilidade simplificada simples"
    " soc sociedad sociedade unipersonal variable".split()
)
"""Words of long legal forms, for names with a form that no table has."""
