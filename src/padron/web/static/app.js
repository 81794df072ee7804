// What makes the pages better with JavaScript; without it they work all the same.

// Light and dark: one button that turns to the other, remembered.
const themes = document.querySelector("[data-theme-button]");
if (themes) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const now = () => document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
  const show = () => themes.setAttribute("aria-pressed", String(now() === "dark"));
  themes.hidden = false;
  show();
  themes.addEventListener("click", () => {
    const theme = now() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    try { localStorage.setItem("theme", theme); } catch { /* kept for this page only */ }
    show();
  });
}

// The account of whoever is signed in.
try {
  const own = document.querySelector("[data-own]");
  if (own && localStorage.getItem("account")) own.textContent = own.dataset.own;
} catch { /* a browser that keeps nothing */ }

// Copy buttons: the text of the element they name.
for (const button of document.querySelectorAll("[data-copy]")) {
  const text = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const from = document.getElementById(button.dataset.copy);
    await navigator.clipboard.writeText(from.dataset.value || from.textContent.trim());
    button.textContent = button.dataset.done;
    setTimeout(() => { button.textContent = text; }, 2000);
  });
}

// `name` in `element`, with the letters bold that begin a word as one of `words` does.
const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const embolden = (element, name, words) => {
  for (const part of name.split(/([^\p{L}\p{N}]+)/u)) {
    const typed = words.find((word) => folded(part).startsWith(word)), letters = typed ? typed.length : 0;
    if (letters) element.append(Object.assign(document.createElement("b"), { textContent: part.slice(0, letters) }));
    element.append(part.slice(letters));
  }
};

// Suggestions while typing: the WAI-ARIA combobox with a list.
for (const input of document.querySelectorAll("[data-suggest]")) {
  const form = input.form;
  const list = form.querySelector("[role=listbox]");
  const status = form.querySelector("[role=status]");
  let companies = [], at = -1, asked = "", waiting, asking;

  const close = () => {
    list.hidden = true;
    at = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  // The list no longer changes once the reader chooses from it or has closed it: an answer still on its way is dropped.
  const settle = () => { clearTimeout(waiting); asking?.abort(); };
  const point = (to) => {
    settle();
    at = to;
    [...list.children].forEach((item, n) => item.setAttribute("aria-selected", String(n === at)));
    if (at < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", list.children[at].id);
  };
  const show = () => {
    const words = folded(input.value).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
    const all = { name: input.dataset.all, facts: [], url: `${form.action}?${asked}` };
    list.replaceChildren(...(companies.length ? [...companies, all] : []).map((company, n) => {
      const item = document.createElement("li"), name = document.createElement("bdi"), more = document.createElement("span");
      item.id = `${list.id}-${n}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      embolden(name, company.name, company === all ? [] : words);
      more.textContent = company.facts.join(" · ");
      item.className = company === all ? "all" : "";
      item.dataset.url = company.url;
      item.append(name, more);
      item.addEventListener("mousedown", (event) => { event.preventDefault(); location.href = company.url; });
      return item;
    }));
    list.hidden = !companies.length;
    input.setAttribute("aria-expanded", String(!!companies.length));
    status.textContent = companies.length ? (companies.length === 1 ? input.dataset.one : input.dataset.many).replace("{n}", companies.length) : input.dataset.none;
    at = -1;
  };
  const ask = async () => {
    const q = input.value.trim();
    asking?.abort();
    if (q.length < 2) { companies = []; status.textContent = ""; close(); return; }
    asking = new AbortController();
    const query = new URLSearchParams({ q });
    const country = form.elements.country?.value;
    if (country) query.set("country", country);
    try {
      const answer = await fetch(`${input.dataset.suggest}?${query}`, { signal: asking.signal });
      if (!answer.ok) return;
      companies = (await answer.json()).companies;
      asked = query;
      if (document.activeElement === input) show();
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
  };
  input.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(ask, 120); });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const last = companies.length ? companies.length : -1;
    if (event.key === "Escape" && !list.hidden) { settle(); close(); event.preventDefault(); }
    else if (event.key === "ArrowDown" && last >= 0) { if (list.hidden) show(); point(at < last ? at + 1 : 0); event.preventDefault(); }
    else if (event.key === "ArrowUp" && last >= 0) { if (list.hidden) show(); point(at > 0 ? at - 1 : last); event.preventDefault(); }
    else if (event.key === "Enter" && !list.hidden && at >= 0) { location.href = list.children[at].dataset.url; event.preventDefault(); }
  });
}
