import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import { afterEach, describe, expect, expectTypeOf, test, vi } from "vitest";
import table from "../../cases.json";
import { version } from "../package.json";
import * as lib from "../src";
import type { Client, Company, KeptAnswer, SearchResult } from "../src";
import { texts } from "./suite.mjs";

const KEY = table.apiKey;

/** A client whose requests are written down and answered by `answer`, in place of the runtime's fetch. */
function scripted(answer: (index: number) => Response | Promise<Response>, options: Partial<lib.ClientOptions> = {}) {
  const requests: { url: string; init: RequestInit }[] = [];
  const fetch = async (url: string, init: RequestInit) => answer(requests.push({ url, init }) - 1);
  return { client: lib.createClient({ apiKey: KEY, fetch, ...options }), requests };
}

/** What a call rejects with. */
async function thrown(call: Promise<unknown>): Promise<Error> {
  return call.then(
    () => expect.unreachable("it was fulfilled"),
    (error) => error,
  );
}

/** An answer that is right for every method. */
const whole = { ...table.answers.usage, ...table.answers.changes, ...table.answers.match, ...table.answers.search, ...table.answers.checkout, ...table.answers.financials, ...table.answers.coverage, ...table.answers.entity, total: 1 };
const fine = () => Response.json(whole);
const unready = () => new Response(null, { status: 503 });

afterEach(() => vi.useRealTimers());

