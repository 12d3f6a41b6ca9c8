// The chat page: wires the thread, the composer, the list and the socket. The database is the truth, the socket a hint.

import { Stream } from "../js/stream.js";
import { announce } from "./announcer.js";
import { Composer } from "./composer.js";
import { openDialogs } from "./dialogs.js";
import { Documents } from "./documents.js";
import { Draft } from "./draft.js";
import { Exchanges } from "./exchanges.js";
import { ConversationList } from "./list.js";

const RECONNECTING_MS = 3000;
const TITLE_LENGTH = 80;
const TERMINAL = new Set(["answered", "clarified", "delegated", "controlled", "replied", "failed", "cancelled"]);

const page = document.getElementById("chat");
const connection = document.getElementById("connection");

const draft = new Draft(page.dataset.draftOwner, page.dataset.conversation);
const composer = new Composer(document.getElementById("composer"), { announce, onSent: sent, draft });
const complain = (words, way) => composer.complain(words, way);
const exchanges = new Exchanges(document.getElementById("exchanges"), { announce, onError: complain });
const list = new ConversationList(page.dataset.list);
const documents = new Documents({ announce, onError: complain });
let lost = null;

openDialogs({
  onError: complain,
  onExchangeForm: (form) => exchanges.send(form),
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-quick-reply]");
  if (!form) return;
  event.preventDefault();
  composer.sendQuickReply(form);
});

page.addEventListener("click", (event) => {
  const starter = event.target.closest("[data-starter]");
  if (!starter) return;
  event.preventDefault(); // without script the form sends it
  composer.ask(starter.value);
});

async function sent(response) {
  exchanges.put(await response.text());
  if (!page.dataset.conversation) begin(new URL(response.headers.get("Location"), location.href));
  list.refresh();
}

// The first message made a conversation: the page becomes its page.
function begin(address) {
  const conversation = address.pathname.split("/")[2];
  page.dataset.conversation = conversation;
  page.classList.remove("is-new");
  document.getElementById("welcome")?.remove();
  document.getElementById("chat-head").hidden = false;
  document.getElementById("chat-manage").href = `${address.pathname}manage/`;
  composer.form.action = `${address.pathname}messages/`;
  documents.moveTo(`${address.pathname}documents/`);
  composer.recipient.moveTo(`${address.pathname}recipient/`);
  composer.text.placeholder = "Ask a follow-up";
  history.replaceState(null, "", address.pathname);
  draft.moveTo(conversation);
  title(shortened(page.querySelector(".said-text").textContent.trim().split("\n")[0]));
  follow(conversation, 0);
}

// As the server names a chat after its first line, or nearly so; the page of the chat has the name itself.
function shortened(line) {
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH - 1).replace(/ \S*$/, "")}…`;
}

function title(words) {
  document.title = `${words} · AgencyCore`;
  const heading = document.getElementById("chat-title");
  heading.textContent = heading.title = words;
  const bar = document.querySelector(".topbar-title");
  if (bar) bar.textContent = words;
}

function follow(conversation, after) {
  new Stream(`/ws/conversations/${conversation}/`, after, {
    onEvent: happened,
    onOpen() {
      clearTimeout(lost);
      lost = null;
      connection.hidden = true;
      exchanges.refreshRunning();
    },
    onClosed() {
      lost ??= setTimeout(() => { connection.hidden = false; }, RECONNECTING_MS);
    },
    onGone() {
      clearTimeout(lost);
      composer.complain("This chat was deleted, or you can no longer see it.");
    },
  });
}

function happened(type, payload, number) {
  if (number !== null) page.dataset.after = number;
  switch (type) {
    case "turn.state":
      if (TERMINAL.has(payload.state)) {
        exchanges.refresh(payload.message);
        composer.recipient.typed();
      } else exchanges.progress(payload);
      break;
    case "turn.slow":
      exchanges.progress(payload);
      break;
    case "message.created":
      exchanges.refresh(payload.in_reply_to);
      if (payload.run) exchanges.refreshRun(payload.run);
      break;
    case "message.judged":
      exchanges.refreshSaid(payload.message);
      break;
    case "run.state":
      exchanges.refreshRun(payload.run);
      composer.recipient.refresh();
      break;
    case "turn.delta":
      exchanges.delta(payload);
      break;
    case "turn.reset":
      exchanges.reset(payload);
      break;
    case "conversation.renamed":
      title(payload.title);
      list.refresh();
      break;
    case "conversation.documents":
      documents.refresh();
      break;
    case "conversation.deleted":
      draft.clear();
      location.assign("/");
      break;
  }
}

if (page.dataset.conversation) {
  follow(page.dataset.conversation, Number(page.dataset.after));
  const target = document.getElementById(location.hash.slice(1));
  if (target) target.scrollIntoView();
  else scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
}
