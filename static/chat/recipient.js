// To whom the composer's text goes while a run waits for an answer: the server's guess, asked anew as the text changes.

import { post } from "./http.js";

const TYPING_MS = 300;

export class Recipient {
  constructor(form, { announce, onChange }) {
    this.form = form;
    this.announce = announce;
    this.onChange = onChange;
    this.row = document.getElementById("composer-recipient");
    this.asked = 0;
    form.elements.text.addEventListener("input", () => this.typed());
  }

  // The chat has begun: from now on its runs may ask.
  moveTo(url) {
    this.row.dataset.url = url;
  }

  get buttons() {
    return this.row.querySelectorAll("button");
  }

  typed() {
    clearTimeout(this.timer);
    if (this.row.firstElementChild) this.timer = setTimeout(() => this.refresh(), TYPING_MS);
  }

  // Of several answers on their way only the newest is shown.
  async refresh() {
    clearTimeout(this.timer);
    if (!this.row.dataset.url) return;
    this.asked += 1;
    const asked = this.asked;
    const data = new FormData();
    data.set("text", this.form.elements.text.value.slice(0, 8000));
    for (const ref of new FormData(this.form).getAll("ref")) data.append("ref", ref);
    try {
      const html = await (await post(this.row.dataset.url, data)).text();
      if (asked === this.asked) this.put(html.trim());
    } catch {
      // The message goes where the server finds that it belongs; the next change asks again.
    }
  }

  put(html) {
    const fresh = document.createElement("div");
    fresh.innerHTML = html;
    if (looks(fresh) === looks(this.row)) return;
    const had = words(this.row);
    const hadFocus = this.row.contains(document.activeElement);
    this.row.replaceChildren(...fresh.childNodes);
    if (hadFocus) this.form.elements.text.focus({ preventScroll: true });
    if (words(this.row) && words(this.row) !== had) this.announce(words(this.row));
    this.onChange();
  }
}

function words(row) {
  return row.querySelector(".recipient-words")?.innerText.trim() ?? "";
}

function looks(row) {
  return row.innerHTML.replace(/ disabled(="")?/g, "").trim();
}