describe("the client", () => {
  test("has a method for each operation, iterators and the answers; they need no this", async () => {
    const { client, requests } = scripted(fine, { baseUrl: "https://padron.example/" });
    expect(Object.keys(client)).toEqual(["search", "get", "financials", "coverage", "usage", "changes", "match", "checkout", "pages", "matchAll", "withResponse"]);
    const { search, get, financials, coverage, usage, changes, match, checkout } = client;
    await search("favorita");
    await get("EC", "1790016919001");
    await financials("EC", "1790016919001");
    await coverage();
    await usage();
    await changes();
    await match([{ name: "Apple" }]);
    await checkout({ planId: "pro" });
    expect(requests.map(({ url, init }) => [init.method, url])).toEqual([
      ["GET", "https://padron.example/api/v1/search?q=favorita"],
      ["GET", "https://padron.example/api/v1/entities/EC/1790016919001"],
      ["GET", "https://padron.example/api/v1/entities/EC/1790016919001/financials"],
      ["GET", "https://padron.example/api/public/empresas/stats"],
      ["GET", "https://padron.example/api/v1/usage"],
      ["GET", "https://padron.example/api/v1/changes"],
      ["POST", "https://padron.example/api/v1/match"],
      ["POST", "https://padron.example/api/subscriptions/checkout"],
    ]);
    for (const { init } of requests) {
      expect(init.headers).toMatchObject({ Authorization: `Bearer ${KEY}`, apiKey: KEY });
    }
  });

  test("asks the service at its default address, with the fetch of the runtime as it is at that moment", async () => {
    const client = lib.createClient({ apiKey: KEY });
    const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async () => fine());
    await client.coverage();
    expect(fetched.mock.calls[0]?.[0]).toBe(`${table.defaultBaseUrl}/api/public/empresas/stats`);
    fetched.mockRestore();
  });

  test("names itself and its version", async () => {
    const { client, requests } = scripted(fine);
    await client.coverage();
    const name = table.userAgent.replace("{language}", "typescript").replace("{version}", version);
    expect(requests[0]?.init.headers).toMatchObject({ "User-Agent": name });
  });

  test.each<[string, Partial<lib.ClientOptions>]>([
    ["apiKey", { apiKey: undefined as unknown as string }],
    ["apiKey", { apiKey: null as unknown as string }],
    ["language", { language: "pt" as "es" }],
    ["timeout", { timeout: Number.NaN }],
    ["timeout", { timeout: Number.POSITIVE_INFINITY }],
    ["timeout", { timeout: 2 ** 31 }],
    ["maxRetries", { maxRetries: 0.5 }],
    ["baseUrl", { baseUrl: "https://ana:hunter2@padron.example" }],
    ["baseUrl", { baseUrl: "https://padron.example/#here" }],
  ])("refuses a bad %s and does not repeat it", (name, options) => {
    const make = () => lib.createClient({ apiKey: KEY, ...options });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(name);
    expect(make).not.toThrow(/hunter2|pdr_live/);
  });

  test("takes key and address from the environment", async () => {
    vi.stubEnv("PADRON_API_KEY", KEY);
    vi.stubEnv("PADRON_BASE_URL", "https://padron.example");
    const { client, requests } = scripted(fine, { apiKey: undefined });
    await client.coverage();
    vi.unstubAllEnvs();
    expect(requests[0]?.url).toBe("https://padron.example/api/public/empresas/stats");
    expect(requests[0]?.init.headers).toMatchObject({ apiKey: KEY });
  });

  test("gives all pages, each when it is needed", async () => {
    const page = (identifier: string, nextCursor: string | null) =>
      Response.json({ ...whole, results: [{ ...table.answers.search.results[0], identifier }], nextCursor });
    const { client, requests } = scripted((index) => page(String(index), index < 2 ? `c${index}` : null));
    const seen: string[] = [];
    for await (const { identifier } of client.pages("x y", { country: "BR", limit: 1 })) seen.push(identifier + requests.length);
    expect(seen).toEqual(["01", "12", "23"]);
    const queries = requests.map(({ url }) => new URL(url).search);
    expect(queries).toEqual(["?q=x+y&country=BR&limit=1", "?q=x+y&country=BR&limit=1&cursor=c0", "?q=x+y&country=BR&limit=1&cursor=c1"]);
  });

  test("matches lists of any length, 500 rows a request, and takes rows when they are needed", async () => {
    let taken = 0;
    async function* rows() {
      for (; taken < 1_200; taken++) yield { name: String(taken) };
    }
    const { client, requests } = scripted((index) => {
      const asked = JSON.parse(String(requests[index]?.init.body)) as { rows: lib.Row[] };
      return Response.json({ release: "r", matches: asked.rows.map(({ name }) => ({ verdict: "not_found", company: null, reason: name })) });
    });
    const reasons: string[] = [];
    for await (const { reason } of client.matchAll(rows())) {
      if (reason === "0") expect([taken, requests.length]).toEqual([499, 1]);
      reasons.push(reason);
    }
    expect(reasons).toEqual(Array.from({ length: 1_200 }, (_, row) => String(row)));
    expect(requests).toHaveLength(3);
    for await (const _ of client.matchAll([])) expect.unreachable();
    expect(requests).toHaveLength(3);
  });

  test("tells of each attempt, and neither query nor key", async () => {
    vi.useFakeTimers();
    const attempts: lib.Attempt[] = [];
    const headers = { "X-Request-Id": `7 ${KEY}` };
    const answer = (index: number) => (index ? Response.json(whole, { headers }) : Promise.reject(new TypeError("no")));
    const { client } = scripted(answer, { onAttempt: (attempt) => attempts.push(attempt) });
    const call = client.search("planted query");
    await vi.advanceTimersByTimeAsync(600);
    await call;
    const milliseconds = expect.any(Number) as number;
    expect(attempts).toEqual([
      { method: "search", number: 1, status: null, requestId: null, milliseconds },
      { method: "search", number: 2, status: 200, requestId: "7 …", milliseconds },
    ]);
    const failing = scripted(fine, { onAttempt: () => { throw new Error("of the hook"); } });
    await expect(failing.client.coverage()).rejects.toThrow("of the hook");
    expect(failing.requests).toHaveLength(1);
  });

  test.each([200, 500])("takes at most 32 MiB of an answer of status %d, and ends it", async (status) => {
    let sent = 0;
    let ended = false;
    const endless = () =>
      new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array((sent += 1 << 20) && 1 << 20)), cancel: () => void (ended = true) });
    const { client, requests } = scripted(() => new Response(endless(), { status }));
    const error = await thrown(client.coverage());
    expect([error.name, error.message]).toEqual(["APIResponseError", "The answer has more than 32 MiB"]);
    expect([requests.length, ended, sent < 40 << 20]).toEqual([1, true, true]);
  });

  test("takes the answer of a fetch without streams", async () => {
    const { status, ok, headers } = fine();
    const bare = { status, ok, headers, arrayBuffer: async () => new TextEncoder().encode(JSON.stringify(whole)).buffer };
    const { client } = scripted(() => bare as unknown as Response);
    expect((await client.coverage()).total).toBe(1);
  });

  test("gives the answer with the result", async () => {
    const headers = { RateLimit: '"minute";r=59;t=31, "day";r=998;t=4000', "X-Request-Id": "7" };
    const { client } = scripted(() => Response.json(whole, { headers }));
    const answered = await client.withResponse.get("BR", "33000167000101");
    expect(answered).toMatchObject({ data: whole, status: 200, requestId: "7" });
    expect(answered.quotas).toEqual([{ name: "minute", remaining: 59, reset: 31 }, { name: "day", remaining: 998, reset: 4000 }]);
    expectTypeOf(answered.data.entity).toEqualTypeOf<Company>();
  });

  test("takes options of one call", async () => {
    vi.useFakeTimers();
    const { client, requests } = scripted(unready);
    const ended = expect(client.coverage({ maxRetries: 1 })).rejects.toThrow(lib.ServerError);
    await vi.advanceTimersByTimeAsync(10_000);
    await ended;
    expect(requests).toHaveLength(2);
    await expect(client.coverage({ timeout: 0 })).rejects.toThrow(TypeError);
  });

  test.each<[keyof lib.Methods, object]>([
    ["search", { results: null }],
    ["search", { results: [{}] }],
    ["search", { q: 5 }],
    ["search", { bestMatch: 5 }],
    ["get", { entity: { legalName: "x" } }],
    ["financials", { statements: [{}] }],
    ["coverage", { total: "1" }],
    ["usage", { day: {} }],
    ["changes", { more: 1 }],
    ["changes", { changes: [{ change: "new" }] }],
    ["match", { matches: [{ verdict: "found", company: {} }] }],
    ["checkout", { checkoutUrl: null }],
  ])("refuses an answer of another shape: %s %j", async (name, change) => {
    const { client } = scripted(() => Response.json({ ...whole, ...change }));
    const call = { search: () => client.search("x"), get: () => client.get("BR", "1"), financials: () => client.financials("BR", "1"), coverage: () => client.coverage(), usage: () => client.usage(), changes: () => client.changes(), match: () => client.match([]), checkout: () => client.checkout({ planId: "pro" }) }[name];
    await expect(call()).rejects.toThrow(lib.APIResponseError);
  });

  test("refuses a query that is no text, and sends nothing", async () => {
    const { client, requests } = scripted(fine);
    await expect(client.search(undefined as unknown as string)).rejects.toThrow(new TypeError("q must be a text"));
    expect(requests).toEqual([]);
  });

  test("refuses an identifier that is no whole Unicode", async () => {
    const { client, requests } = scripted(fine);
    await expect(client.get("EC", "1\ud800")).rejects.toThrow(TypeError);
    expect(requests).toEqual([]);
  });

  test("has types for what it takes and gives", () => {
    expectTypeOf<Parameters<Client["search"]>[1]>().toEqualTypeOf<lib.SearchOptions | undefined>();
    expectTypeOf<Awaited<ReturnType<Client["search"]>>["bestMatch"]>().toEqualTypeOf<SearchResult | null>();
    expectTypeOf<Awaited<ReturnType<Client["get"]>>["entity"]>().toEqualTypeOf<Company>();
    expectTypeOf<lib.Figure["amount"]>().toEqualTypeOf<string>();
    expectTypeOf<Client["get"]>().parameter(0).toEqualTypeOf<"EC" | "MX" | "US" | "BR" | "CO" | "AR">();
    expectTypeOf<Map<string, KeptAnswer>>().toExtend<lib.AnswerCache>();
  });
});

