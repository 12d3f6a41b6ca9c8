// The composer: Enter sends, the text stays until the server has it, the same text never makes two messages.

import { post } from "./http.js";
import { Picker } from "./picker.js";
import { Recipient } from "./recipient.js";

export class Composer {
  constructor(form, { announce, onSent, draft }) {
    this.form = form;
    this.announce = announce;
    this.onSent = onSent;
    this.draft = draft;
    this.text = form.elements.text;
    this.text.enterKeyHint = "send";
    this.button = form.querySelector(".composer-send");
    this.error = document.getElementById("composer-error");
    this.chips = document.getElementById("composer-chips");
    this.picker = new Picker(this.text, { announce, onPick: (ref, label) => this.addChip(ref, label, true) });
    this.recipient = new Recipient(form, { announce, onChange: () => this.settle() });
    this.text.addEventListener("keydown", (event) => this.key(event));
    this.leftOut = new Map();
    this.text.addEventListener("input", () => { this.settle(); this.followWords(); this.keep(); });
    form.addEventListener("submit", (event) => { event.preventDefault(); this.submit(event.submitter); });
    this.chips.addEventListener("click", (event) => this.removeChip(event));
    this.restore();
    this.settle();
  }

  keep() {
    const chips = this.chips.querySelectorAll("[data-chip]:has(input[name=ref])");
    const refs = Array.from(chips, (chip) => [...record(chip), "picked" in chip.dataset]);
    this.draft.keep({ text: this.text.value, refs, sent: this.sent });
  }

  // A record that was picked with "@" goes with the last of the text, and comes back with its name (undone, or pasted).
  // One that the page was opened for stays: no words of the text brought it.
  followWords() {
    const text = this.text.value;
    if (!text.trim()) {
      for (const chip of this.chips.querySelectorAll("[data-picked]")) {
        const [ref, label] = record(chip);
        this.leftOut.set(ref, label);
        chip.remove();
        this.announce(`${label} was left out with the text.`);
      }
    }
    for (const [ref, label] of this.leftOut) {
      if (!text.includes(label)) continue;
      this.addChip(ref, label, true);
      this.announce(`${label} is sent along again.`);
    }
  }

  restore() {
    const kept = this.draft.read();
    if (!kept || this.text.value) return;
    this.text.value = kept.text;
    this.text.setSelectionRange(kept.text.length, kept.text.length);
    for (const [ref, label, isPicked] of kept.refs) this.addChip(ref, label, isPicked);
    this.sent = kept.sent;
    if (kept.sent?.text === kept.text) this.form.elements.client_message_id.value = kept.sent.id;
    this.recipient.typed();
  }

  key(event) {
    // 229: an input method is composing, Enter belongs to it.
    if (this.picker.key(event)) return;
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (!this.button.disabled) this.submit();
  }

  settle() {
    this.button.disabled = this.sending || !this.text.value.trim();
    for (const button of this.recipient.buttons) button.disabled = this.button.disabled;
    if (CSS.supports("field-sizing", "content")) return;
    this.text.rows = Math.min(12, this.text.value.split("\n").length);
  }

  // ``choice`` is the button that names a recipient; without one the server finds it.
  async submit(choice = null) {
    if (this.sending || !this.text.value.trim()) return;
    const data = new FormData(this.form);
    if (choice?.name) data.set(choice.name, choice.value);
    this.sent = { id: data.get("client_message_id"), text: data.get("text") };
    this.keep();
    if (await this.send(data, () => this.draft.clear())) {
      this.sent = null;
      this.text.value = "";
      this.chips.replaceChildren();
      this.leftOut.clear();
      this.form.elements.client_message_id.value = newId();
      this.text.focus();
    }
    this.settle();
    this.recipient.typed();
  }

  // True when the server has kept the message.
  async send(data, onAccepted = () => {}) {
    this.sending = true;
    this.settle();
    this.complain("");
    try {
      const response = await post(this.form.action, data);
      onAccepted();
      await this.onSent(response);
      return true;
    } catch (error) {
      if (error.code === "already_sent") this.form.elements.client_message_id.value = newId();
      this.complain(error.message, error.way);
      return false;
    } finally {
      this.sending = false;
      this.settle();
    }
  }

  // An option of a question that was asked back, or the answer to a run: a message of its own.
  async sendQuickReply(form) {
    const buttons = (form.closest(".options") ?? form).querySelectorAll("button:enabled");
    for (const button of buttons) button.disabled = true;
    if (!(await this.send(new FormData(form)))) for (const button of buttons) button.disabled = false;
    this.text.focus();
  }

  // A suggested question goes off at once, with what is chosen; what is being written stays.
  async ask(text) {
    if (this.sending) return;
    const data = new FormData(this.form);
    data.set("text", text);
    data.set("client_message_id", (this.askedId ??= newId()));
    if ((await this.send(data)) && !this.text.value.trim()) this.chips.replaceChildren();
    this.text.focus();
  }

  // ``way`` is where to go on from here, where trying again does not help.
  complain(words, way = null) {
    this.error.textContent = way ? `${words} What you wrote is kept. ` : words;
    if (way) this.error.append(Object.assign(document.createElement("a"), { href: way.href, textContent: way.words }));
    this.error.hidden = !words;
  }

  addChip(ref, label, isPicked) {
    this.leftOut.delete(ref);
    if (this.chips.querySelector(`input[value="${CSS.escape(ref)}"]`)) return;
    const chip = document.getElementById("chip-template").content.firstElementChild.cloneNode(true);
    chip.querySelector(".truncate").textContent = label;
    chip.querySelector("input").value = ref;
    chip.querySelector("button").setAttribute("aria-label", `Leave out ${label}`);
    if (isPicked) chip.dataset.picked = "";
    this.chips.append(chip);
    this.keep();
  }

  removeChip(event) {
    const remove = event.target.closest("[data-chip-remove]");
    if (!remove) return;
    remove.closest("[data-chip]").remove();
    this.keep();
    this.text.focus();
  }
}

function record(chip) {
  return [chip.querySelector("input").value, chip.querySelector(".truncate").textContent];
}

function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // plain http away from localhost
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
