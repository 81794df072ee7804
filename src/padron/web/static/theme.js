// Before the page is drawn: the place of the button that JavaScript needs, and the light the reader chose last time.
document.documentElement.dataset.scripted = "";
try {
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing follows its system.
}
