"""Explanation that the Mexican registers publish no yearly statements, and of those taken from the SEC."""

from __future__ import annotations

from padron.words import Text

NOT_PUBLISHED = Text(
    "México no publica estados financieros como datos abiertos: el Registro Público de Comercio no los recibe y los de "
    "las emisoras los difunde la Bolsa Mexicana de Valores con derechos reservados. Las emisoras que también cotizan "
    "en Estados Unidos los presentan a la SEC, y de ahí se toman.",
    "Mexico publishes no financial statements as open data: the commercial register does not receive them, and those "
    "of listed issuers are distributed by the Mexican stock exchange, all rights reserved. Issuers that are also "
    "listed in the United States file theirs with the SEC, and from there they are taken.",
)
