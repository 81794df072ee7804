"""The features of a candidate: one typed table, and the groups of features that ranking treats alike.

A feature's value is at least 0; features whose value is 0 are left out of `Features`. The weight of each feature and
its standard error are in calibration.json, written by `evaluation.fit_weights`, except for the features that carry a
`Judgment`: their weight is set here.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple


class Unit(Enum):
    """The unit of a feature's value."""

    FLAG = "0 or 1"
    COUNT = "count"
    EDITS = "edits"
    SHARE = "share"
    IDF = "IDF weight"
    LOG_COUNT = "log(1 + companies)"
    LOG_RANK = "log rank, 0 to 1"


class Direction(Enum):
    """The sign that the weight of a feature may have."""

    HELPS = "helps"
    HURTS = "hurts"
    EITHER = "either"


class Judgment(NamedTuple):
    """A weight set by judgment, and the reason why it is not fitted."""

    weight: float
    reason: str


class Feature(NamedTuple):
    """A row of the table."""

    name: str
    unit: Unit
    direction: Direction
    meaning: str
    judgment: Judgment | None


TABLE: Final[dict[str, Feature]] = {}
"""Every feature by its name, in the order of calibration.json."""

Features = dict[str, float]
"""The features of one candidate: name to value. Plain strings as keys, because ranking makes thousands a second."""


def _feature(name: str, unit: Unit, direction: Direction, meaning: str, judgment: Judgment | None = None) -> str:
    """Add a row to the table and return its name."""
    TABLE[name] = Feature(name, unit, direction, meaning, judgment)
    return name


_FLAG, _COUNT, _IDF = Unit.FLAG, Unit.COUNT, Unit.IDF
_HELPS, _HURTS, _EITHER = Direction.HELPS, Direction.HURTS, Direction.EITHER

_STRONG_DOUBT: Final = -2.5
"""Weight of a judgment against a candidate: it divides the odds by twelve, so that a perfect agreement is not enough
for a confidence of 0.85."""

