// Copies the new token; without script or clipboard it can be selected in its field.

for (const button of document.querySelectorAll("[data-copy-from]")) {
  const field = document.getElementById(button.dataset.copyFrom);
  field.addEventListener("focus", () => field.select());
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(field.value);
    button.querySelector("[data-copy-words]").textContent = "Copied";
  });
}
