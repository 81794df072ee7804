"""Explanation that the Argentine registers publish no yearly statements."""

from __future__ import annotations

from padron.words import Text

NOT_PUBLISHED = Text(
    "Argentina no publica estados financieros como datos abiertos: la IGJ da a conocer solo la fecha de presentación "
    "del balance y el capital informado, y la CNV difunde los de las emisoras como documentos. Las empresas que "
    "también cotizan en Estados Unidos los presentan a la SEC, y de ahí se toman.",
    "Argentina publishes no financial statements as open data: the IGJ makes known only the date a balance sheet was "
    "filed and the capital it states, and the CNV distributes those of listed issuers as documents. Companies that are "
    "also listed in the United States file theirs with the SEC, and from there they are taken.",
)