PRIOR: Final = _feature(
    "prior", _FLAG, _EITHER, "always 1: how often a candidate is the company meant, before anything is compared"
)
FORMAL_QUERY: Final = _feature("formalQuery", _FLAG, _EITHER, "the query has a legal form, as documents write names")
QUERY_WORDS: Final = _feature("queryWords", _COUNT, _EITHER, "words of the query after the first, 3 at most")
SAME_NAME: Final = _feature("sameName", _FLAG, _HELPS, "the same words in the same order")
SOLE: Final = _feature("sole", _FLAG, _HELPS, "no other candidate has all the words of the query, letter by letter")
OUTDONE: Final = _feature(
    "outdone",
    _FLAG,
    _HURTS,
    "another candidate has exactly the name of the query, uncontested",
    Judgment(-2.0, "the typed queries turn it the other way, because brands have small namesakes: those are contested"),
)
BEGINNING: Final = _feature("beginning", _FLAG, _EITHER, "the name begins with the query and goes on")
BRIEF: Final = _feature("brief", _FLAG, _HURTS, "the query has fewer than five letters, and the name is another")
COMMON_WORD: Final = _feature(
    "commonWord",
    _FLAG,
    _HURTS,
    "the query is one word that very many companies have, or the city of the company; or common words in another order",
)
COMMON_WORDS: Final = _feature(
    "commonWords",
    _FLAG,
    _HURTS,
    "the query is two or three words that very many companies have, or the city of the company, and not the whole name",
    Judgment(0.0, "the ceiling for vague queries applies instead of a weight: `abogados y asociados` are very many"),
)
INSIDE: Final = _feature(
    "inside",
    _FLAG,
    _HURTS,
    "the query stands in a longer name behind a distinctive word",
    Judgment(_STRONG_DOUBT, "`universidad san francisco de quito` is not the clinic with this name in its own"),
)
SCATTERED: Final = _feature(
    "scattered",
    _FLAG,
    _HURTS,
    "the name lacks four words of the query or more that describe no company, and does not stand in it in one piece",
    Judgment(
        0.0, "the ceiling for vague queries applies instead of a weight: any long text has the words of some name"
    ),
)
NATIONAL: Final = _feature(
    "national",
    _FLAG,
    _HURTS,
    "the name has the company's own country as an extra word, and the query names no country",
)
ABROAD: Final = _feature(
    "abroad",
    _FLAG,
    _HURTS,
    "the query names a country that is not covered, and the company is not incorporated there",
    Judgment(0.0, "the ceiling for vague queries applies instead of a weight: `favorita peru` is a company of Peru"),
)
ABOUT_ANOTHER: Final = _feature(
    "aboutAnother",
    _FLAG,
    _HURTS,
    "the query has a phrase by which it is about something else: an instruction, a club, a branch",
    Judgment(0.0, "the ceiling for vague queries applies instead of a weight: `filial de ecopetrol` is not Ecopetrol"),
)
MINOR_SYMBOL: Final = _feature(
    "minorSymbol",
    _FLAG,
    _HURTS,
    "the symbol of a company not among the largest, asked without a country or with a legal form, or a connective",
    Judgment(0.0, "the ceiling for vague queries applies instead of a weight"),
)
ONE_UNIT: Final = _feature(
    "oneUnit",
    _FLAG,
    _HURTS,
    "the query is a part of one of several trade names of the company, and its other names have none of these words",
    Judgment(0.0, "the ceiling for vague queries applies instead of a weight: `7 ELEVEN SUC. …` is one unit of many"),
)
ONE_OF_SEVERAL: Final = _feature(
    "oneOfSeveral",
    _FLAG,
    _HURTS,
    "the query names several companies beside one another, of which this is one",
    Judgment(0.0, "the ceiling for vague queries applies instead of a weight: nothing tells which of them is meant"),
)
INITIALS: Final = _feature("initials", _FLAG, _EITHER, "the query is the initials of the name")
MATCHED: Final = _feature("matchedWords", _IDF, _HELPS, "words that agree, 3 at most")
MISSING_ANY: Final = _feature("missingAny", _FLAG, _HURTS, "the name lacks words of the query")
MISSING_FIRST: Final = _feature("missingFirst", _FLAG, _HURTS, "the name lacks the first word of the query")
MISSING_UNKNOWN: Final = _feature(
    "missingUnknownWords", _COUNT, _EITHER, "missing words that no company has, 3 at most"
)
MISSING_KNOWN: Final = _feature(
    "missingKnownWords", _COUNT, _HURTS, "missing words that occur in other names, and so are not misspelt"
)
MISSING_DESCRIBING: Final = _feature(
    "missingDescribing", _COUNT, _EITHER, "missing words that describe companies, such as `shoes` and `exporter`"
)
EXTRA: Final = _feature("extraWords", _IDF, _HURTS, "words of the name that the query lacks, 3 at most")
EXTRA_ANY: Final = _feature("extraAny", _FLAG, _HURTS, "the name has words that the query lacks")
EXTRA_VAGUE: Final = _feature(
    "extraVague", _FLAG, _EITHER, "all extra words are generic ones such as `corporacion` and `grupo`"
)
EXTRA_OWN: Final = _feature(
    "extraOwn", _FLAG, _EITHER, "all extra words are generic ones or name the company's own country"
)
EXTRA_DESCRIBING: Final = _feature(
    "extraDescribing",
    _FLAG,
    _EITHER,
    "all extra words are common ones or describe companies, and no word of the query does",
)
SLIPS: Final = _feature(
    "slips",
    Unit.EDITS,
    _HURTS,
    "edits typical of fingers and ears: neighbouring keys, letters swapped or doubled, the same sound",
)
EDITS: Final = _feature("edits", Unit.EDITS, _HURTS, "other edits; a wrong first letter counts 1.5")
EDIT_SHARE: Final = _feature("editShare", Unit.SHARE, _HURTS, "all edits as a share of the letters of their words")
EDIT_ALONE: Final = _feature("editAlone", Unit.SHARE, _HURTS, "`editShare` where no rare word agrees letter by letter")
EDIT_KNOWN: Final = _feature(
    "editOfKnownWord", Unit.LOG_COUNT, _HURTS, "companies with the misspelt word, as written, in a name"
)
EDIT_FORM: Final = _feature("editForm", _FLAG, _HELPS, "edits, and the same legal form")
ABBREVIATION: Final = _feature("abbreviated", _COUNT, _HURTS, "abbreviated words")
ABBREVIATION_ALONE: Final = _feature(
    "abbreviatedAlone", _IDF, _HURTS, "`abbreviated` where no rare word agrees letter by letter"
)
EQUIVALENCE: Final = _feature(
    "equivalent", _COUNT, _HURTS, "words of the same meaning: a customary abbreviation, another language"
)
EQUIVALENCE_ALONE: Final = _feature(
    "equivalentAlone", _IDF, _HURTS, "`equivalent` where no rare word agrees letter by letter"
)
UNFINISHED_WORD: Final = _feature("unfinished", _COUNT, _HURTS, "the last word of the query is the beginning of a word")
UNFINISHED_KNOWN: Final = _feature(
    "unfinishedKnownWord", Unit.LOG_COUNT, _HURTS, "companies with the unfinished word, as written, in a name"
)
UNFINISHED_ALONE: Final = _feature(
    "unfinishedAlone", _IDF, _HURTS, "`unfinished` where no rare word agrees letter by letter"
)
GLUED: Final = _feature("glued", _COUNT, _HURTS, "words written together or apart")
OTHER_ORDER: Final = _feature("otherOrder", _FLAG, _HURTS, "the same words in another order")
CONNECTIVES_DIFFER: Final = _feature(
    "connectivesDiffer", _FLAG, _HURTS, "the same words except connectives such as `de` and `and`"
)
CONNECTIVES_SWAPPED: Final = _feature(
    "connectivesSwapped",
    _FLAG,
    _HURTS,
    "a single word with a different connective: `El Tiempo` is not `A Tiempo`",
    Judgment(_STRONG_DOUBT, "too rare among the training queries"),
)
NUMBER_DIFFERS: Final = _feature("numberDiffers", _FLAG, _HURTS, "the query has a number that the name lacks")
NUMBER_OMITTED: Final = _feature("numberOmitted", _FLAG, _HURTS, "the name has a number that the query lacks")
FORM_AGREES: Final = _feature("formAgrees", _FLAG, _HELPS, "the same legal form")
FORM_DIFFERS: Final = _feature(
    "formDiffers",
    _FLAG,
    _HURTS,
    "another legal form",
    Judgment(0.0, "the ceiling for another legal form applies instead of a weight"),
)
ANOTHERS_NAME: Final = _feature(
    "anothersName",
    _FLAG,
    _HURTS,
    "the query is what a well-known company is called that no register here has, without the legal form of this one",
    Judgment(0.0, "the ceiling for another legal form applies instead of a weight: `oxxo` is not OXXO S.A. of Ecuador"),
)
FORMER_NAME: Final = _feature("formerName", _FLAG, _HURTS, "the name that fits is a former name")
TRADE_NAME: Final = _feature("tradeName", _FLAG, _HURTS, "the name that fits is a trade name")
ALTERNATIVE_NAME: Final = _feature(
    "alternativeName", _FLAG, _HURTS, "the name that fits is another name in the register"
)
TICKER_NAME: Final = _feature(
    "ticker", _FLAG, _HURTS, "the name that fits is a stock exchange symbol with which the legal name does not begin"
)
BY_NAME: Final = _feature("byName", _FLAG, _HURTS, "the name that fits is in no register: a public document states it")
DOUBTFUL_NAME: Final = _feature(
    "doubtfulName",
    _FLAG,
    _HURTS,
    "the name that fits is in no register, and has ended or is in an undated list alone",
    Judgment(0.0, "the ceiling for vague queries applies instead of a weight: a brand that was sold is another's"),
)
CARRIERS: Final = _feature(
    "carriers",
    Unit.LOG_COUNT,
    _HURTS,
    "companies with the rarest word of the query, where the name has all of its words and others, or its one word in"
    " pieces",
)
MATCHED_CARRIERS: Final = _feature(
    "matchedCarriers",
    Unit.LOG_COUNT,
    _HURTS,
    "companies with the rarest word that agrees, where the name lacks words of the query",
)
WITHIN_CARRIERS: Final = _feature(
    "withinCarriers", Unit.LOG_COUNT, _HURTS, "`within`: companies with the rarest word of the name"
)
WITHIN: Final = _feature("within", _FLAG, _EITHER, "the query has the whole name in one piece, and other words")
PARTED: Final = _feature(
    "parted", _FLAG, _EITHER, "`within`: a legal form or separators part the name from the other words"
)
ACTIVITY_AGREES: Final = _feature(
    "activityAgrees", _FLAG, _HELPS, "the query says what the company does, in words that the name lacks"
)
ACTIVITY_DIFFERS: Final = _feature(
    "activityDiffers", _FLAG, _HURTS, "the query has a word for a trade, and the company has another activity"
)
TRADE_OF_NAME: Final = _feature(
    "tradeOfName", _FLAG, _HELPS, "the query has another word for a trade that is in the name"
)
LABEL_WORDS: Final = _feature(
    "labelWords",
    _IDF,
    _HELPS,
    "the rarest word of the query that the name lacks and that the label of its activity has",
)
DOCUMENT_WORDS: Final = _feature(
    "documentWords", _FLAG, _EITHER, "the query has words of documents, such as `invoice`, or numbers among these"
)
OTHER_NAME_AGREES: Final = _feature(
    "otherNameAgrees",
    _IDF,
    _HELPS,
    "the rarest word of the query that this name lacks and that another name of the company has",
)
ACRONYM_AGREES: Final = _feature(
    "acronymAgrees", _FLAG, _HELPS, "the query has an acronym of the name beside it: `utn universidad tecnologica`"
)
OTHER_PLACE: Final = _feature("otherPlace", _FLAG, _HURTS, "the query names a place that is not the company's")
PLACE_AGREES: Final = _feature(
    "placeAgrees", _FLAG, _EITHER, "the query names the country or the place of the company beside its name"
)
OTHER_COUNTRY: Final = _feature(
    "otherCountry",
    _FLAG,
    _HURTS,
    "the query names another country",
    Judgment(-8.0, "`ecopetrol brasil` asks for a company of Brazil, however large the one of Colombia is"),
)
PROMINENCE: Final = _feature(
    "prominence",
    Unit.LOG_RANK,
    _HELPS,
    "size by the registers: 1/3 for the largest tenth of companies, 2/3 for the largest hundredth, 1 for the largest"
    " thousandth",
)
PROMINENCE_WITHIN: Final = _feature("prominenceWithin", Unit.LOG_RANK, _EITHER, "`prominence` with `within`")
PROMINENCE_MISSPELT: Final = _feature(
    "prominenceMisspelt", Unit.LOG_RANK, _EITHER, "`prominence` where words agree only with edits"
)
PROMINENCE_PARTIAL: Final = _feature(
    "prominencePartial",
    Unit.LOG_RANK,
    _EITHER,
    "`prominence` where the name has all words of the query and others, not `inside`",
)
PROMINENCE_LEADS: Final = _feature(
    "prominenceLeads",
    Unit.LOG_RANK,
    _HELPS,
    "how far `prominence` exceeds that of every other company that has all words of the query",
)
CONTESTED: Final = _feature(
    "contested",
    _FLAG,
    _HURTS,
    "a symbol, trade name or alternative name, and the name of a far more prominent company begins with the same word",
    Judgment(_STRONG_DOUBT, "`ford` means Ford Motor, although it is the symbol of another company"),
)
SUPERSEDED: Final = _feature(
    "superseded",
    _FLAG,
    _HURTS,
    "a company of unknown size, and a listed one has the same legal name in the same register",
    Judgment(_STRONG_DOUBT, "registers keep the former bearer of a name: the SEC has two Walt Disneys"),
)
OF_STAFF: Final = _feature(
    "ofStaff",
    _FLAG,
    _HURTS,
    "a fund or club of the staff of the company in the query: `Fondo de Empleados de Ecopetrol`",
    Judgment(_STRONG_DOUBT, "`correios` does not mean the health fund of its staff"),
)
GENERIC_WORDS: Final = _feature(
    "genericWords", _FLAG, _HURTS, "the query has words such as `empresa` that the name lacks"
)
FORMAL_WORDS: Final = _feature(
    "formalWords", _FLAG, _HURTS, "the query has words that the name lacks and that are a legal form somewhere"
)

