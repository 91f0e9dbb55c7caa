"use strict";
// Keys: digits choose the numbered action or card, ? asks for advice, u takes back, arrows step through the history.
// The numbers are shown once a key is used. Without this script everything can be clicked.
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
  const keys = () => { document.body.classList.add("keys"); sessionStorage.setItem("keys", "1"); };
  if (sessionStorage.getItem("keys")) keys();
  const picks = [...form.querySelectorAll('input[name="pick"]')], pick = document.getElementById("pick");
  const count = () => {
    const chosen = picks.filter((one) => one.checked).length;
    pick.disabled = chosen < Number(pick.dataset.least) || chosen > Number(pick.dataset.most);
    document.getElementById("count").textContent = `${chosen} chosen`;
  };
  if (pick) form.addEventListener("change", count);
  let typed = "", timer = 0;
  const choose = () => {
    const button = form.querySelector(`button[name="choice"][value="${typed}"]`) || (picks.length ? picks[typed - 1] : document.getElementById("continue"));
    typed = "";
    if (button) button.click();
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Tab") keys();
    if (event.target instanceof HTMLElement && event.target.closest("input:not([type=checkbox]), select, textarea")) return;
    if (event.key >= "0" && event.key <= "9") {
      keys();
      typed += event.key;
      clearTimeout(timer);
      const longer = form.querySelector(`button[name="choice"][value^="${typed}0"]`) || picks.length >= Number(typed) * 10;
      timer = setTimeout(choose, longer ? 600 : 0);
    } else if (event.key === "Enter" && pick && !pick.disabled && !event.target.closest("a, button")) {
      event.preventDefault();
      pick.click();
    } else {
      const target = document.getElementById({ "?": "advice", u: "back", ArrowLeft: "before", ArrowRight: "after" }[event.key]);
      if (target) target.click();
    }
  });
  const current = document.querySelector(".log [aria-current]");
  if (current) current.parentElement.scrollTop = current.offsetTop - current.parentElement.offsetTop - 80;
  if (!location.hash && !document.querySelector("[autofocus]")) (document.getElementById("continue") || form).focus({ preventScroll: true });
})();
