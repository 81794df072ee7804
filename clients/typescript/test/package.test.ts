import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { Application, LogLevel } from "typedoc";
import { expect, onTestFinished, test } from "vitest";
import manifest from "../package.json";

const CLIENT = fileURLToPath(new URL("..", import.meta.url));
const MOST = 5_000;

/** A folder that goes when the test ends. */
async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "padron-client-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** What a bundler makes of a program that imports the library. */
async function bundled(program: string): Promise<string> {
  const folder = await scratch();
  await writeFile(join(folder, "main.js"), program.replace("@padron/client", join(CLIENT, "src/index.ts")));
  const bundle = await rolldown({ input: join(folder, "main.js"), platform: "browser" });
  const { output } = await bundle.generate({ minify: true });
  return output[0].code;
}

test("the whole library is at most 5 kB, minified and compressed", async () => {
  const code = await bundled('export * from "@padron/client"');
  const size = gzipSync(code).length;
  expect(code).toContain("/api/v1/search");
  expect(size).toBeLessThanOrEqual(MOST);
  const kilobytes = (size / 1000).toFixed(1);
  expect(await readFile(join(CLIENT, "README.md"), "utf8")).toContain(`${kilobytes} kB minified`);
  expect(await readFile(join(CLIENT, "README.es.md"), "utf8")).toContain(`${kilobytes.replace(".", ",")} kB minificada`);
});

test("watchlists, webhooks and files are no part of what does not import them", async () => {
  expect(await bundled('export * from "@padron/client"')).not.toMatch(/api.v1.watchlists|text.csv|catalogue/);
});

test("what is not used is not bundled", async () => {
  expect(await bundled('import "@padron/client"')).toBe("");
  const error = await bundled('export { NotFoundError } from "@padron/client"');
  expect(error).toContain("NotFoundError");
  expect(error).not.toMatch(/fetch|setTimeout|RateLimitError/);
});

test("nothing is needed at run time, and what is published is declared", () => {
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual(["devDependencies"]);
  expect(manifest).toMatchObject({
    name: "@padron/client",
    type: "module",
    sideEffects: false,
    files: ["dist", "files", "identifiers", "watchlists"],
    publishConfig: { access: "public" },
  });
});

test("the source uses nothing that only one runtime has", async () => {
  for (const name of ["client", "errors", "files", "index", "pace", "paths", "send", "shapes", "types", "watchlists"]) {
    const text = await readFile(join(CLIENT, "src", `${name}.ts`), "utf8");
    // A global that a runtime may lack is asked for as a member of the global object.
    const code = text.replace(/\/\*\*[\s\S]*?\*\//g, "").replace("{ process } = globalThis", "").replace("process?: {", "").replace("process?.env", "");
    expect(code, name).not.toMatch(/from "node:|\bprocess\b|\bBuffer\b|\brequire\(|\bwindow\b|\bdocument\b|\bDeno\b|\bBun\b/);
  }
});

/** What typedoc finds undocumented or dangling in a copy of the library, after `change`. */
async function undocumented(change: (text: string) => string): Promise<string[]> {
  const folder = await scratch();
  for (const name of ["src", "package.json", "tsconfig.json"]) await cp(join(CLIENT, name), join(folder, name), { recursive: true });
  await symlink(join(CLIENT, "node_modules"), join(folder, "node_modules"));
  for (const name of ["client.ts", "types.ts", "errors.ts", "files.ts", "watchlists.ts"]) {
    const path = join(folder, "src", name);
    await writeFile(path, change(await readFile(path, "utf8")));
  }
  const app = await Application.bootstrap({
    entryPoints: ["index.ts", "files.ts", "watchlists.ts"].map((name) => join(folder, "src", name)),
    tsconfig: join(folder, "tsconfig.json"),
    validation: { notDocumented: true, invalidLink: true, notExported: true },
    requiredToBeDocumented: ["Class", "Interface", "TypeAlias", "Function", "Method", "Property", "Accessor", "Constructor", "Variable"],
    packagesRequiringDocumentation: ["@padron/client"],
    intentionallyNotExported: ["Schemas"],
    disableSources: true,
  });
  const warnings: string[] = [];
  app.logger.log = (message: string, level: LogLevel) => void (level >= LogLevel.Warn && warnings.push(message));
  const project = await app.convert();
  if (project) app.validate(project);
  return warnings;
}

test("everything public is documented", async () => {
  expect(await undocumented((text) => text)).toEqual([]);
  const planted = await undocumented((text) => text.replace(/\/\*\* (The plan to buy|Seconds to wait)[^/]*\*\//, ""));
  expect(planted.join("\n")).toMatch(/planId[\s\S]*retryAfter|retryAfter[\s\S]*planId/);
});
