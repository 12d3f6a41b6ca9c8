// The thread: each exchange is the server's own partial, fetched again when the database moved on.

import { twin } from "./focus.js";
import { getText, post } from "./http.js";

const DOUBT_MS = 20000;
const LIVE_RUN = new Set(["queued", "running", "waiting"]);

export class Exchanges {
  constructor(root, { announce, onError }) {
    this.root = root;
    this.announce = announce;
    this.onError = onError;
    this.fetching = new Map();
    this.revealCopyButtons(root);
    this.root.addEventListener("submit", (event) => this.submit(event));
    this.root.addEventListener("click", (event) => this.copy(event));
    // A worker may die without a word: while something runs, the database is asked now and then.
    setInterval(() => this.refreshRunning(), DOUBT_MS);
  }

  find(message) {
    return this.root.querySelector(`[data-message="${CSS.escape(message)}"]`);
  }

  // Puts a partial where it belongs: over the exchange it renews, or at the end.
  put(html) {
    const template = document.createElement("template");
    template.innerHTML = html.trim();
    const fresh = template.content.firstElementChild;
    const old = this.find(fresh.dataset.message);
    const wasAtEnd = isAtEnd();
    this.revealCopyButtons(fresh);
    if (old && looks(old) === looks(fresh)) return old; // nobody loses focus or selection for nothing
    if (old) {
      const focused = old.contains(document.activeElement) ? document.activeElement : null;
      keepWritten(old, fresh);
      old.replaceWith(fresh);
      this.tell(old, fresh);
      if (focused) (twin(focused, fresh) ?? document.getElementById("composer-text")).focus({ preventScroll: true });
    } else {
      this.root.append(fresh);
      if ("running" in fresh.dataset) this.announce("Your message was sent. Working on an answer.");
      else this.tellEnd(fresh);
    }
    if (!old || wasAtEnd) toEnd(old ? "smooth" : "instant");
    return fresh;
  }

  tell(old, fresh) {
    if (!("running" in old.dataset) && "running" in fresh.dataset) this.announce("Working on an answer.");
    if ("running" in old.dataset && !("running" in fresh.dataset)) this.tellEnd(fresh);
    for (const said of fresh.querySelectorAll(".reply-question, .reply-report")) {
      if (old.querySelector(`#${CSS.escape(said.id)}`)) continue;
      if (said.matches(".reply-question")) this.announce("A question of running work arrived.");
      else this.announce(`The report of ${said.dataset.work ?? "running work"} arrived.`);
    }
  }

  tellEnd({ dataset: { state } }) {
    if (state === "failed") this.announce("The message could not be answered. You can retry.");
    else if (state === "cancelled") this.announce("Stopped.");
    else if (state === "replied") this.announce("Your answer was passed on, and the work goes on.");
    else this.announce("The answer is here.");
  }

  // Several events about one exchange become one request, and the last event is never lost.
  async refresh(message) {
    if (this.fetching.has(message)) {
      this.fetching.set(message, true);
      return;
    }
    this.fetching.set(message, false);
    try {
      this.put(await getText(`/chat/messages/${message}/exchange/`));
    } catch (error) {
      if (error.way) this.onError(error.message, error.way);
      // Else the next event, reconnect or doubt asks again.
    }
    const again = this.fetching.get(message);
    this.fetching.delete(message);
    if (again) await this.refresh(message);
  }

  // ``reply`` is an answer or a report, in whichever exchange it stands.
  refreshSaid(reply) {
    const exchange = document.getElementById(`m-${reply}`)?.closest("[data-message]");
    if (exchange) this.refresh(exchange.dataset.message);
  }

  refreshRun(run) {
    const id = CSS.escape(run);
    // Its card, the answers to it with what it said then, and where a message could still be sent to it.
    const shown = [...this.root.querySelectorAll(`[data-run="${id}"], [data-answered="${id}"], [data-instead="${id}"]`)];
    const messages = shown.map((part) => part.closest("[data-message]").dataset.message);
    for (const message of new Set(messages)) this.refresh(message);
  }

  refreshRunning() {
    for (const running of this.root.querySelectorAll("[data-running]")) this.refresh(running.dataset.message);
    for (const card of this.root.querySelectorAll("[data-run]")) {
      if (LIVE_RUN.has(card.dataset.runState)) this.refreshRun(card.dataset.run);
    }
  }

  progress({ turn, message, label }) {
    const exchange = this.find(message);
    if (!exchange || !("running" in exchange.dataset) || exchange.dataset.turn !== turn) {
      this.refresh(message); // another tab sent it, or retried it
      return;
    }
    exchange.querySelector("[data-progress]").textContent = label;
  }

  // ``at`` is the character where ``text`` begins: what was missed or repeated never shows as a wrong text.
  delta({ turn, message, text, at }) {
    const exchange = this.find(message);
    if (!exchange || !("running" in exchange.dataset) || exchange.dataset.turn !== turn) return;
    const live = exchange.querySelector("[data-live]");
    const shown = Array.from(live.textContent); // by characters, as the server counts
    if (at > shown.length) return;
    const wasAtEnd = isAtEnd();
    live.hidden = false;
    live.textContent = shown.slice(0, at).join("") + text;
    if (wasAtEnd) toEnd("instant");
  }

  reset({ message }) {
    const live = this.find(message)?.querySelector("[data-live]");
    if (!live) return;
    live.textContent = "";
    live.hidden = true;
  }

  async submit(event) {
    const form = event.target.closest("form[data-exchange-form]");
    if (!form) return;
    event.preventDefault();
    await this.send(form);
  }

  // Stop, Retry, feedback: the answer is the exchange as it now is.
  async send(form) {
    const buttons = form.querySelectorAll("button");
    for (const button of buttons) button.disabled = true;
    try {
      this.put(await (await post(form.action, new FormData(form))).text());
      return true;
    } catch (error) {
      this.onError(error.message, error.way);
      for (const button of buttons) button.disabled = false;
      return false;
    }
  }

  revealCopyButtons(root) {
    if (!navigator.clipboard) return;
    for (const button of root.querySelectorAll("[data-copy]")) button.hidden = false;
  }

  async copy(event) {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    await navigator.clipboard.writeText(words(button.closest(".reply").querySelector(".prose")));
    this.announce("Copied.");
    button.setAttribute("aria-pressed", "true");
    setTimeout(() => button.removeAttribute("aria-pressed"), 1200);
  }
}

// The text as it is shown, with its markers as they are written elsewhere: "… a customer. [1]"
function words(prose) {
  const markers = [...prose.querySelectorAll("a.marker")];
  const numbers = markers.map((marker) => marker.textContent);
  for (const marker of markers) marker.textContent = `[${marker.textContent}]`;
  const text = prose.innerText;
  markers.forEach((marker, index) => { marker.textContent = numbers[index]; });
  return text;
}

// An answer that somebody is writing while the run's card moves on.
function keepWritten(old, fresh) {
  for (const field of old.querySelectorAll("input[id]")) {
    const same = fresh.querySelector(`#${CSS.escape(field.id)}`);
    if (same) same.value = field.value;
  }
}

// An exchange without what differs from one rendering to the next: tokens and generated ids.
function looks(exchange) {
  return exchange.outerHTML.replace(/ value="[^"]*"/g, "");
}

function isAtEnd() {
  return innerHeight + scrollY >= document.documentElement.scrollHeight - 120;
}

function toEnd(behavior) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  scrollTo({ top: document.documentElement.scrollHeight, behavior: calm ? "instant" : behavior });
}
