// "@" and the first letters of a record's name: choose it, and the message carries it.

import { getText } from "./http.js";

const MENTION = /(?:^|\s)@([^\s@][^@\n]{0,39})$/u;
const TYPING_MS = 120;

export class Picker {
  constructor(text, { onPick }) {
    this.text = text;
    this.onPick = onPick;
    this.list = document.getElementById("picker");
    this.round = 0;
    text.addEventListener("input", () => this.look());
    text.addEventListener("blur", () => this.close());
    // Before the field loses its focus.
    this.list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.pick(event.target.closest("[data-ref]"));
    });
  }

  look() {
    clearTimeout(this.timer);
    const mention = MENTION.exec(this.text.value.slice(0, this.text.selectionStart));
    if (!mention) this.close();
    else this.timer = setTimeout(() => this.search(mention[1]), TYPING_MS);
  }

  async search(words) {
    const round = ++this.round;
    let html = "";
    try {
      html = await getText(`${this.list.dataset.href}?q=${encodeURIComponent(words)}`);
    } catch {
      // Nothing to choose from; the message can be written all the same.
    }
    if (round !== this.round) return;
    this.words = words;
    this.list.innerHTML = html;
    this.list.hidden = !this.list.querySelector("[data-ref]");
    this.select(0);
  }

  // True when the key was meant for the list.
  key(event) {
    if (this.list.hidden) return false;
    const options = [...this.list.querySelectorAll("[data-ref]")];
    switch (event.key) {
      case "ArrowDown": this.select((this.index + 1) % options.length); break;
      case "ArrowUp": this.select((this.index - 1 + options.length) % options.length); break;
      case "Enter":
      case "Tab": this.pick(options[this.index]); break;
      case "Escape": this.close(); break;
      default: return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  select(index) {
    this.index = index;
    const options = this.list.querySelectorAll("[data-ref]");
    options.forEach((option, position) => option.setAttribute("aria-selected", String(position === index)));
    if (options[index]) this.text.setAttribute("aria-activedescendant", options[index].id);
  }

  pick(option) {
    if (!option) return;
    const caret = this.text.selectionStart;
    const start = caret - this.words.length - 1;
    if (this.text.value[start] === "@") this.text.setRangeText(option.dataset.label, start, caret, "end");
    this.onPick(option.dataset.ref, option.dataset.label);
    this.close();
    this.text.dispatchEvent(new Event("input", { bubbles: true }));
  }

  close() {
    this.round += 1;
    clearTimeout(this.timer);
    this.list.hidden = true;
    this.list.replaceChildren();
    this.text.removeAttribute("aria-activedescendant");
  }
}