describe("errors", () => {
  test("make the tree that both libraries share, and are all that is exported besides the factory and webhooks", () => {
    const names = table.errors.map(({ name }) => name);
    expect(Object.keys(lib).sort()).toEqual(
      ["createClient", "verifyWebhook", "WebhookVerificationError", ...names].sort(),
    );
    for (const { name, extends: above } of table.errors) {
      const kind = lib[name as keyof typeof lib];
      expect(Object.getPrototypeOf(kind)).toBe(above ? lib[above as keyof typeof lib] : Error);
      expect(Object.create(kind.prototype).name).toBe(name);
    }
  });

  test("say what the service said", async () => {
    const problem = table.answers["problem-plan-required"];
    const { client } = scripted(() => Response.json(problem, { status: 403 }));
    const error = await thrown(client.financials("US", "320193"));
    expect(error).toBeInstanceOf(lib.PermissionDeniedError);
    expect(error).toMatchObject({ message: `403 plan-required: ${problem.detail}`, problem });
  });

  test.each([
    [302, "302: a redirect, which is not followed"],
    [502, "502: the answer does not say why"],
  ])("say so where the answer says nothing: %d", async (status, message) => {
    const { client } = scripted(() => new Response(null, { status }), { maxRetries: 0 });
    expect((await thrown(client.coverage())).message).toBe(message);
  });

  test("say what the runtime said", async () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:9"), { code: "ECONNREFUSED" });
    const { client } = scripted(() => Promise.reject(new TypeError("fetch failed", { cause: refused })), { maxRetries: 0 });
    const error = await thrown(client.coverage());
    expect(error.message).toBe("No whole answer arrived: fetch failed: connect ECONNREFUSED 127.0.0.1:9");
    expect(error.cause).toMatchObject({ name: "TypeError", cause: { code: "ECONNREFUSED" } });
  });

  test.each<[string, () => Response]>([
    ["a fetch that tells what it was given", () => {
      throw Object.assign(new TypeError(`bad field: ${KEY}`, { cause: new Error(KEY) }), { code: KEY, init: { apiKey: KEY } });
    }],
    ["a fetch that throws a text", () => {
      throw `no ${KEY}`;
    }],
    ["a problem that repeats what came", () => Response.json({ detail: KEY, headers: [KEY] }, { status: 403 })],
    ["a request id that does", () => new Response("", { status: 404, headers: { "X-Request-Id": KEY } })],
    ["one of an answer that is none", () => new Response("<html>", { headers: { "X-Request-Id": KEY } })],
  ])("never hold the key: %s", async (_, answer) => {
    const { client } = scripted(answer, { maxRetries: 0 });
    const error = await thrown(client.coverage());
    expect(error).toBeInstanceOf(lib.APIError);
    expect(texts(error) + inspect(error, { depth: null, showHidden: true })).not.toContain(KEY);
    expect(texts(new Error(`planted ${KEY}`))).toContain(KEY);
  });

  test.each(["", "u", "u:", "user:"])("nor a form of it, behind %j", async (before) => {
    const forms = [KEY.toUpperCase(), [...KEY].map((c) => `%${c.charCodeAt(0).toString(16)}`).join(""), btoa(before + KEY)];
    const { client } = scripted(() => Response.json({ detail: forms.join(" "), code: forms[2] }, { status: 403 }));
    const seen = texts(await thrown(client.coverage()));
    expect(seen).toContain("…");
    for (const form of forms) expect(seen).not.toContain(form.slice(4, -4));
  });

  test("and neither does the client", () => {
    const client = lib.createClient({ apiKey: KEY });
    expect(inspect(client, { depth: null, showHidden: true }) + JSON.stringify(client)).not.toContain(KEY);
  });
});

