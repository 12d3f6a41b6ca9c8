// The list of chats: searched while typing, fetched again when a chat begins or changes its name.

import { getText } from "./http.js";

const TYPING_MS = 180;

export class ConversationList {
  constructor(url) {
    this.url = url;
    this.root = document.getElementById("conversations");
    this.input = document.querySelector("[data-search-list]");
    this.round = 0;
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.refresh(), TYPING_MS);
    });
    this.input.form.addEventListener("submit", (event) => { event.preventDefault(); this.refresh(); });
  }

  async refresh() {
    const round = ++this.round;
    try {
      const html = await getText(`${this.url}?q=${encodeURIComponent(this.input.value)}`);
      if (round !== this.round) return; // a newer search is on its way
      this.root.innerHTML = html;
      this.mark();
    } catch {
      // The list stays as it is; nothing depends on it.
    }
  }

  mark(conversation = document.getElementById("chat").dataset.conversation) {
    for (const link of this.root.querySelectorAll("[data-conversation-link]")) {
      if (link.dataset.conversationLink === conversation) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
}
