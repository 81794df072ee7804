/** The factory and its five methods: each is one request, planned here and sent by `sender`. */
import { demand, type Send, sender } from "./send";
import { isCheckout, isCompany, isCoverage, isFinancials, isSearch } from "./shapes";
import type { Client, ClientOptions, Methods, SearchAnswer, SearchOptions, WithResponse } from "./types";

/** Results that the service looks at, and gives at once at most. */
const PAGE = 50;

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
 * @returns Five methods: search, get, financials, coverage, checkout; `pages`, and the methods `withResponse`.
 * @throws TypeError for an option that cannot be used. It does not tell the key.
 */
export function createClient(options: ClientOptions = {}): Client {
  const send = sender(options);
  const five = methods(async (plan) => (await send(plan)).data) as Methods;
  return {
    ...five,
    async *pages(q, given = {}) {
      let cursor: string | undefined;
      do {
        const { results, nextCursor }: SearchAnswer = await five.search(q, { limit: PAGE, ...given, cursor });
        yield* results;
        cursor = nextCursor ?? undefined;
      } while (cursor);
    },
    withResponse: methods(send) as WithResponse,
  };
}

/** The methods, by what sends their plans. */
function methods(send: (...given: Parameters<Send>) => Promise<unknown>): Record<keyof Methods, unknown> {
  return {
    async search(q: string, { timeout, maxRetries, signal, ...given }: SearchOptions = {}) {
      demand(typeof q === "string", "q must be a text");
      const query = new URLSearchParams({ q });
      for (const name of QUERY) if (given[name] !== undefined) query.set(name, String(given[name]));
      return send({ path: `/api/v1/search?${query}`, shape: isSearch, timeout, maxRetries, signal });
    },
    async get(...[country, id, options]: Parameters<Methods["get"]>) {
      return send({ ...options, path: entity(country, id), shape: isCompany });
    },
    async financials(...[country, id, options]: Parameters<Methods["financials"]>) {
      return send({ ...options, path: `${entity(country, id)}/financials`, shape: isFinancials });
    },
    async coverage(...[options]: Parameters<Methods["coverage"]>) {
      return send({ ...options, path: "/api/public/empresas/stats", shape: isCoverage });
    },
    async checkout(...[{ planId, idempotencyKey = uuid(), ...options }]: Parameters<Methods["checkout"]>) {
      const post = { body: { planId }, idempotencyKey };
      return send({ ...options, path: "/api/subscriptions/checkout", shape: isCheckout, post });
    },
  };
}

/** Members of a search besides its query, in the order they are sent. */
const QUERY = ["country", "limit", "cursor", "status", "activity", "legalForm", "region", "hasFinancials", "ignore"] as const;

function entity(country: string, id: string): string {
  return `/api/v1/entities/${segment(country, "country")}/${segment(id, "id")}`;
}

/** A text as one segment of a path: all that RFC 3986 does not call unreserved is percent-encoded. */
function segment(value: string, name: string): string {
  // Every URL parser takes a segment of dots for a step in the path, even where it is percent-encoded.
  const sound = typeof value === "string" && !/^\.{0,2}$|\p{Surrogate}/u.test(value);
  demand(sound, `${name} must be a text that is not empty, not dots, and whole Unicode`);
  return encodeURIComponent(value).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** A UUID of version 4. Node 18 has no global `crypto`, and pages without TLS no `randomUUID`; it need not be secret. */
function uuid(): string {
  return (
    globalThis.crypto?.randomUUID?.() ??
    "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx".replace(/x/g, () => Math.floor(Math.random() * 16).toString(16))
  );
}
