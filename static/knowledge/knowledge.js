// Uploads by choosing or dropping, one request per file, and a list that follows what becomes of each document.

import { Stream } from "../js/stream.js";

// However many events come, the list is fetched no more often.
const REST_MS = 700;
// A worker may die without a word, and a request be lost: the database is asked now and then.
const DOUBT_MS = 20000;
const UNREACHABLE = "The server could not be reached. Check your connection and try again.";

const BY_SCRIPT = {
  "X-Requested-With": "fetch",
  "X-Page-Organization": document.querySelector("[data-organization]").dataset.organization,
};

const form = document.querySelector("[data-upload]");
const input = form.querySelector("input[type=file]");
const zone = form.querySelector(".dropzone");
const log = form.querySelector("[data-upload-log]");
const list = document.querySelector("[data-sources]");

input.addEventListener("change", () => uploadAll([...input.files]));
for (const type of ["dragenter", "dragover"]) zone.addEventListener(type, (event) => mark(event, true));
for (const type of ["dragleave", "drop"]) zone.addEventListener(type, (event) => mark(event, false));
zone.addEventListener("drop", (event) => uploadAll([...event.dataTransfer.files]));

function mark(event, over) {
  event.preventDefault();
  zone.classList.toggle("is-over", over);
}

async function uploadAll(files) {
  log.replaceChildren();
  for (const file of files) await upload(file);
  input.value = "";
  await refresh();
}

async function upload(file) {
  const line = document.createElement("li");
  line.textContent = `Uploading ${file.name} …`;
  log.append(line);
  const problem = await send(file);
  if (problem) {
    line.textContent = `${file.name}: ${problem}`;
    line.classList.add("is-bad");
  } else {
    line.remove();
  }
}

// Nothing, or why the file was not taken.
async function send(file) {
  if (file.size > Number(form.dataset.maximum) * 1024 * 1024) return `The file is larger than ${form.dataset.maximum} MB.`;
  const body = new FormData();
  body.append("files", file);
  const headers = { ...BY_SCRIPT, "X-CSRFToken": form.querySelector("[name=csrfmiddlewaretoken]").value };
  try {
    const response = await fetch(form.action, { method: "POST", body, headers, credentials: "same-origin" });
    return response.ok ? "" : (await response.json()).detail;
  } catch {
    return UNREACHABLE;
  }
}

// The list is the database's: ``isStale`` from an event on until it is asked for again.
let isStale = false;
let isAsking = false;

function refresh() {
  isStale = true;
  return catchUp();
}

// One request at a time, and not while nobody looks, nor under a menu that somebody has open; both say when it is over.
async function catchUp() {
  if (!isStale || isAsking || document.hidden || isMenuOpen()) return;
  isStale = false;
  isAsking = true;
  const [isAnswered] = await Promise.all([show(), rest()]);
  isAsking = false;
  if (isAnswered) catchUp();
  else isStale = true; // until the socket is back, or in doubt
}

// Whether there was an answer, of whatever kind.
async function show() {
  try {
    const response = await fetch(location.href, { headers: BY_SCRIPT, credentials: "same-origin" });
    const html = await response.text();
    if (!response.ok || response.redirected) return true;
    if (isMenuOpen()) isStale = true;
    else list.innerHTML = html;
    return true;
  } catch {
    return false;
  }
}

function rest() {
  return new Promise((done) => { setTimeout(done, REST_MS); });
}

function isMenuOpen() {
  return list.querySelector("details[open]") !== null;
}

document.addEventListener("visibilitychange", catchUp);
list.addEventListener("toggle", catchUp, true); // it does not bubble
setInterval(() => {
  if (isStale || list.querySelector("[data-in-progress]")) refresh();
}, DOUBT_MS);

new Stream(list.dataset.stream, Number(list.dataset.after), {
  onEvent: refresh,
  onOpen: catchUp,
  onClosed() {},
  onGone() {},
});
