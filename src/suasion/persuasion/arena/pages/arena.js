// Keys choose an answer, Enter saves it; they can be switched off. A second press of the button does nothing. All of it works without.
"use strict";
const form = document.getElementById("ballot");
const use = document.getElementById("use-keys");
document.getElementById("keys").hidden = false;
try { use.checked = localStorage.getItem("keys") !== "off"; } catch { /* no storage: they stay on */ }
use.addEventListener("change", () => { try { localStorage.setItem("keys", use.checked ? "on" : "off"); } catch { /* as above */ } });

const arrows = { ArrowLeft: "1", ArrowRight: "2" };
document.addEventListener("keydown", (event) => {
  const target = event.target;
  const writing = target.tagName === "TEXTAREA" || (target.tagName === "INPUT" && !["radio", "checkbox"].includes(target.type));
  if (!use.checked || writing || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  const comparing = document.getElementById("left");
  if (target.name === "strength" && event.key in arrows) return;
  const key = comparing && event.key in arrows ? arrows[event.key] : event.key;
  const chosen = [...form.querySelectorAll("input[data-key]")].find((input) => input.dataset.key === key);
  if (chosen) {
    event.preventDefault();
    chosen.checked = true;
    chosen.focus();
  } else if (event.key === "Enter" && target.tagName !== "BUTTON" && target.tagName !== "A") {
    event.preventDefault();
    form.requestSubmit();
  }
});

let sent = false;
form.addEventListener("submit", (event) => {
  if (sent) { event.preventDefault(); return; }
  sent = true;
  document.getElementById("save").setAttribute("aria-disabled", "true");
});
window.addEventListener("pageshow", () => { sent = false; document.getElementById("save").removeAttribute("aria-disabled"); });
