/**
 * A server that plays the exchanges of a case and keeps what was asked of it; pages may call it from anywhere.
 *
 *     POST /script {exchanges}   → {id}, and from then on /s/{id}/… answers with one exchange after the other
 *     GET  /script/{id}          → the requests that came, as they stood on the wire
 *     POST /pay {url}            the buyer: pays at a checkout of the sandbox
 *     GET  /files/page.html      a page that runs the suite
 *     POST /report               what it found
 *
 * Alone: `node stage.mjs` prints its address, then each report, a line each; it ends with its standard input.
 */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

const CLIENT = new URL("../", import.meta.url);
const FILES = {
  "/files/cases.json": new URL("../cases.json", CLIENT),
  "/files/files.js": new URL("dist/files.js", CLIENT),
  "/files/index.js": new URL("dist/index.js", CLIENT),
  "/files/page.html": new URL("test/page.html", CLIENT),
  "/files/page.mjs": new URL("test/page.mjs", CLIENT),
  "/files/shapes.js": new URL("dist/shapes.js", CLIENT),
  "/files/suite.mjs": new URL("test/suite.mjs", CLIENT),
  "/files/watchlists.js": new URL("dist/watchlists.js", CLIENT),
};
const TYPES = { html: "text/html; charset=utf-8", json: "application/json", js: "text/javascript", mjs: "text/javascript" };
/** As the service itself has them. A kept-alive connection that ends is used anew by browsers, which would hide failures. */
const COMMON = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "RateLimit, RateLimit-Policy, Retry-After, ETag, X-Request-Id",
  Connection: "close",
};
const PREFLIGHT = {
  "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS, POST, PATCH, DELETE",
  "Access-Control-Allow-Headers": "Authorization, apiKey, Content-Type, Idempotency-Key, If-None-Match, User-Agent",
};

/** Begin to serve: the address, and what ends it. `told` hears of each report. */
export async function stage(told = () => {}) {
  const scripts = [];

  async function handle(request, response) {
    const url = request.url;
    const send = (status, body, headers = {}) => response.writeHead(status, { ...COMMON, ...headers }).end(body);
    const chunks = await Array.fromAsync(request);
    const body = Buffer.concat(chunks).toString();
    if (request.method === "OPTIONS") return send(204, undefined, PREFLIGHT);
    const [file] = url.split("?");
    if (file in FILES) return send(200, await readFile(FILES[file]), { "Content-Type": TYPES[file.split(".").at(-1)] });
    if (url === "/script") return send(200, JSON.stringify({ id: scripts.push({ ...JSON.parse(body), asked: [] }) - 1 }));
    if (url.startsWith("/script/")) return send(200, JSON.stringify(scripts[url.split("/")[2]].asked));
    if (url === "/pay") {
      const paid = await fetch(JSON.parse(body).url, { method: "POST", body: new URLSearchParams({ move: "complete" }) });
      return send(paid.status);
    }
    if (url === "/report") {
      told(body);
      return send(204);
    }
    const [, id, rest] = /^\/s\/(\d+)(\/.*)$/.exec(url) ?? [];
    if (id === undefined) return send(404);
    const script = scripts[id];
    const [path, query = ""] = rest.split("?");
    const exchange = script.exchanges[script.asked.length];
    script.asked.push({ method: request.method, path, query, headers: request.headers, body });
    return exchange ? play(exchange, request, response) : send(418);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error) => response.writeHead(500, COMMON).end(String(error)));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Answer as an exchange says, or fail as it says. */
function play({ response: answer, failure, whole }, request, response) {
  if (failure === "timeout") return;
  if (failure === "refused") {
    request.socket.resetAndDestroy();
  } else if (failure) {
    const bytes = Buffer.from(whole);
    response.writeHead(200, { ...COMMON, "Content-Type": "application/json", "Content-Length": bytes.length });
    response.write(bytes.subarray(0, bytes.length / 2), () => failure === "cut" && request.socket.destroy());
  } else {
    const { status, headers, json, text, bytesBase64 } = answer;
    const bytes = bytesBase64 ? Buffer.from(bytesBase64, "base64") : Buffer.from(text ?? JSON.stringify(json));
    response.writeHead(status, { ...COMMON, ...headers }).end(bytes);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await stage(console.log);
  console.log(url);
  process.stdin.resume().on("end", () => process.exit());
}
