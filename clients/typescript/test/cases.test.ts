import { afterAll, beforeAll, describe, test } from "vitest";
import table from "../../cases.json";
import * as lib from "../src";
import { stage } from "./stage.mjs";
import { play } from "./suite.mjs";

let played: Awaited<ReturnType<typeof stage>>;
beforeAll(async () => {
  played = await stage();
});
afterAll(() => played.close());

describe("the cases that both libraries share", () => {
  test.each(table.cases)("$name", (given) => play(lib, table, given, played.url, false));
});
