/** What a successful answer must hold for programs to rely on it; members that are added later are not looked at. */

export type Holds = (value: unknown) => boolean;

export const text: Holds = (value) => typeof value === "string";
export const number: Holds = (value) => typeof value === "number";
export const flag: Holds = (value) => typeof value === "boolean";
export const list = (holds: Holds): Holds => (value) => Array.isArray(value) && value.every(holds);
export const nullable = (holds: Holds): Holds => (value) => value === null || holds(value);
export const members = (shape: Record<string, Holds>): Holds => (value) =>
  typeof value === "object" &&
  value !== null &&
  Object.entries(shape).every(([name, holds]) => holds((value as Record<string, unknown>)[name]));

const company = members({ countryCode: text, identifier: text, legalName: text });
const left = members({ remaining: number });

/** Answer of `search`. */
export const isSearch: Holds = /* @__PURE__ */ members({
  q: text,
  bestMatch: nullable(company),
  results: list(company),
  suggestedCountries: list(text),
  matchHints: list(text),
  nextCursor: nullable(text),
});
/** Answer of `get`. */
export const isCompany: Holds = /* @__PURE__ */ members({ entity: company, requestedIdentifier: members({ match: text }) });
/** Answer of `financials`. */
export const isFinancials: Holds = /* @__PURE__ */ members({
  entity: company,
  statements: list(members({ fiscalYear: number, figures: list(members({ key: text, amount: text })) })),
});
/** Answer of `coverage`. */
export const isCoverage: Holds = /* @__PURE__ */ members({ countries: list(members({ countryCode: text })), total: number });
/** Answer of `checkout`. */
export const isCheckout: Holds = /* @__PURE__ */ members({ checkoutUrl: text, checkoutId: text });
/** Answer of `usage`. */
export const isUsage: Holds = /* @__PURE__ */ members({ plan: text, scopes: list(text), minute: nullable(left), day: nullable(left) });
/** Answer of `changes`. */
export const isChanges: Holds = /* @__PURE__ */ members({
  changes: list(members({ change: text, countryCode: text, identifier: text, legalName: text })),
  cursor: text,
  more: flag,
});
/** Answer of `match`. */
export const isMatches: Holds = /* @__PURE__ */ members({
  matches: list(members({ verdict: text, company: nullable(company) })),
});
