import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import table from "../../cases.json";
import { validateIdentifier } from "../src/identifiers";

const MOST = 5_000;

test.each(table.validations)("$country $value", ({ country, value, valid, code, readings }) => {
  expect(validateIdentifier(country, value)).toEqual({ valid, code, readings });
});

test("a country without registers is a wrong argument", () => {
  expect(() => validateIdentifier("ZZ", "1")).toThrow(/^country must be one of [A-Z]{2}(, [A-Z]{2})+$/);
  expect(() => validateIdentifier("toString", "1")).toThrow(TypeError);
});

test("it is at most 5 kB, minified and compressed, beside the client", async () => {
  const bundle = await rolldown({ input: new URL("../src/identifiers.ts", import.meta.url).pathname, platform: "browser" });
  const { output } = await bundle.generate({ minify: true });
  expect(gzipSync(output[0].code).length).toBeLessThanOrEqual(MOST);
  expect(output[0].code).not.toContain("/api/v1");
});
