// One run of clients_typescript.py: the library and bare fetch in turn, against the same address. Prints medians as JSON.
import { createClient } from "../clients/typescript/dist/index.js";

const WARM = 200;
const CALLS = 2_000;
const [base, key] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}`, apiKey: key, Accept: "application/json" };
const padron = createClient({ apiKey: key, baseUrl: base });

const acts = {
  client: () => padron.get("BR", "33000167000101"),
  bare: async () => (await fetch(`${base}/api/v1/entities/BR/33000167000101`, { headers })).json(),
};
const times = { client: [], bare: [] };
for (let call = 0; call < WARM + CALLS; call++) {
  for (const [name, act] of Object.entries(acts)) {
    const started = performance.now();
    const { entity } = await act();
    times[name].push((performance.now() - started) * 1000);
    if (entity.identifier !== "33000167000101") throw new Error(`${name}: ${entity.identifier}`);
  }
}
const median = (all) => all.slice(WARM).sort((a, b) => a - b)[CALLS / 2];
const [ours, bare] = [median(times.client), median(times.bare)];
console.log(
  JSON.stringify({ client_p50_us: Math.round(ours), bare_p50_us: Math.round(bare), ratio: Number((ours / bare).toFixed(3)) }),
);
