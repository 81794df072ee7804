/**
 * Watchlists and webhooks of an account: the companies and saved searches whose changes it asks for, and the addresses that
 * are told of them. The errors, and the types of what goes in and comes out, are those of `@padron/client`.
 *
 * @packageDocumentation
 */
import { query, segment } from "./paths";
import { type Plan, type Send, sender } from "./send";
import { type Holds, list, members, nullable, number, text } from "./shapes";
import type { ClientOptions, WatchlistClient, WatchlistMethods, WatchlistMethodsWithResponse } from "./types";

/**
 * A client of the watchlists and webhooks of an account.
 *
 * @example
 * ```ts
 * const watching = createWatchlistClient(); // the key is in PADRON_API_KEY
 * const { id } = await watching.createWatchlist("Suppliers");
 * ```
 *
 * @param options - The key, and where and how to ask: those of `createClient`.
 * @returns A method for each operation, and the methods `withResponse`.
 * @throws TypeError for an option that cannot be used. It does not tell the key.
 */
export function createWatchlistClient(options: ClientOptions = {}): WatchlistClient {
  const send = sender(options);
  return {
    ...(methods(async (plan) => (await send(plan)).data) as WatchlistMethods),
    withResponse: methods(send) as WatchlistMethodsWithResponse,
  };
}

/** The methods, by what sends their plans. */
function methods(send: (...given: Parameters<Send>) => Promise<unknown>): Record<keyof WatchlistMethods, unknown> {
  const watchlist = (id: string): string => `/api/v1/watchlists/${segment(id, "id")}`;
  const webhook = (id: string): string => `/api/v1/webhooks/${segment(id, "id")}`;
  /** A POST that would do it again, were it sent again. */
  const once = (body?: object): NonNullable<Plan["post"]> => ({ body, once: true });
  return {
    async listWatchlists(...[options]: Parameters<WatchlistMethods["listWatchlists"]>) {
      return send({ ...options, method: "listWatchlists", path: "/api/v1/watchlists", shape: isWatchlists });
    },
    async createWatchlist(...[name, options]: Parameters<WatchlistMethods["createWatchlist"]>) {
      return send({ ...options, method: "createWatchlist", path: "/api/v1/watchlists", shape: isWatchlist, post: once({ name }) });
    },
    async getWatchlist(...[id, options]: Parameters<WatchlistMethods["getWatchlist"]>) {
      const path = watchlist(id) + query({ ...options }, ["cursor", "limit"]);
      return send({ ...options, method: "getWatchlist", path, shape: isWatchlistContent });
    },
    async changeWatchlist(...[id, { name, addCompanies, removeCompanies, addSearches, removeSearches, ...options }]: Parameters<WatchlistMethods["changeWatchlist"]>) {
      const body = { name, addCompanies, removeCompanies, addSearches, removeSearches };
      return send({ ...options, method: "changeWatchlist", path: watchlist(id), shape: isWatchlistChanged, post: { verb: "PATCH", body } });
    },
    async deleteWatchlist(...[id, options]: Parameters<WatchlistMethods["deleteWatchlist"]>) {
      return send({ ...options, method: "deleteWatchlist", path: watchlist(id), shape: isNothing, post: { verb: "DELETE" } });
    },
    async listWebhooks(...[options]: Parameters<WatchlistMethods["listWebhooks"]>) {
      return send({ ...options, method: "listWebhooks", path: "/api/v1/webhooks", shape: isWebhooks });
    },
    async createWebhook(...[{ url, watchlist, ...options }]: Parameters<WatchlistMethods["createWebhook"]>) {
      return send({ ...options, method: "createWebhook", path: "/api/v1/webhooks", shape: isWebhookMade, post: once({ url, watchlist }) });
    },
    async getWebhook(...[id, options]: Parameters<WatchlistMethods["getWebhook"]>) {
      return send({ ...options, method: "getWebhook", path: webhook(id), shape: isWebhookContent });
    },
    async changeWebhook(...[id, { url, enabled, ...options }]: Parameters<WatchlistMethods["changeWebhook"]>) {
      const post = { verb: "PATCH", body: { url, enabled } };
      return send({ ...options, method: "changeWebhook", path: webhook(id), shape: isWebhook, post });
    },
    async deleteWebhook(...[id, options]: Parameters<WatchlistMethods["deleteWebhook"]>) {
      return send({ ...options, method: "deleteWebhook", path: webhook(id), shape: isNothing, post: { verb: "DELETE" } });
    },
    async rotateWebhookSecret(...[id, { overlapSeconds, ...options } = {}]: Parameters<WatchlistMethods["rotateWebhookSecret"]>) {
      const post = once({ overlapSeconds });
      return send({ ...options, method: "rotateWebhookSecret", path: `${webhook(id)}/rotate`, shape: isWebhookMade, post });
    },
    async testWebhook(...[id, options]: Parameters<WatchlistMethods["testWebhook"]>) {
      return send({ ...options, method: "testWebhook", path: `${webhook(id)}/test`, shape: isMessage, post: once() });
    },
  };
}

/** The answer of what was deleted has no body. */
const isNothing: Holds = (answer) => answer === null;
const isWatchlist = members({ id: text, name: text, companies: number, searches: number });
const isWatchlists = members({ watchlists: list(isWatchlist) });
const isWatchlistContent = members({
  watchlist: isWatchlist,
  companies: list(members({ countryCode: text, identifier: text, legalName: nullable(text) })),
  nextCursor: nullable(text),
  searches: list(members({ id: text, text, country: nullable(text) })),
});
const isWatchlistChanged = members({
  watchlist: isWatchlist,
  added: number,
  removed: number,
  refused: list(members({ pointer: text, code: text, detail: text })),
});
const isWebhook = members({ id: text, watchlist: text, url: text, failedTries: number, disabledAt: nullable(text) });
const isWebhooks = members({ webhooks: list(isWebhook) });
const isWebhookMade = members({ webhook: isWebhook, secret: text });
const isMessage = members({ id: text, type: text, state: text, tries: number, status: nullable(number), fault: nullable(text) });
const isWebhookContent = members({ webhook: isWebhook, messages: list(isMessage) });
