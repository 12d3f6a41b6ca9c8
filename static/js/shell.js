// The drawer on small screens, menus that close when one clicks elsewhere or presses Escape, and links that act as buttons.

const sidebar = document.getElementById("sidebar");
const opener = document.querySelector("[data-sidebar-open]");
const behind = document.querySelectorAll(".topbar, .main");

// What lies behind the shade cannot be reached while the drawer is open, also not by Tab.
function setDrawer(open) {
  sidebar.classList.toggle("is-open", open);
  opener.setAttribute("aria-expanded", String(open));
  for (const part of behind) part.inert = open;
  if (open) sidebar.querySelector("a, button, input")?.focus();
  else opener.focus();
}

if (sidebar && opener) {
  opener.addEventListener("click", (event) => { event.preventDefault(); setDrawer(true); });
  for (const closer of document.querySelectorAll("[data-sidebar-close]")) {
    closer.addEventListener("click", (event) => { event.preventDefault(); setDrawer(false); });
  }
  // A screen that was turned is wide enough for no drawer.
  addEventListener("resize", () => {
    if (sidebar.classList.contains("is-open") && getComputedStyle(opener.parentElement).display === "none") setDrawer(false);
  });
}

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

// Who logs out leaves no half-written message behind in this tab.
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-log-out]")) return;
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith("draft:")) sessionStorage.removeItem(key);
  } catch {
    // No storage, no drafts.
  }
});

// A button is pressed by Space too; a link alone is not.
document.addEventListener("keydown", (event) => {
  if (event.key !== " " || event.repeat || !event.target.matches("a[role=button]")) return;
  event.preventDefault();
  event.target.click();
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || document.querySelector("dialog[open]")) return; // a dialog closes first, by itself
  const menu = document.querySelector("details.menu[open]");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  } else if (sidebar?.classList.contains("is-open")) {
    setDrawer(false);
  }
});
