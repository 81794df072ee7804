/**
 * What every runtime runs: the shared cases against a stage (stage.mjs), and a journey through the real service.
 * Nothing here but what all of them have: fetch, timers, JSON.
 */

/** Play one case. Throws where the client did not do what the case says. `browser`: what pages cannot see is not asked. */
export async function play(lib, table, test, stage, browser) {
  const answer = (given) => ("answer" in given ? { ...given, json: table.answers[given.answer] } : given);
  const whole = JSON.stringify(table.answers.entity);
  // Deno asks again by itself where a connection ends without an answer; that is still one attempt.
  const twice = "Deno" in globalThis ? "refused" : null;
  const exchanges = test.exchanges.flatMap(({ response, failure }) =>
    failure ? Array(failure === twice ? 2 : 1).fill({ failure, whole }) : { response: answer(response) },
  );
  const { id } = await post(`${stage}/script`, { exchanges });
  const { baseUrl = table.defaultBaseUrl, timeoutSeconds, cache, ...options } = test.client ?? {};
  options.apiKey ??= table.apiKey;
  options.baseUrl = baseUrl.replace(table.defaultBaseUrl, `${stage}/s/${id}`);
  options.timeout = (timeoutSeconds ?? table.timeoutSeconds) * 1000;
  if (timeoutSeconds === undefined) delete options.timeout;
  if (cache) options.cache = new Map();
  // The browser's own cache would ask with an ETag of its own.
  if (browser) options.fetch = (url, init) => fetch(url, { ...init, cache: "no-store" });

  const { result, error, waits } = await withoutWaiting(options.timeout ?? table.timeoutSeconds * 1000, async () => {
    const client = factory(lib, test.call.method)(options);
    let last;
    for (let time = 0; time < (test.repeat ?? 1); time++) last = await call(client, test.call);
    return last;
  });
  const requests = await (await fetch(`${stage}/script/${id}`)).json();
  const asked = requests.filter((_, index) => exchanges[index]?.failure !== twice || exchanges[index] !== exchanges[index - 1]);
  equal(asked.length, test.exchanges.length, "requests");
  asked.forEach((found, index) => compare(found, index, asked, test, table, browser));
  if (test.expect.error) {
    failed(lib, error, test.expect.error, options.apiKey, browser);
  } else {
    if (error) throw error;
    const { json, result: members = json } = answer(test.expect);
    if (!holds(result, members)) throw new Error(`result: ${JSON.stringify(result)}`);
  }
  const expected = test.expect.waits;
  if (expected) {
    equal(waits.length, expected.length, `waits ${waits}`);
    waits.forEach((wait, index) => {
      const [least, most] = expected[index];
      if (wait < least * 1000 || wait > most * 1000) throw new Error(`wait ${index}: ${wait} ms`);
    });
  }
}

/** What makes a client with this method. */
function factory(lib, method) {
  if (/watchlist|webhook/i.test(method)) return lib.createWatchlistClient;
  return /csv|file/i.test(method) ? lib.createFileClient : lib.createClient;
}

function call(client, { method, args }) {
  const { q, country, id, name, ...rest } = args;
  if (method === "search") return client.search(q, { country, ...rest });
  if (method === "get" || method.startsWith("financials")) return client[method](country, id);
  if (method === "createWatchlist") return client.createWatchlist(name);
  if (id !== undefined) return client[method](id, { name, ...rest });
  if (method === "match") return client.match(args.rows);
  return client[method]({ ...(country && { country }), ...rest });
}

/** Replace the clock; an assignment fails where it is read-only, as in Node 18. */
function setClock(now) {
  Object.defineProperty(performance, "now", { value: now, configurable: true, writable: true });
}

/** Run `action`; waits between its attempts end at once, and how long they would have been is told. */
async function withoutWaiting(timeout, action) {
  const real = globalThis.setTimeout;
  const clock = performance.now;
  const waits = [];
  let skipped = 0;
  setClock(() => clock.call(performance) + skipped);
  globalThis.setTimeout = (then, delay, ...rest) => {
    const runtime = /node:internal|ext:/.test(new Error().stack.split("\n")[2]);
    if (delay === timeout || runtime) return real(then, delay, ...rest);
    waits.push(delay);
    skipped += delay;
    return real(then, 0, ...rest);
  };
  try {
    return { result: await action(), waits };
  } catch (error) {
    return { error, waits };
  } finally {
    globalThis.setTimeout = real;
    setClock(clock);
  }
}

