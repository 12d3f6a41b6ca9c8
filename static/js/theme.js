// Runs before the first paint, so that a remembered theme never flashes the other one.
(() => {
  const root = document.documentElement;
  const read = () => {
    try { return localStorage.getItem("theme"); } catch { return null; }
  };
  const remember = (theme) => {
    try { localStorage.setItem("theme", theme); } catch { /* private mode: lasts for this page */ }
  };
  const apply = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  const shown = () => root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

  apply(read());
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-toggle]")) return;
    const next = shown() === "dark" ? "light" : "dark";
    apply(next);
    remember(next);
  });
})();