FEATURES: Final = tuple(TABLE)
"""The names of all features."""


class Joint(NamedTuple):
    """Two features whose product has a weight of its own, and why; either sign, within the directions of both."""

    first: str
    second: str
    reason: str

    @property
    def name(self) -> str:
        """The key of its weight."""
        return f"{self.first}*{self.second}"


JOINTS: Final = (
    Joint(SOLE, CARRIERS, "a word that many have is no doubt where one company alone has all words"),
    Joint(SOLE, DOCUMENT_WORDS, "being the only one says less of a text with words of documents"),
    Joint(QUERY_WORDS, EDITS, "an edit among many words is a slip rather than another name"),
    Joint(EXTRA_ANY, EDIT_FORM, "a legal form hardly tells a longer name with another spelling"),
    Joint(EXTRA_ANY, ACTIVITY_DIFFERS, "a name with other words is doubted for them, and no more for its activity"),
    Joint(EXTRA_ANY, COMMON_WORD, "a name with other words is doubted for them, and no more for common ones"),
    Joint(EXTRA_DESCRIBING, TRADE_OF_NAME, "the words of the name and of the query are of one trade"),
    Joint(MISSING_ANY, OTHER_COUNTRY, "the name of the other country stands for a word that is missing"),
    Joint(FORMAL_QUERY, MISSING_DESCRIBING, "in a name with its legal form, words of a trade are part of the name"),
    Joint(WITHIN, PLACE_AGREES, "the name and its place are all that the text has"),
    Joint(BRIEF, MISSING_ANY, "a name that lacks words is doubted for them, and no more for the brief query"),
    Joint(MISSING_ANY, FORM_AGREES, "the same legal form tells little of a name that lacks words"),
    Joint(MISSING_KNOWN, FORMER_NAME, "a former name that lacks words of the query is rather another's"),
    Joint(FORMAL_QUERY, PLACE_AGREES, "in a name with its legal form, the place is part of the name"),
    Joint(EXTRA, EDIT_SHARE, "a name with rare words of its own and another spelling is another name"),
    Joint(ABBREVIATION_ALONE, MATCHED_CARRIERS, "an abbreviated word and a common one are doubted once"),
)
"""Found by forward selection: of all pairs those whose joint weight adds most to the likelihood of the training
queries, while a query that fits better by one feature makes nobody less sure."""

