// Runs before the first paint, so that a dark page never flashes white. A file of its own: inline scripts are refused.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("pinakes.scheme");
  } catch {
    // Storage may be switched off; the system's scheme is used then.
  }
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
