// What is said to somebody who does not see the page. Each sentence is a line of its own: one right behind does not swallow it.

const KEPT_MS = 10000;

export function announce(words) {
  const line = document.createElement("span");
  line.textContent = words;
  document.getElementById("announcer").append(line, " ");
  setTimeout(() => { line.nextSibling?.remove(); line.remove(); }, KEPT_MS);
}