TERMS: Final = (*FEATURES, *(joint.name for joint in JOINTS))
"""The keys of all weights."""

HELPS: Final = frozenset(row.name for row in TABLE.values() if row.direction is Direction.HELPS)
"""Features whose weight is not negative."""

EITHER_WAY: Final = frozenset(row.name for row in TABLE.values() if row.direction is Direction.EITHER)
"""Features whose weight may have either sign. The weight of every other feature is not positive."""

JUDGED: Final = {row.name: row.judgment.weight for row in TABLE.values() if row.judgment}
"""Weights set by judgment. Training queries are drawn evenly from all companies, and people's queries are not, so the
training queries cannot give these."""

OF_SIZE: Final = frozenset({PROMINENCE, PROMINENCE_WITHIN, PROMINENCE_MISSPELT, PROMINENCE_PARTIAL, PROMINENCE_LEADS})
"""Features of the size of a company, not of its names."""

VAGUE: Final = frozenset(
    {
        INITIALS,
        COMMON_WORD,
        COMMON_WORDS,
        NATIONAL,
        ABROAD,
        ABOUT_ANOTHER,
        MINOR_SYMBOL,
        ONE_UNIT,
        ONE_OF_SEVERAL,
        SCATTERED,
        DOUBTFUL_NAME,
    }
)
"""Features of queries that fit companies of every other directory too, and of names that may be another's by now. They
find a company and never make it sure."""

INEXACT: Final = frozenset({MISSING_ANY, EDIT_SHARE, UNFINISHED_WORD, ABBREVIATION, EQUIVALENCE, INITIALS})
"""Features of names that lack a word of the query, or have it in another spelling."""