describe("the pace", () => {
  /** A plan of 60 calls a minute that states what is left, on the clock of the test. */
  function plan() {
    const times: number[] = [];
    let refused = 0;
    const answer = async () => {
      const now = Date.now();
      const left = 60 - times.filter((time) => Math.floor(time / 60_000) === Math.floor(now / 60_000)).length;
      const reset = 60 - Math.floor((now / 1000) % 60);
      const headers = { RateLimit: `"minute";r=${Math.max(0, left - 1)};t=${reset}`, "Retry-After": String(reset) };
      if (left > 0) times.push(now);
      else refused++;
      await Promise.resolve();
      return left > 0 ? Response.json(whole, { headers }) : new Response(null, { status: 429, headers });
    };
    return { answer, times, refused: () => refused };
  }

  test("of 1,000 calls at once is that of the plan, and none fails", async () => {
    vi.useFakeTimers({ now: 1_800_000_030_000 });
    const { answer, times, refused } = plan();
    const { client } = scripted(answer);
    const calls = Promise.all(Array.from({ length: 1_000 }, () => client.coverage()));
    await vi.advanceTimersByTimeAsync(20 * 60_000);
    expect(await calls).toHaveLength(1_000);
    expect(times.at(-1)! - times[0]!).toBeLessThan(18 * 66_000);
    expect(refused()).toBeLessThan(20);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("is nobody's without retries", async () => {
    vi.useFakeTimers({ now: 1_800_000_030_000 });
    const { client } = scripted(plan().answer, { maxRetries: 0 });
    const ended = await Promise.allSettled(Array.from({ length: 61 }, () => client.coverage()));
    expect(ended.filter(({ status }) => status === "rejected")).toHaveLength(1);
  });

  test("lets a call in the queue be ended, and goes on", async () => {
    vi.useFakeTimers({ now: 1_800_000_030_000 });
    const { client, requests } = scripted(plan().answer);
    const controller = new AbortController();
    const first = Promise.all(Array.from({ length: 60 }, () => client.coverage()));
    const ended = expect(client.coverage({ signal: controller.signal })).rejects.toThrow("enough");
    const after = client.coverage();
    await first;
    controller.abort(new Error("enough"));
    await ended;
    await vi.advanceTimersByTimeAsync(70_000);
    await after;
    expect(requests).toHaveLength(61);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });
});

describe("a signal", () => {
  const reason = new Error("enough");

  test("that is spent sends nothing", async () => {
    const { client, requests } = scripted(fine);
    await expect(client.coverage({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(requests).toEqual([]);
  });

  test("ends a request under way, and is not repeated", async () => {
    const controller = new AbortController();
    const hanging = async (_: string, { signal }: RequestInit) =>
      new Promise<Response>((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason as Error));
        controller.abort(reason);
      });
    const client = lib.createClient({ apiKey: KEY, fetch: hanging });
    await expect(client.get("BR", "33000167000101", { signal: controller.signal })).rejects.toBe(reason);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  test("ends the wait before another attempt", async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const { client, requests } = scripted(unready);
    const call = client.checkout({ planId: "pro", signal: controller.signal });
    const ended = expect(call).rejects.toBe(reason);
    await vi.advanceTimersByTimeAsync(100);
    controller.abort(reason);
    await ended;
    expect(requests).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("that goes on living is let go of, and no timer stays", async () => {
    vi.useFakeTimers();
    const { signal } = new AbortController();
    const { client } = scripted((index) => (index ? fine() : unready()));
    const call = client.search("favorita", { signal });
    await vi.advanceTimersByTimeAsync(600);
    await call;
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a cache", () => {
  const etag = 'W/"1"';
  const answer = (index: number) =>
    index ? new Response(null, { status: 304 }) : Response.json(whole, { headers: { ETag: etag } });

  test("may be slow, and holds addresses and answers, no key", async () => {
    const kept = new Map<string, string>();
    const cache = {
      get: async (url: string) => JSON.parse(kept.get(url) ?? "null") as KeptAnswer | null,
      set: async (url: string, value: KeptAnswer) => void kept.set(url, JSON.stringify(value)),
    };
    const { client, requests } = scripted(answer, { cache });
    const first = await client.coverage();
    first.total = 2;
    expect((await client.coverage()).total).toBe(1);
    expect(requests[1]?.init.headers).toMatchObject({ "If-None-Match": etag });
    expect([...kept]).toEqual([[`${table.defaultBaseUrl}/api/public/empresas/stats`, JSON.stringify({ etag, body: JSON.stringify(whole) })]]);
  });

  test("keeps the languages apart", async () => {
    const cache = new Map<string, KeptAnswer>();
    for (const language of ["es", "en"] as const) {
      const { client, requests } = scripted(() => answer(0), { cache, language });
      await client.coverage();
      expect(requests[0]?.init.headers).not.toHaveProperty("If-None-Match");
    }
    expect(cache.size).toBe(2);
  });

  test("takes no part in a checkout", async () => {
    const cache = new Map<string, KeptAnswer>();
    const { client } = scripted(() => Response.json(whole, { status: 201, headers: { ETag: etag } }), { cache });
    await client.checkout({ planId: "pro" });
    expect(cache.size).toBe(0);
  });

  test("that holds rubbish is told of", async () => {
    const cache = new Map([[`${table.defaultBaseUrl}/api/public/empresas/stats`, { etag, body: "{" }]]);
    const { client } = scripted(() => answer(1), { cache });
    await expect(client.coverage()).rejects.toThrow(lib.APIResponseError);
  });
});
