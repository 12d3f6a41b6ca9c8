// Uploads by choosing or dropping, one request per file, and a list that follows what is being read.

const POLL_MS = 1200;
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

async function refresh() {
  try {
    const response = await fetch(location.href, { headers: BY_SCRIPT, credentials: "same-origin" });
    if (response.ok && !response.redirected && !list.querySelector("details[open]")) list.innerHTML = await response.text();
  } catch {
    // The next round asks again.
  }
}

// The list is the database's; it is asked for while something changes and somebody looks.
setInterval(() => {
  if (!document.hidden && list.querySelector("[data-in-progress]")) refresh();
}, POLL_MS);
