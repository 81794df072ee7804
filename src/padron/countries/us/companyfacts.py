"""EDGAR XBRL companyfacts: every fact that a filer has tagged, one JSON document per filer.

`{"cik", "entityName", "facts": {taxonomy: {tag: {"units": {unit: [fact, …]}}}}}`, a fact being `{"start", "end", "val",
"accn", "form", "filed", …}`. An instant has no `start`. `fy` and `fp` describe the filing, not the fact, and `frame` is
missing where a proxy statement repeats it: none of the three is read. Facts here have no dimensions, so each is of the
whole company.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from padron.countries.country import Row, SourceColumn

_BEFORE_TAX = "us-gaap:IncomeLossFromContinuingOperationsBeforeIncomeTaxes"

TAGS: dict[str, tuple[str, ...]] = {
    "revenue": (
        "us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax",
        "us-gaap:Revenues",
        "us-gaap:SalesRevenueNet",
        "us-gaap:RevenueFromContractWithCustomerIncludingAssessedTax",
        "us-gaap:SalesRevenueGoodsNet",
        "us-gaap:SalesRevenueServicesNet",
        "us-gaap:RevenuesNetOfInterestExpense",
        "ifrs-full:Revenue",
        "ifrs-full:RevenueFromContractsWithCustomers",
    ),
    "cost": (
        "us-gaap:CostOfRevenue",
        "us-gaap:CostOfGoodsAndServicesSold",
        "us-gaap:CostOfGoodsSold",
        "ifrs-full:CostOfSales",
    ),
    "gross_profit": ("us-gaap:GrossProfit", "ifrs-full:GrossProfit"),
    "operating_profit": ("us-gaap:OperatingIncomeLoss", "ifrs-full:ProfitLossFromOperatingActivities"),
    "pretax_profit": (
        f"{_BEFORE_TAX}ExtraordinaryItemsNoncontrollingInterest",
        f"{_BEFORE_TAX}MinorityInterestAndIncomeLossFromEquityMethodInvestments",
        "ifrs-full:ProfitLossBeforeTax",
    ),
    "net_profit": (
        "us-gaap:NetIncomeLoss",
        "us-gaap:ProfitLoss",
        "us-gaap:NetIncomeLossAvailableToCommonStockholdersBasic",
        "ifrs-full:ProfitLossAttributableToOwnersOfParent",
        "ifrs-full:ProfitLoss",
    ),
    "assets": ("us-gaap:Assets", "ifrs-full:Assets"),
    "current_assets": ("us-gaap:AssetsCurrent", "ifrs-full:CurrentAssets"),
    "cash": (
        "us-gaap:CashAndCashEquivalentsAtCarryingValue",
        "us-gaap:CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents",
        "ifrs-full:CashAndCashEquivalents",
    ),
    "liabilities": ("us-gaap:Liabilities", "ifrs-full:Liabilities"),
    "current_liabilities": ("us-gaap:LiabilitiesCurrent", "ifrs-full:CurrentLiabilities"),
    "equity": (
        "us-gaap:StockholdersEquity",
        "us-gaap:StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest",
        "ifrs-full:EquityAttributableToOwnersOfParent",
        "ifrs-full:Equity",
    ),
    "total": ("us-gaap:LiabilitiesAndStockholdersEquity", "ifrs-full:EquityAndLiabilities"),
}
"""Line of a statement -> the tags that hold it, in order of preference (revenue: the largest of them). `cost` (of
revenue) and `total` (liabilities and equity) serve to work out and to check other lines."""

COLUMNS = tuple(map(SourceColumn, "cik line place tag unit start end val accn form filed".split()))


def read_facts(document: dict[str, Any]) -> Iterable[Row]:
    """The facts of a filer under `TAGS`, in the order of `COLUMNS`; `place` is that of the tag in its line, from 0."""
    for line, tags in TAGS.items():
        for place, name in enumerate(tags):
            taxonomy, tag = name.split(":")
            units = document["facts"].get(taxonomy, {}).get(tag, {}).get("units", {})
            for unit, facts in units.items():
                for fact in facts:
                    yield (
                        document["cik"],
                        line,
                        str(place),
                        name,
                        unit,
                        fact.get("start"),
                        fact["end"],
                        fact["val"],
                        fact["accn"],
                        fact["form"],
                        fact["filed"],
                    )
