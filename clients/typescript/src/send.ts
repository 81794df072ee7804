/** Sends a request, reads its answer, repeats it where that can help, and says what went wrong where it cannot. */
import { version } from "../package.json";
import {
  APIConnectionError,
  APIResponseError,
  APIStatusError,
  APITimeoutError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
} from "./errors";
import { type Gate, gate, LONGEST_RETRY_AFTER, quotas, sleep } from "./pace";
import type { Holds } from "./shapes";
import type { Answered, Attempt, CallOptions, ClientOptions, KeptAnswer, Problem } from "./types";

const DEFAULT_BASE_URL = "http://127.0.0.1:8000";
const REPEATED = [408, 429, 500, 502, 503, 504];
/** Milliseconds: the first wait between attempts, and the longest. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 8_000;
/** Beyond it, timers of JavaScript fire at once. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

const ERRORS: Record<number, typeof APIStatusError> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  429: RateLimitError,
};

/** Bytes of an answer, once decompressed: ten times the largest there is. What sends more is not the service. */
const MOST_BYTES = 32 << 20;

const VISIBLE = /^[\x21-\x7e]+$/;
const UTF8: TextDecoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true });

/**
 * What is sent: a GET, or the POST of a body (or another `verb`). Where repeating it would do more than once it has an
 * Idempotency-Key, or is sent `once`: only what the service refused before it began (429) is repeated.
 */
export interface Plan extends CallOptions {
  method: Attempt["method"];
  path: string;
  /** Whether the answer is one: its JSON object, the text it is otherwise, or null where it has no body. */
  shape: Holds;
  /** `fields`: header fields of its own. */
  post?: { verb?: string; body?: object | undefined; fields?: Record<string, string>; once?: boolean };
}

/** Sends a request, and gives the JSON object, or the text, of the answer with the answer. */
export type Send = (plan: Plan) => Promise<Answered<unknown>>;

/** An answer with its body. */
interface Whole {
  response: Response;
  bytes: ArrayBuffer | Uint8Array;
}

/** What sends the requests of a client. Throws TypeError for a bad option. */
export function sender(options: ClientOptions): Send {
  const { apiKey = environment("PADRON_API_KEY"), language, cache, onAttempt } = options;
  const { timeout: usual = 30_000, maxRetries: most = 2 } = options;
  visible(apiKey, "apiKey");
  demand(!language || language === "es" || language === "en", 'language must be "es" or "en"');
  bounds(usual, most);
  const base = baseAddress(options);
  const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const always = fields(apiKey, language);
  const clean = scrubber(apiKey);
  const shared = gate();

  return async ({ method, path, shape, signal, post, ...own }) => {
    const { timeout = usual, maxRetries = most } = own;
    bounds(timeout, maxRetries);
    const pace = maxRetries > 0 ? shared : null;
    const url = base + path;
    const name = language ? `${url} ${language}` : url;
    const kept = post ? null : await cache?.get(name);
    const init = request(always, post, kept);
    for (let attempt = 1, retries = 0, waited = 0; ; attempt++) {
      try {
        const ended = (response: Response | null, milliseconds: number): void =>
          onAttempt?.({
            method,
            number: attempt,
            status: response && response.status,
            requestId: requestId(response, clean),
            milliseconds,
          });
        const { response, bytes } = await paced(pace, signal, () => exchange(fetch, url, init, timeout, signal, clean), ended);
        const text = response.status === 304 && kept ? kept.body : textOf(response, bytes, clean);
        const data = object(text) || text || null;
        const id = requestId(response, clean);
        if (text === null || !shape(data)) throw new APIResponseError(response.status, id);
        const etag = post ? null : storable(response);
        if (etag) await cache?.set(name, { etag, body: text });
        return { data, status: response.status, headers: response.headers, requestId: id, quotas: quotas(response.headers) };
      } catch (error) {
        // Others share the key: waiting for a turn is no retry. The gate waits for it.
        const turn = error instanceof RateLimitError && error.retryAfter;
        if (maxRetries && turn && (waited += turn) <= LONGEST_RETRY_AFTER) continue;
        const wait = pause(error, retries);
        if (wait === null || retries++ === (post?.once ? 0 : maxRetries)) throw error;
        if (wait) await sleep(wait, signal);
      }
    }
  };
}

