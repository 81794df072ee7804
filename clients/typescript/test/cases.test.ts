import { afterAll, beforeAll, describe, expect, test } from "vitest";
import table from "../../cases.json";
import * as main from "../src";
import * as files from "../src/files";
import * as watchlists from "../src/watchlists";
import { stage } from "./stage.mjs";
import { play } from "./suite.mjs";

const lib = { ...main, ...files, ...watchlists };
let played: Awaited<ReturnType<typeof stage>>;
beforeAll(async () => {
  played = await stage();
});
afterAll(() => played.close());

describe("the cases that both libraries share", () => {
  test.each(table.cases)("$name", (given) => play(lib, table, given, played.url, false));

  const withInit = (change: (init: RequestInit) => RequestInit) => (options: main.ClientOptions) =>
    lib.createClient({ ...options, fetch: (url, init) => fetch(url, change(init)) });
  test.each<[string, string, (options: main.ClientOptions) => main.Client]>([
    ["sends one header field only", "get: a company", withInit((init) => ({ ...init, headers: { apiKey: table.apiKey } }))],
    ["follows a redirect", "a redirect is not followed: keys go nowhere else", withInit((init) => ({ ...init, redirect: "follow" }))],
    ["gives up early", "503 twice, then the answer", (options) => lib.createClient({ ...options, maxRetries: 1 })],
    ["never gives up", "503 three times", (options) => lib.createClient({ ...options, maxRetries: 3 })],
    ["does not encode", "get: a slash in the identifier", (options) =>
      lib.createClient({ ...options, fetch: (url, init) => fetch(decodeURIComponent(url), init) })],
    ["invents an answer", "404 is NotFoundError", (options) => ({ ...lib.createClient(options), get: async () => ({}) as main.CompanyAnswer })],
  ])("catch a client that %s", async (_, name, createClient) => {
    const given = table.cases.find((known) => known.name === name);
    await expect(play({ ...lib, createClient }, table, given, played.url, false)).rejects.toThrow();
  });
});
