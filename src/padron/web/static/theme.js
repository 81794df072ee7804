// Before the page is drawn: the light the reader chose last time.
try {
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing follows its system.
}
