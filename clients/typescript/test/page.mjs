// Runs the suite in a page or a worker, and reports to the stage that serves it.
import * as main from "./index.js";
import * as files from "./files.js";
import * as watchlists from "./watchlists.js";
import { everything } from "./suite.mjs";

const given = JSON.parse(decodeURIComponent(location.hash.slice(1)));
const table = await (await fetch("cases.json")).json();
const found = await everything({ ...main, ...files, ...watchlists }, table, { ...given, browser: true });
const where = `${navigator.userAgent} ${globalThis.constructor.name}`;
await fetch("/report", { method: "POST", body: JSON.stringify({ ...found, where }) });
