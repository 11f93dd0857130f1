"use strict";
const said = document.getElementById("said");
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      said.textContent = button.textContent = "Copied";
    } catch {
      // No clipboard on a page that was opened from a file in some browsers: select it instead.
      getSelection().selectAllChildren(button.previousElementSibling);
      said.textContent = button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details")) part.open = true;
});
