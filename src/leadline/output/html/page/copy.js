// A button copies the command beside it.
function setUpCopying() {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    if (!navigator.clipboard) return;
    button.hidden = false;
    const name = button.textContent;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = name), 1500);
    });
  }
}
setUpCopying();
