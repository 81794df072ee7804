// The console of the API page: forms made from the descriptions that the service serves.
const root = document.querySelector("[data-console]");
const say = root.dataset;
const make = (tag, values = {}, ...inside) => {
  const element = Object.assign(document.createElement(tag), values);
  element.append(...inside);
  return element;
};
const spoken = { "Accept-Language": document.documentElement.lang };
const documents = await Promise.all(say.console.split(" ").map(async (url) => (await fetch(url, { headers: spoken })).json()));
const operations = documents.flatMap((api) => Object.entries(api.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation }))));

const choice = make("select", { id: "console-operation" });
operations.forEach((operation, n) => choice.append(make("option", { value: n }, `${operation.method} ${operation.path}`)));
const form = make("form"), fields = make("div"), summary = make("p", { className: "soft" });
const command = make("code"), answer = make("code"), received = make("code"), status = make("p");
status.setAttribute("role", "status");

const field = (id, label, more, value = "") => {
  const input = make("input", { id, name: id, value, autocomplete: "off", spellcheck: false });
  return [make("div", { className: "field" }, make("label", { htmlFor: id }, label), input, make("p", { className: "small soft" }, more)), input];
};
let inputs = [], key, body;

const show = () => {
  const operation = operations[choice.value];
  summary.textContent = operation.summary;
  fields.replaceChildren();
  inputs = [];
  key = body = undefined;
  const kept = form.dataset.key || "";
  for (const parameter of operation.parameters || []) {
    if (parameter.in === "header") continue;
    const example = parameter.example ?? parameter.schema?.example ?? "";
    const [box, input] = field(`p-${parameter.name}`, parameter.name + (parameter.required ? ` (${say.required})` : ""), parameter.description || "", example);
    input.required = !!parameter.required;
    inputs.push({ parameter, input });
    fields.append(box);
  }
  if (operation.path.startsWith("/api/v1") || operation.path.startsWith("/api/subscriptions")) {
    const [box, input] = field("p-key", say.key, "pdr_live_…", kept);
    input.type = "password";
    key = input;
    fields.append(box);
  }
  const content = operation.requestBody?.content?.["application/json"];
  if (content) {
    body = make("textarea", { id: "p-body", rows: 4, value: JSON.stringify(content.example ?? {}, null, 1) });
    fields.append(make("div", { className: "field" }, make("label", { htmlFor: "p-body" }, say.body), body));
  }
  write();
};
const request = () => {
  const operation = operations[choice.value];
  let path = operation.path;
  const query = new URLSearchParams();
  for (const { parameter, input } of inputs) {
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
    else if (input.value) query.set(parameter.name, input.value);
  }
  const headers = { ...spoken };
  if (key?.value) Object.assign(headers, { Authorization: `Bearer ${key.value}`, apiKey: key.value });
  if (body) headers["Content-Type"] = "application/json";
  return { url: path + (query.size ? `?${query}` : ""), options: { method: operation.method, headers, body: body?.value, credentials: "omit" } };
};
// The request as a program sends it, without the key. A string of JSON is one of Python and of TypeScript too.
const text = JSON.stringify;
const samples = {
  curl: (method, url, headers, data) => `curl${method === "GET" ? "" : ` -X ${method}`}`
    + headers.map(([name, value]) => ` -H '${name}: ${value}'`).join("")
    + (data ? ` -d '${data.replaceAll("'", "'\\''")}'` : "") + ` '${url}'`,
  Python: (method, url, headers, data) => `import json\nfrom urllib.request import Request, urlopen\n\n`
    + `request = Request(\n    ${text(url)},\n    method=${text(method)},\n`
    + `    headers={${headers.map(([name, value]) => `${text(name)}: ${text(value)}`).join(", ")}},\n`
    + (data ? `    data=${text(data)}.encode(),\n` : "") + `)\nwith urlopen(request) as response:\n    print(json.load(response))`,
  TypeScript: (method, url, headers, data) => `const response = await fetch(${text(url)}, {\n  method: ${text(method)},\n`
    + `  headers: { ${headers.map(([name, value]) => `${text(name)}: ${text(value)}`).join(", ")} },\n`
    + (data ? `  body: ${text(data)},\n` : "") + `});\nconsole.log(response.status, await response.json());`,
};
const language = make("select", { id: "console-language" }, ...Object.keys(samples).map((name) => make("option", {}, name)));
const write = () => {
  const { url, options } = request();
  const hidden = { Authorization: "Bearer <API_KEY>", apiKey: "<API_KEY>" };
  const headers = Object.entries(options.headers).map(([name, value]) => [name, hidden[name] || value]);
  command.textContent = samples[language.value](options.method, location.origin + url, headers, options.body);
};
language.addEventListener("change", write);
form.addEventListener("input", () => { form.dataset.key = key?.value || form.dataset.key || ""; write(); });
choice.addEventListener("change", show);
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { url, options } = request();
  try {
    const response = await fetch(url, options), content = await response.text();
    status.textContent = `${response.status} · ${response.headers.get("content-type") || ""}`;
    received.textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    try { answer.textContent = JSON.stringify(JSON.parse(content), null, 2); } catch { answer.textContent = content; }
  } catch {
    status.textContent = say.failed;
  }
});
const scroll = (code, label) => {
  const box = make("pre", { tabIndex: 0 }, code);
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", label);
  return box;
};
form.append(make("div", { className: "field" }, make("label", { htmlFor: "console-operation" }, say.operation), choice), summary, fields, make("p", {}, make("button", {}, say.send)));
root.replaceChildren(form, make("h3", {}, say.command), make("div", { className: "field" }, make("label", { htmlFor: "console-language" }, say.language), language), scroll(command, say.command), make("h3", {}, say.answer), status, scroll(answer, say.answer), make("h3", {}, say.headers), scroll(received, say.headers));
show();
