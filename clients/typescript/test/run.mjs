// Runs the suite in Node, Deno or Bun against the built library. Usage: run.mjs '{"stage": …, "base": …, "key": …, "limited": …}'
import process from "node:process";
import { readFileSync } from "node:fs";
import * as main from "../dist/index.js";
import * as files from "../dist/files.js";
import * as watchlists from "../dist/watchlists.js";
import { everything } from "./suite.mjs";

const table = JSON.parse(readFileSync(new URL("../../cases.json", import.meta.url), "utf8"));
const found = await everything({ ...main, ...files, ...watchlists }, table, JSON.parse(process.argv[2]));
console.log(JSON.stringify(found));
