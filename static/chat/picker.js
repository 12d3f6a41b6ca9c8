// "@" and the first letters of a record's name: choose it, and the message carries it.

import { getText } from "./http.js";

const MENTION = /(?:^|[\s(\[“"])@([^\s@][^@\n]{0,39})$/u;
// Who goes on writing after an "@" that names nothing is not told so at each word.
const WORDS_OF_A_NAME = 3;
const TYPING_MS = 120;

export class Picker {
  constructor(text, { announce, onPick }) {
    this.text = text;
    this.announce = announce;
    this.onPick = onPick;
    this.list = document.getElementById("picker");
    this.round = 0;
    text.setAttribute("aria-autocomplete", "list");
    text.setAttribute("aria-controls", this.list.id);
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
    const none = this.list.querySelector(".picker-none");
    this.list.hidden = none ? words.trim().split(/\s+/).length > WORDS_OF_A_NAME : !this.options.length;
    this.select(0);
    if (none && !this.list.hidden) this.announce(none.textContent);
  }

  get options() {
    return [...this.list.querySelectorAll("[data-ref]")];
  }

  // True when the key was meant for the list.
  key(event) {
    if (this.list.hidden) return false;
    const options = this.options;
    if (!options.length && event.key !== "Escape") return false;
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
    const options = this.options;
    options.forEach((option, position) => option.setAttribute("aria-selected", String(position === index)));
    if (options[index]) this.text.setAttribute("aria-activedescendant", options[index].id);
    else this.text.removeAttribute("aria-activedescendant");
  }

  pick(option) {
    if (!option) return;
    const caret = this.text.selectionStart;
    const start = caret - this.words.length - 1;
    const { value } = this.text;
    const gap = /\s/.test(value[caret] ?? "") ? "" : " ";
    if (value[start] === "@") this.text.setRangeText(option.dataset.label + gap, start, caret, "end");
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
