// Links in mails carry their code behind the #, which browsers send to nobody: here it goes into its field.
const form = document.querySelector("[data-token]");
const token = new URLSearchParams(location.hash.slice(1)).get("token");
if (form && token) {
  const field = form.elements.token;
  field.value = token;
  field.closest(".field").hidden = true;
  form.elements.password.focus();
  history.replaceState(null, "", location.pathname);
}

// Who is signed in, for the header of the public pages, which are the same for everybody: a mark in this browser alone.
const leaving = document.querySelector("[data-log-out]");
try {
  if (leaving) localStorage.setItem("account", "open");
  else localStorage.removeItem("account");
  leaving?.addEventListener("submit", () => localStorage.removeItem("account"));
} catch { /* the header says "Account" */ }
