"use strict";
// Keys: digits choose the numbered action, ? asks for advice, u takes back. Without this script everything can be clicked.
(() => {
  const form = document.getElementById("play");
  const advance = document.getElementById("advance");
  if (advance) {
    const body = new URLSearchParams(new FormData(form));
    fetch(advance.formAction, { method: "POST", body, redirect: "manual" }).then(() => location.replace(advance.dataset.next));
    return;
  }
  const wait = () => {
    document.body.classList.add("busy");
    setTimeout(() => { document.getElementById("wait").hidden = false; }, 1000);
  };
  document.addEventListener("submit", wait);
  document.addEventListener("click", (event) => {
    if (event.target instanceof HTMLElement && event.target.closest("a[href^='/train'], a[href$='/review'], #advice, #review")) wait();
  });
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  if (!form) return;
  let typed = "", timer = 0;
  const choose = () => {
    const button = form.querySelector(`button[name="choice"][value="${typed}"]`);
    typed = "";
    if (button) button.click();
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLElement && event.target.closest("input:not([type=checkbox]), select, textarea")) return;
    if (event.key >= "0" && event.key <= "9") {
      typed += event.key;
      clearTimeout(timer);
      timer = setTimeout(choose, form.querySelector(`button[name="choice"][value^="${typed}0"]`) ? 600 : 0);
    } else if (event.key === "?" || event.key === "u") {
      const target = document.getElementById(event.key === "?" ? "advice" : "back");
      if (target) target.click();
    }
  });
  const first = form.querySelector('button[name="choice"], input[type="checkbox"]');
  if (first && !location.hash && !document.querySelector("[autofocus]")) first.focus({ preventScroll: true });
})();
