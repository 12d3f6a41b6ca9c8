// Links with data-dialog open their page's partial over the chat, and get the focus back.

import { twin } from "./focus.js";
import { getText } from "./http.js";

export function openDialogs({ onError, onExchangeForm }) {
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-dialog]");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    const dialog = document.getElementById(link.dataset.dialog);
    try {
      dialog.innerHTML = await getText(link.href);
    } catch (error) {
      onError(error.message, error.way);
      return;
    }
    const heading = dialog.querySelector("h2");
    if (heading) dialog.setAttribute("aria-label", heading.textContent.trim());
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    dialog.addEventListener("close", () => returnFocus(dialog, link), { once: true });
  });

  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => {
      // A click on the backdrop reaches the dialog itself.
      if (event.target === dialog || event.target.closest("[data-close]")) dialog.close();
    });
    dialog.addEventListener("submit", async (event) => {
      const form = event.target.closest("form[data-exchange-form]");
      if (!form) return;
      event.preventDefault();
      if (await onExchangeForm(form)) dialog.close();
    });
  }
}

// The browser gives the focus back by itself, unless the exchange was rendered anew while the dialog was open. Since then
// the person may have gone on: this is heard a moment after the dialog has closed.
function returnFocus(dialog, link) {
  const focused = document.activeElement;
  if (focused && focused !== document.body && !dialog.contains(focused)) return;
  (link.isConnected ? link : twin(link))?.focus({ preventScroll: true });
}
