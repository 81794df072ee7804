/** The factory and its five methods: each is one request, planned here and sent by `sender`. */
import { demand, sender } from "./send";
import type { Checkout, Client, ClientOptions, CompanyAnswer, Coverage, FinancialsAnswer, SearchAnswer } from "./types";

/**
 * A client of the service.
 *
 * @example
 * ```ts
 * const padron = createClient({ apiKey: process.env.PADRON_API_KEY ?? "" });
 * const { bestMatch } = await padron.search("petrobras");
 * ```
 *
 * @param options - The key, and where and how to ask.
 * @returns Five methods: search, get, financials, coverage, checkout.
 * @throws TypeError for an option that cannot be used. It does not tell the key.
 */
export function createClient(options: ClientOptions): Client {
  const send = sender(options);
  return {
    async search(q, { country, limit, signal } = {}) {
      demand(typeof q === "string", "q must be a text");
      const query = new URLSearchParams({ q });
      if (country !== undefined) query.set("country", country);
      if (limit !== undefined) query.set("limit", String(limit));
      return send<SearchAnswer>({ path: `/api/v1/search?${query}`, signal });
    },
    async get(country, id, { signal } = {}) {
      return send<CompanyAnswer>({ path: entity(country, id), signal });
    },
    async financials(country, id, { signal } = {}) {
      return send<FinancialsAnswer>({ path: `${entity(country, id)}/financials`, signal });
    },
    async coverage({ signal } = {}) {
      return send<Coverage>({ path: "/api/public/empresas/stats", signal });
    },
    async checkout({ planId, idempotencyKey = uuid(), signal }) {
      return send<Checkout>({ path: "/api/subscriptions/checkout", signal, post: { body: { planId }, idempotencyKey } });
    },
  };
}

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
