// Runs the suite in Node, Deno or Bun against the built library. Usage: run.mjs '{"stage": …, "base": …, "key": …, "limited": …}'
import process from "node:process";
import { readFileSync } from "node:fs";
import * as lib from "../dist/index.js";
import { everything } from "./suite.mjs";

const table = JSON.parse(readFileSync(new URL("../../cases.json", import.meta.url), "utf8"));
const found = await everything(lib, table, JSON.parse(process.argv[2]));
console.log(JSON.stringify(found));