/** A variable of the environment, where the runtime has one and lets it be read. */
function environment(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name];
  } catch {
    return undefined;
  }
}

/** TypeError unless a call can be bounded so. */
function bounds(timeout: number, maxRetries: number): void {
  demand(timeout > 0 && timeout <= LONGEST_TIMEOUT, "timeout must be a number of milliseconds, more than 0");
  demand(Number.isInteger(maxRetries) && maxRetries >= 0, "maxRetries must be a whole number, 0 or more");
}

/** TypeError unless an argument is a text that a header field can carry. */
export function visible(text: unknown, name: string): asserts text is string {
  demand(typeof text === "string" && VISIBLE.test(text), `${name} must be visible ASCII characters, no blanks`);
}

/** TypeError unless an argument is as it must be; the argument itself is not told. */
export function demand(holds: unknown, otherwise: string): asserts holds {
  if (!holds) throw new TypeError(otherwise);
}

/** An address to put paths behind. What it was is not told: it may hold a password. */
export function baseAddress({ baseUrl }: ClientOptions): string {
  const text = baseUrl ?? environment("PADRON_BASE_URL") ?? DEFAULT_BASE_URL;
  let url: URL | null = null;
  try {
    url = new URL(text);
  } catch {
    // Told below, in words of ours.
  }
  const sound = url && /^https?:$/.test(url.protocol) && !/[?#]/.test(text) && !url.username && !url.password;
  demand(sound, "baseUrl must begin with http:// or https://, and have no query, fragment, user or password");
  return (url as URL).href.replace(/\/+$/, "");
}

function fields(apiKey: string, language: string | undefined): Record<string, string> {
  return {
    Accept: "application/json",
    Authorization: `Bearer ${apiKey}`,
    apiKey,
    "User-Agent": `padron-client-typescript/${version}`,
    ...(language && { "Accept-Language": language }),
  };
}

function request(common: Record<string, string>, post: Plan["post"], kept?: KeptAnswer | null): RequestInit {
  const { verb = "POST", body } = post ?? { verb: "GET" };
  const headers = {
    ...common,
    ...post?.fields,
    ...(kept && { "If-None-Match": kept.etag }),
    ...(body && { "Content-Type": "application/json" }),
  };
  // A redirect is not followed: fetch would carry the apiKey field to wherever it leads.
  return { method: verb, headers, redirect: "manual", body: JSON.stringify(body) };
}

/** What replaces a key in texts from outside: as it is, percent-encoded in any part, or in base64 within a longer text. */
function scrubber(key: string): (text: string) => string {
  const escape = (text: string): string => text.replace(/[^\w]/g, "\\$&");
  const hex = (letter: string): string => letter.charCodeAt(0).toString(16);
  const plain = [...key].map((letter) => `(?:${escape(letter)}|%${hex(letter)})`).join("");
  // Of base64, the letters that only the key determines, where 0, 1 or 2 bytes of a group stand before it.
  const encoded = [0, 1, 2].map((offset) => {
    const letters = btoa("\0".repeat(offset) + key).slice(offset && offset + 1);
    return escape(letters.replace(/.=+$/, "")).replace(/\\\+/g, "[+-]").replace(/\\\//g, "[/_]");
  });
  // A shorter text is no secret, and stands in ordinary words.
  const pattern = key.length < 8 ? /(?!)/ : new RegExp([plain, ...encoded].join("|"), "gi");
  return (text) => text.replace(pattern, "…");
}

/** An attempt in its turn; `ended` is told of its end. */
async function paced(
  pace: Gate | null,
  signal: AbortSignal | undefined,
  attempt: () => Promise<Whole>,
  ended: (response: Response | null, milliseconds: number) => void,
): Promise<Whole> {
  await pace?.enter(signal);
  const begun = performance.now();
  let response: Response | null = null;
  try {
    const whole = await attempt();
    response = whole.response;
    return whole;
  } finally {
    const asked = response && REPEATED.includes(response.status) ? seconds(response.headers.get("Retry-After")) : null;
    pace?.ended(response && response.headers, asked);
    ended(response, performance.now() - begun);
  }
}

/** One attempt, from the request to the last byte of the answer. */
async function exchange(
  fetch: NonNullable<ClientOptions["fetch"]>,
  url: string,
  init: RequestInit,
  timeout: number,
  signal: AbortSignal | undefined,
  clean: (text: string) => string,
): Promise<Whole> {
  signal?.throwIfAborted();
  // Not AbortSignal.any: Node 18 lacks it.
  const ending = new AbortController();
  const end = (): void => ending.abort();
  const timer = setTimeout(end, timeout);
  signal?.addEventListener("abort", end);
  try {
    const response = await fetch(url, { ...init, signal: ending.signal });
    return { response, bytes: await body(response, clean) };
  } catch (thrown) {
    signal?.throwIfAborted();
    if (thrown instanceof APIResponseError) throw thrown;
    if (ending.signal.aborted) throw new APITimeoutError(`No whole answer within ${timeout} ms`);
    const cause = withoutKey(thrown, clean);
    throw new APIConnectionError(`No whole answer arrived: ${chain(cause)}`, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}

/** The body of an answer, decompressed. Throws once it has more than `MOST_BYTES`. */
async function body(response: Response, clean: (text: string) => string): Promise<ArrayBuffer | Uint8Array> {
  // A fetch that was given may lack streams.
  const reader = response.body?.getReader?.();
  if (!reader) return response.arrayBuffer();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let read; !(read = await reader.read()).done; ) {
    chunks.push(read.value);
    if ((size += read.value.length) > MOST_BYTES) {
      reader.cancel().catch(() => {});
      throw new APIResponseError(response.status, requestId(response, clean), "The answer has more than 32 MiB");
    }
  }
  const bytes = new Uint8Array(size);
  for (const chunk of chunks.reverse()) bytes.set(chunk, (size -= chunk.length));
  return bytes;
}

/** The text of a successful answer, null where it is not UTF-8. Throws the error that any other answer is. */
function textOf(response: Response, bytes: Whole["bytes"], clean: (text: string) => string): string | null {
  const { ok, status, headers } = response;
  if (ok) return decoded(bytes);
  const problem = object(clean(decoded(bytes) ?? "")) as Problem | null;
  const kind = ERRORS[status] ?? (status >= 500 ? ServerError : APIStatusError);
  throw new kind(status, problem, requestId(response, clean), seconds(headers.get("Retry-After")));
}

/** The ETag of a new answer that may be kept. */
function storable({ ok, headers }: Response): string | null {
  return ok && !/no-store/i.test(headers.get("Cache-Control") ?? "") ? headers.get("ETag") : null;
}

function requestId(response: Response | null, clean: (text: string) => string): string | null {
  const id = response?.headers.get("X-Request-Id");
  return id ? clean(id) : null;
}

function decoded(bytes: Whole["bytes"]): string | null {
  try {
    return UTF8.decode(bytes);
  } catch {
    return null;
  }
}

/** The JSON object that a text is, or null. */
function object(text: string | null): object | null {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** A copy of what the runtime threw, without anything that could hold the key. */
function withoutKey(thrown: unknown, clean: (text: string) => string): Error {
  const { name, message = thrown, code, cause } = Object(thrown) as Partial<Error> & { code?: unknown };
  const copy = new Error(clean(String(message)), cause === undefined ? {} : { cause: withoutKey(cause, clean) });
  if (name) copy.name = clean(name);
  return code === undefined ? copy : Object.assign(copy, { code: clean(String(code)) });
}

function chain(error: Error & { code?: string }): string {
  const words = error.message || error.code || error.name;
  return error.cause ? `${words}: ${chain(error.cause as Error)}` : words;
}

/** Seconds that a Retry-After field asks for, as a number or as a date; null where it says nothing. */
function seconds(field: string | null): number | null {
  if (field === null) return null;
  if (/^\d+$/.test(field)) return Number(field);
  const date = /^[A-Z][a-z]+, /.test(field) ? Date.parse(field) : NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

/** Milliseconds to wait before the next attempt; null where another one cannot help. */
function pause(error: unknown, attempt: number): number | null {
  if (error instanceof APIStatusError) {
    if (!REPEATED.includes(error.status)) return null;
    // The gate waits for it, with all other calls.
    if (error.retryAfter !== null) return error.retryAfter <= LONGEST_RETRY_AFTER ? 0 : null;
  } else if (!(error instanceof APIConnectionError)) {
    return null;
  }
  // Between half and all of it, so that clients that failed together do not come back together.
  return Math.min(FIRST_WAIT * 2 ** attempt, LONGEST_WAIT) * (0.5 + Math.random() / 2);
}
