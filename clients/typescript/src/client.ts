/** The factory and its methods: each is one request, planned here and sent by `sender`. */
import { company, query } from "./paths";
import { demand, type Send, sender, visible } from "./send";
import { isChanges, isCheckout, isCompany, isCoverage, isFinancials, isMatches, isSearch, isUsage } from "./shapes";
import type { Client, ClientOptions, Methods, Row, RowMatch, SearchAnswer, WithResponse } from "./types";

/** Results that the service looks at, and gives at once at most. */
const PAGE = 50;
/** Rows of a list that go in one request. */
const BATCH = 500;

/**
 * A client of the service.
 *
 * @example
 * ```ts
 * const padron = createClient(); // the key is in PADRON_API_KEY
 * const { bestMatch } = await padron.search("petrobras");
 * ```
 *
 * @param options - The key, and where and how to ask.
 * @returns A method for each operation, `pages` and `matchAll` for as many as there are, and the methods `withResponse`.
 * @throws TypeError for an option that cannot be used. It does not tell the key.
 */
export function createClient(options: ClientOptions = {}): Client {
  const send = sender(options);
  const plain = methods(async (plan) => (await send(plan)).data) as Methods;
  return {
    ...plain,
    async *pages(q, given = {}) {
      let cursor: string | undefined;
      do {
        const { results, nextCursor }: SearchAnswer = await plain.search(q, { limit: PAGE, ...given, cursor });
        yield* results;
        cursor = nextCursor ?? undefined;
      } while (cursor);
    },
    async *matchAll(rows, options) {
      const batch: Row[] = [];
      const matches = async (): Promise<RowMatch[]> => (await plain.match(batch.splice(0), options)).matches;
      for await (const row of rows) if (batch.push(row) === BATCH) yield* await matches();
      if (batch.length) yield* await matches();
    },
    withResponse: methods(send) as WithResponse,
  };
}

/** The methods, by what sends their plans. */
function methods(send: (...given: Parameters<Send>) => Promise<unknown>): Record<keyof Methods, unknown> {
  return {
    async search(...[q, options]: Parameters<Methods["search"]>) {
      demand(typeof q === "string", "q must be a text");
      return send({ ...options, method: "search", path: `/api/v1/search${query({ q, ...options }, SEARCH)}`, shape: isSearch });
    },
    async get(...[country, id, options]: Parameters<Methods["get"]>) {
      return send({ ...options, method: "get", path: company(country, id), shape: isCompany });
    },
    async financials(...[country, id, options]: Parameters<Methods["financials"]>) {
      return send({ ...options, method: "financials", path: `${company(country, id)}/financials`, shape: isFinancials });
    },
    async coverage(...[options]: Parameters<Methods["coverage"]>) {
      return send({ ...options, method: "coverage", path: "/api/public/empresas/stats", shape: isCoverage });
    },
    async usage(...[options]: Parameters<Methods["usage"]>) {
      return send({ ...options, method: "usage", path: "/api/v1/usage", shape: isUsage });
    },
    async changes(...[options]: Parameters<Methods["changes"]>) {
      return send({ ...options, method: "changes", path: `/api/v1/changes${query({ ...options }, CHANGES)}`, shape: isChanges });
    },
    async match(...[rows, options]: Parameters<Methods["match"]>) {
      return send({ ...options, method: "match", path: "/api/v1/match", shape: isMatches, post: { body: { rows: [...rows] } } });
    },
    async checkout(...[{ planId, idempotencyKey = uuid(), ...options }]: Parameters<Methods["checkout"]>) {
      visible(idempotencyKey, "idempotencyKey");
      const post = { body: { planId }, fields: { "Idempotency-Key": idempotencyKey } };
      return send({ ...options, method: "checkout", path: "/api/subscriptions/checkout", shape: isCheckout, post });
    },
  };
}

/** Members of queries, in the order they are sent. */
const SEARCH = ["q", "country", "limit", "cursor", "status", "activity", "legalForm", "region", "hasFinancials", "ignore"] as const;
const CHANGES = ["since", "country", "kind", "watchlist", "limit"] as const;

/** A UUID of version 4. Node 18 has no global `crypto`, and pages without TLS no `randomUUID`; it need not be secret. */
function uuid(): string {
  return (
    globalThis.crypto?.randomUUID?.() ??
    "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx".replace(/x/g, () => Math.trunc(Math.random() * 16).toString(16))
  );
}