function compare(found, index, asked, test, table, browser) {
  const { method, path, query = [], headers = {}, body } = test.exchanges[index].request;
  equal(found.method, method, "method");
  equal(found.path, path, "path");
  equal(JSON.stringify([...new URLSearchParams(found.query)]), JSON.stringify(query), "query");
  equal(found.body, body ? JSON.stringify(body) : "", "body");
  const wanted = { ...table.headers, ...headers };
  if (!browser) wanted["User-Agent"] = { pattern: "^padron-client-typescript/\\d+\\.\\d+\\.\\d+$" };
  for (const [name, value] of Object.entries(wanted)) {
    const got = found.headers[name.toLowerCase()];
    // Runtimes and browsers send a language of their own.
    if (value === null && name === "Accept-Language") continue;
    if (value === null) equal(got, undefined, name);
    else if (typeof value === "string") equal(got, value.replace("{apiKey}", table.apiKey), name);
    else if (value.pattern) equal(new RegExp(value.pattern).test(got), true, `${name} ${got}`);
    else {
      const other = asked[value.sameAsExchange ?? value.differsFromExchange].headers[name.toLowerCase()];
      equal(got === other, "sameAsExchange" in value, `${name}: the same as before`);
    }
  }
}

function failed(lib, error, { name, ...members }, key, browser) {
  if (!error) throw new Error("there was no error");
  if (name === "ArgumentError") equal(error.name, "TypeError", String(error));
  else equal(error.name, name, String(error));
  equal(error instanceof (lib[name] ?? TypeError), true, `${error} is a ${name}`);
  for (const [member, value] of Object.entries(members)) {
    // A page is told of a redirect, and neither where to nor by which status.
    const hidden = browser && member === "status" && value > 299 && value < 400;
    equal(error[member] ?? null, hidden ? 0 : value, member);
  }
  if (key.trim()) equal(texts(error).includes(key), false, "the key in a text of the error");
}

/** All that an error could show somebody. */
export function texts(error) {
  const own = [String(error), error.stack, JSON.stringify(error), ...Object.values(error).map((value) => JSON.stringify(value))];
  return error.cause ? own.join("\n") + texts(error.cause) : own.join("\n");
}

/** The way of a customer of the service at `base`: free, then paid. `limited` is the key of another account, to be used up. */
export async function journey(lib, { base, key, limited, stage }) {
  const padron = lib.createClient({ apiKey: key, baseUrl: base, language: "en", cache: new Map() });
  const { bestMatch, results } = await padron.search("petrobras");
  equal(bestMatch.identifier, "33000167000101", "bestMatch");
  equal(results[0].countryCode, "BR", "country");
  equal((await padron.search("petrobras", { limit: 1, country: "BR" })).results.length, 1, "limit");
  equal((await padron.search("petrobras")).bestMatch.identifier, "33000167000101", "kept");
  for (const [country, id, canonical] of [
    ["BR", "33.000.167/0001-01", "33000167000101"],
    ["US", "0000320193", "320193"],
    ["EC", "1790016919001", "1790016919001"],
  ]) {
    equal((await padron.get(country, id)).entity.identifier, canonical, id);
  }
  equal((await padron.coverage()).total > 110_000, true, "coverage");
  equal((await padron.usage()).plan, "free", "usage");
  equal(Array.isArray((await padron.changes({ country: "BR", limit: 1 })).changes), true, "changes");
  const matched = [];
  for await (const { company } of padron.matchAll([{ name: "Apple Inc", country: "US" }, { identifier: "33000167000101", country: "BR" }])) {
    matched.push(company?.identifier);
  }
  equal(matched.join(), "320193,33000167000101", "matchAll");
  await rejects(padron.get("MX", "ÑAÑ850101AB1"), lib.NotFoundError, "company-not-found");
  await rejects(padron.get("BR", "1/2"), lib.BadRequestError, "invalid-identifier");
  await rejects(padron.search("petrobras", { limit: 51 }), lib.BadRequestError, "limit-out-of-range");
  const wrong = lib.createClient({ apiKey: `${key}x`, baseUrl: base });
  await rejects(wrong.search("petrobras"), lib.AuthenticationError, "key-malformed");

  await rejects(padron.financials("US", "320193"), lib.PermissionDeniedError, "plan-required");
  await rejects(padron.checkout({ planId: "gold" }), lib.BadRequestError, "unknown-plan");
  const begun = await padron.checkout({ planId: "pro", idempotencyKey: "once" });
  const again = await padron.checkout({ planId: "pro", idempotencyKey: "once" });
  equal(again.checkoutId, begun.checkoutId, "the same Idempotency-Key");
  await post(`${stage}/pay`, { url: base + new URL(begun.checkoutUrl).pathname });
  const { statements } = await eventually(() => padron.financials("US", "320193"), lib.PermissionDeniedError);
  equal(statements[0].figures.find((figure) => figure.key === "revenue").amount, "416161000000", "revenue");
  const csv = await lib.createFileClient({ apiKey: key, baseUrl: base }).financialsCsv("US", "320193");
  equal(/^US,.*,416161000000,/m.test(csv), true, "revenue in CSV");
  await rejects(padron.checkout({ planId: "pro" }), lib.APIStatusError, "plan-already-active");

  const poor = lib.createClient({ apiKey: limited, baseUrl: base, maxRetries: 0 });
  const many = await Promise.allSettled(Array.from({ length: 70 }, () => poor.get("US", "320193")));
  const refused = many.filter(({ status }) => status === "rejected").map(({ reason }) => reason);
  equal(refused.length >= 10, true, `${refused.length} refused by the limit`);
  for (const error of refused) {
    equal(error.name, "RateLimitError", String(error));
    equal(error.retryAfter > 0 && error.retryAfter <= 60, true, `${error.retryAfter} s`);
  }
  const nobody = lib.createClient({ apiKey: key, baseUrl: "http://127.0.0.1:9", maxRetries: 0 });
  await rejects(nobody.coverage(), lib.APIConnectionError);
}

