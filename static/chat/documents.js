// The documents a chat reads: chosen in a dialog, dropped as files, shown as chips that follow their state.

import { getText, post } from "./http.js";

const POLL_MS = 1500;
const TYPING_MS = 180;

export class Documents {
  constructor({ announce, onError }) {
    this.announce = announce;
    this.onError = onError;
    this.row = document.getElementById("composer-documents");
    this.link = document.getElementById("composer-attach");
    this.box = this.row.closest(".composer-box");
    this.queue = Promise.resolve();
    this.row.addEventListener("click", (event) => this.remove(event));
    this.followDialog(document.getElementById("dialog"));
    this.followDrops(document.getElementById("chat"));
    this.update();
    setInterval(() => {
      if (!document.hidden && this.row.querySelector("[data-in-progress]")) this.refresh();
    }, POLL_MS);
  }

  get url() {
    return this.row.dataset.url;
  }

  ids() {
    return [...this.row.querySelectorAll("[data-document]")].map((chip) => chip.dataset.document);
  }

  // The chat has begun: from now on the choice is the conversation's.
  moveTo(url) {
    this.row.dataset.url = url;
    this.update();
    this.refresh();
  }

  // Without a conversation only the page knows the choice, and hands it to the dialog.
  update() {
    this.link.href = `${this.url}?${this.query({})}`;
  }

  query(more) {
    const words = new URLSearchParams({ chosen: "1", ...more });
    for (const id of this.ids()) words.append("document", id);
    return words;
  }

  async refresh() {
    const url = this.url;
    const isOwn = url !== "/chat/documents/";
    try {
      const html = await getText(isOwn ? `${url}?part=chips` : `${url}?${this.query({ part: "chips" })}`);
      if (url === this.url) this.show(html);
    } catch {
      // The chips stay as they are; the next round asks again.
    }
  }

  show(html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    const before = new Map([...this.row.querySelectorAll("[data-document]")].map((chip) => [chip.dataset.document, chip.dataset.state]));
    const focused = this.row.contains(document.activeElement) ? document.activeElement.value : null;
    const waiting = this.row.querySelectorAll("[data-upload]");
    this.row.replaceChildren(...template.content.childNodes, ...waiting);
    if (focused) (this.row.querySelector(`button[value="${CSS.escape(focused)}"]`) ?? this.link).focus();
    for (const chip of this.row.querySelectorAll("[data-document]")) this.tell(chip, before.get(chip.dataset.document));
    this.update();
  }

  // Only the end of an upload is news to somebody who cannot see the chip.
  tell({ dataset: { state, title } }, before) {
    if (!before || before === state) return;
    if (state === "ready") this.announce(`${title} is ready.`);
    if (state === "failed") this.announce(`${title} could not be read.`);
  }

  remove(event) {
    const button = event.target.closest("[data-document-remove]");
    if (!button) return;
    event.preventDefault();
    const body = new FormData();
    for (const id of this.ids()) body.append("document", id);
    body.append("remove", button.value);
    this.send(body);
  }

  followDialog(dialog) {
    dialog.addEventListener("submit", async (event) => {
      const form = event.target.closest("[data-documents-form]");
      if (!form) return;
      event.preventDefault();
      form.querySelector(".button-primary").disabled = true;
      dialog.close();
      const files = form.elements.file.files;
      if (files.length) this.announce("Uploading.");
      await this.send(new FormData(form));
    });
    dialog.addEventListener("input", (event) => {
      const field = event.target.closest("[data-document-search]");
      if (!field) return;
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.search(field.form), TYPING_MS);
    });
    dialog.addEventListener("keydown", (event) => {
      // Enter in the search field searches; it does not choose.
      if (event.key !== "Enter" || !event.target.closest("[data-document-search]")) return;
      event.preventDefault();
      this.search(event.target.form);
    });
  }

  async search(form) {
    const words = new URLSearchParams({ chosen: "1", part: "options", q: form.elements.q.value });
    for (const box of form.querySelectorAll("input[name=document]:checked")) words.append("document", box.value);
    const round = (this.round = (this.round ?? 0) + 1);
    try {
      const html = await getText(`${form.action}?${words}`);
      if (round === this.round) form.querySelector("[data-document-options]").innerHTML = html;
    } catch (error) {
      this.onError(error.message, error.way);
    }
  }

  followDrops(area) {
    for (const type of ["dragenter", "dragover"]) area.addEventListener(type, (event) => this.drag(event, true));
    area.addEventListener("dragleave", (event) => this.drag(event, false));
    area.addEventListener("drop", (event) => {
      if (!this.drag(event, false)) return;
      for (const file of event.dataTransfer.files) this.upload(file);
    });
  }

  // Text that is dragged is none of ours.
  drag(event, over) {
    if (!event.dataTransfer?.types.includes("Files")) return false;
    event.preventDefault();
    this.box.classList.toggle("is-over", over);
    return true;
  }

  upload(file) {
    this.announce(`Uploading ${file.name}.`);
    this.send(() => {
      const body = new FormData();
      for (const id of this.ids()) body.append("document", id);
      body.append("file", file);
      return body;
    });
  }

  // One after the other: each answer holds the whole choice.
  send(body) {
    this.queue = this.queue.then(() => this.deliver(typeof body === "function" ? body() : body));
    return this.queue;
  }

  async deliver(body) {
    const url = this.url;
    this.onError("");
    const waiting = this.showUploads(body.getAll("file"));
    try {
      const response = await post(url, body);
      for (const chip of waiting) chip.remove();
      this.show(await response.text());
      if (url !== this.url) await this.keep();
    } catch (error) {
      for (const chip of waiting) chip.remove();
      this.onError(error.message, error.way);
    }
  }

  // What is on its way to the server; its answer takes the place of these.
  showUploads(files) {
    return files.filter((file) => file.size).map((file) => {
      const chip = document.getElementById("upload-template").content.firstElementChild.cloneNode(true);
      chip.querySelector(".truncate").textContent = file.name;
      this.row.append(chip);
      return chip;
    });
  }

  // The chat began while a file was on its way: the conversation does not know of it yet.
  async keep() {
    const body = new FormData();
    for (const id of this.ids()) body.append("document", id);
    this.show(await (await post(this.url, body)).text());
  }
}
