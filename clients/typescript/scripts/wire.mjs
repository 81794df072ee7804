// Writes src/wire.ts: what the methods take and answer, as types, from the descriptions that a service serves.
// They are asked for in English, as the code is.
// Usage: node scripts/wire.mjs BASE
import openapiTS, { astToString } from "openapi-typescript";

const ROOTS = [
  ...["V1Answer", "V1Entity", "Financials", "Coverage", "CheckoutShown", "V1Usage", "Changes", "ListMatches", "ListRow", "Problem"],
  ...["WatchlistList", "WatchlistContent", "WatchlistChanged", "CompanyToWatch", "SearchToSave"],
  ...["WebhookList", "WebhookMade", "WebhookContent"],
];

const [base] = process.argv.slice(2);
const [open, v1] = await Promise.all(
  ["/api/public/openapi.json", "/api/v1/openapi.json"].map(async (path) => {
    const response = await fetch(base + path, { headers: { "Accept-Language": "en" } });
    return response.json();
  }),
);
// A schema that both describe is the one of v1: there a problem may have any code.
const known = { ...open.components.schemas, ...v1.components.schemas };
const schemas = {};
for (const queue = [...ROOTS]; queue.length > 0; ) {
  const name = queue.shift();
  if (name in schemas) continue;
  schemas[name] = known[name];
  for (const [, other] of JSON.stringify(known[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g)) queue.push(other);
}
// What may be null, and what has a schema of its own, is described there; its reader looks at the member.
for (const schema of Object.values(schemas)) {
  delete schema.title;
  for (const member of Object.values(schema.properties ?? {})) {
    const [kind] = [...(member.anyOf ?? []), member.items ?? member];
    member.description ??= (kind.$ref ? known[kind.$ref.split("/").at(-1)] : kind).description;
  }
}
const nodes = await openapiTS(
  { openapi: v1.openapi, info: { title: "Padrón", version: "1" }, paths: {}, components: { schemas } },
  { exportType: true },
);
const text = astToString(nodes.filter((node) => node.name?.text === "components"));
process.stdout.write(`// Generated from the OpenAPI descriptions that the service serves: npm run wire

${text.replaceAll("@description ", "")}`);