/** Everything, one after the other; the names of what failed, and why. */
export async function everything(lib, table, { stage, base, key, limited, browser = false }) {
  const failures = [];
  for (const test of table.cases) {
    try {
      await play(lib, table, test, stage, browser);
    } catch (error) {
      failures.push(`${test.name}: ${error.stack}`);
    }
  }
  try {
    await journey(lib, { base, key, limited, stage });
  } catch (error) {
    failures.push(`journey: ${error.stack}`);
  }
  return { cases: table.cases.length, failures };
}

/** What `act` gives, once it no longer rejects with `kind`; ten seconds at most. */
async function eventually(act, kind) {
  for (const ends = Date.now() + 10_000; ; ) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof kind) || Date.now() > ends) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function rejects(promise, kind, code = null) {
  const error = await promise.then(
    () => new Error(`no ${kind.name}`),
    (reason) => reason,
  );
  if (!(error instanceof kind) || (error.code ?? null) !== code) throw error;
}

async function post(url, body) {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  const text = await response.text();
  return text ? JSON.parse(text) : null;
}

function equal(found, wanted, what) {
  if (found !== wanted) throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

/** Whether all members of `wanted` stand in `found` with the same values; lists are as long. */
function holds(found, wanted) {
  if (typeof wanted !== "object" || wanted === null) return found === wanted;
  if (typeof found !== "object" || found === null || Array.isArray(found) !== Array.isArray(wanted)) return false;
  if (Array.isArray(wanted) && found.length !== wanted.length) return false;
  return Object.keys(wanted).every((key) => holds(found[key], wanted[key]));
}

/** The way of an account that has its suppliers watched; `url` is that of a receiver. The test message, and the secret. */
export async function watching(lib, { base, key, url }) {
  const padron = lib.createClient({ apiKey: key, baseUrl: base });
  const watching = lib.createWatchlistClient({ apiKey: key, baseUrl: base });
  const company = { country: "EC", identifier: "1790016919001" };
  const nobody = { country: "EC", identifier: "1790016927001" };
  equal((await watching.listWatchlists()).watchlists.length, 0, "watchlists");
  const { id } = await watching.createWatchlist("Suppliers");
  await rejects(watching.createWatchlist("Suppliers"), lib.APIStatusError, "watchlist-name-taken");
  const searches = [{ text: "petrobras", country: "BR" }];
  const changed = await watching.changeWatchlist(id, { addCompanies: [company, nobody], addSearches: searches });
  equal(changed.added, 2, "added");
  equal(changed.refused.map(({ pointer, code }) => `${pointer} ${code}`).join(), "#/addCompanies/1 company-not-found", "refused");
  const content = await watching.getWatchlist(id, { limit: 1 });
  equal(content.companies[0].identifier, "1790016919001", "company");
  equal((await watching.changeWatchlist(id, { name: "Vendors", removeSearches: [content.searches[0].id] })).removed, 1, "removed");
  equal((await padron.changes({ watchlist: id })).changes[0].identifier, "1790016919001", "changes");
  await rejects(padron.changes({ watchlist: "wl_0123456789abcdef01234567" }), lib.NotFoundError, "watchlist-not-found");

  await rejects(watching.createWebhook({ url: "http://hooks.example.ec/", watchlist: id }), lib.BadRequestError, "bad-webhook-url");
  const { webhook, secret } = await watching.createWebhook({ url, watchlist: id });
  equal((await watching.listWebhooks()).webhooks[0].id, webhook.id, "webhooks");
  await watching.changeWebhook(webhook.id, { enabled: false });
  await rejects(watching.testWebhook(webhook.id), lib.APIStatusError, "webhook-disabled");
  equal((await watching.changeWebhook(webhook.id, { enabled: true })).disabledAt, null, "disabledAt");
  const message = await watching.testWebhook(webhook.id);
  await eventually(async () => {
    const { messages } = await watching.getWebhook(webhook.id);
    if (messages[0].id !== message.id || messages[0].state !== "delivered") throw new RangeError(messages[0].state);
  }, RangeError);
  equal((await watching.rotateWebhookSecret(webhook.id, { overlapSeconds: 0 })).secret === secret, false, "a new secret");
  equal(await watching.deleteWebhook(webhook.id), null, "deleted");
  await rejects(watching.getWebhook(webhook.id), lib.NotFoundError, "webhook-not-found");
  equal((await watching.withResponse.deleteWatchlist(id)).status, 204, "deleted");
  equal((await watching.listWatchlists()).watchlists.length, 0, "watchlists");
  return [message.id, secret];
}
