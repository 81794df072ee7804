"""What ranking looks at when it compares a name asked with a company's, and which way each thing may count.

A feature's value is 0 (left out), 1 (so it is), a count, or a weight: the rarity of words, from 0 for a word that every
company has to 1 for one that hardly any has.
"""

from __future__ import annotations

from typing import Final

PRIOR = "prior"  # always 1: how often a candidate is the one meant, before anything is compared
SAME_NAME = "sameName"  # the same words in the same order
SOLE = "sole"  # no other candidate has all the words asked, to the letter
OUTDONE = "outdone"  # another candidate has the very name
BEGINNING = "beginning"  # the name begins with what was asked, and goes on
BRIEF = "brief"  # less than five letters were asked, and the name is another
COMMON_WORD = "commonWord"  # all that was asked is one word that very many companies have, or their city
INSIDE = "inside"  # what was asked stands in a longer name behind a telling word
NATIONAL = "national"  # the name has the company's own country or people more, and no country was asked
MINOR_SYMBOL = "minorSymbol"  # a symbol of a company not among the largest, asked without country, or with a form
INITIALS = "initials"  # what was asked are the initials of the name
MATCHED = "matchedWords"  # weight of the words that agree, three at most
MISSING_ANY = "missingAny"  # there are such words
MISSING_KNOWN = "missingKnownWords"  # how many of them are words of other names: neither misspelt nor idle
EXTRA = "extraWords"  # weight of the words of the name that were not asked, three at most
EXTRA_ANY = "extraAny"  # there are such words
EXTRA_VAGUE = "extraVague"  # these are all such as `corporacion` and `grupo`
SLIPS = "slips"  # edits as fingers and ears make them: neighbouring keys, letters swapped or doubled, the same sound
EDITS = "edits"  # other edits; a wrong first letter counts for one and a half
EDIT_SHARE = "editShare"  # all edits, as share of the letters of their words
EDIT_ALONE = "editAlone"  # the same where no rare word agrees to the letter
EDIT_KNOWN = "editOfKnownWord"  # the word as asked is a word of other names (logarithm of how many)
ABBREVIATION = "abbreviated"  # words cut short
ABBREVIATION_ALONE = "abbreviatedAlone"  # the same where no rare word agrees to the letter
EQUIVALENCE = "equivalent"  # words of the same meaning: an abbreviation, another language
EQUIVALENCE_ALONE = "equivalentAlone"  # the same where no rare word agrees to the letter
UNFINISHED_WORD = "unfinished"  # the last word is the beginning of one
UNFINISHED_KNOWN = "unfinishedKnownWord"  # the word as asked is a word of other names (logarithm of how many)
UNFINISHED_ALONE = "unfinishedAlone"  # the same where no rare word agrees to the letter
GLUED = "glued"  # words parted or joined
OTHER_ORDER = "otherOrder"  # the same words in another order
CONNECTIVES_DIFFER = "connectivesDiffer"  # the same but for words such as `de` and `and`
CONNECTIVES_SWAPPED = "connectivesSwapped"  # one word, asked with another such word: `El Tiempo` is not `A Tiempo`
NUMBER_DIFFERS = "numberDiffers"  # a number was asked that the name lacks
NUMBER_OMITTED = "numberOmitted"  # the name has a number that was not asked
FORM_AGREES = "formAgrees"  # the same legal form
FORM_DIFFERS = "formDiffers"  # another legal form
FORMER_NAME = "formerName"  # it is a former name of the company that fits
TRADE_NAME = "tradeName"  # it is a trade name
ALTERNATIVE_NAME = "alternativeName"  # it is another name that a register has
TICKER_NAME = "ticker"  # it is a stock exchange symbol
PLACE_AGREES = "placeAgrees"  # the country or the place of the company was asked beside its name
OTHER_COUNTRY = "otherCountry"  # another country was
PROMINENCE = "prominence"  # how large the registers say it is: 1/3 for the largest tenth, 2/3 hundredth, 1 thousandth
CONTESTED = "contested"  # a symbol or by-name, and a far more prominent company's name begins with the same word
SUPERSEDED = "superseded"  # of unknown size, and a listed one has the very legal name in the same register
OF_STAFF = "ofStaff"  # it is a fund or club of the staff of what was asked (`Fondo de Empleados de Ecopetrol`)
GENERIC_WORDS = "genericWords"  # words such as `empresa` were asked beside the name
FORMAL_WORDS = "formalWords"  # words were asked that are a legal form somewhere

HELPS: Final = frozenset({SAME_NAME, SOLE, MATCHED, FORM_AGREES, PROMINENCE})
"""Features that can only make a candidate likelier."""

VAGUE: Final = frozenset({INITIALS, COMMON_WORD, INSIDE, NATIONAL, MINOR_SYMBOL})
"""Features of texts that fit companies of every other directory too: they find a company, and never make it sure."""

VAGUE_ALONE: Final = VAGUE - {INSIDE, NATIONAL}
"""Those that take nothing from the others that were found; with the rest, others that fit less are no likelier."""

JUDGED: Final = {
    PROMINENCE: 1.0,
    CONTESTED: -2.5,
    SUPERSEDED: -2.5,
    CONNECTIVES_SWAPPED: -2.5,
    OF_STAFF: -2.5,
    **dict.fromkeys((COMMON_WORD, INSIDE, NATIONAL, MINOR_SYMBOL), 0.0),
}
"""Weights that no queries at hand can tell: those of the set are drawn evenly from all companies, people's are not.

Who types `ford` means Ford Motor, though it is the symbol of another company; who types `correios` does not mean the
health fund `dos Empregados dos Correios`.
"""

EITHER_WAY: Final = frozenset({PRIOR, BEGINNING, INITIALS, PLACE_AGREES, EXTRA_VAGUE})
"""Features whose direction the data decide; all others can only make a candidate less likely."""

FEATURES: Final = tuple(value for name, value in list(globals().items()) if name.isupper() and isinstance(value, str))
"""All of them."""

INEXACT: Final = frozenset({MISSING_ANY, EDIT_SHARE, UNFINISHED_WORD, ABBREVIATION, EQUIVALENCE, INITIALS})
"""Features of names that lack a word asked, or have it otherwise."""

Features = dict[str, float]
"""Feature -> value; those that are 0 are left out."""
