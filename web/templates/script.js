"use strict";
// Keys: digits choose the numbered action or card, ? asks for advice, u takes back, arrows step through the history.
// The numbers are shown once a key is used. Without this script everything can be clicked.
(() => {
  const form = document.getElementById("play");
  const advance = document.getElementById("advance");
  const wait = () => {
    const began = Date.now(), tick = async () => {
      document.getElementById("wait").hidden = false;
      const doing = await fetch("/doing").then((said) => said.text());
      document.getElementById("doing").textContent = `${Math.round((Date.now() - began) / 1000)} s. ${doing}`;
      again();
    }, again = () => setTimeout(() => tick().catch(again), 1000);
    document.body.classList.add("busy");
    again();
  };
  if (advance) {
    wait();
    const body = new URLSearchParams(new FormData(form));
    fetch(advance.formAction, { method: "POST", body, redirect: "manual" }).then(() => location.replace(advance.dataset.next));
    return;
  }
  document.addEventListener("submit", wait);
  document.addEventListener("click", (event) => {
    if (event.target instanceof HTMLElement && event.target.closest("a[href^='/train'], a[href$='/review'], #advice, #review")) wait();
  });
  const last = JSON.parse(sessionStorage.getItem("cards") || "{}"), cards = {}; // a card that lies elsewhere than on the page before moves there
  const middle = (one) => { const place = one.getBoundingClientRect(); return [place.x + place.width / 2 + scrollX, place.y + place.height / 2 + scrollY]; };
  for (const card of document.querySelectorAll(".felt [data-card]:not([data-card=''], figure *)")) {
    const name = card.dataset.card, side = document.querySelector(`.felt > .${(card.closest(".trick > li") || card).classList[0]}`);
    cards[name] = middle(card);
    const from = (last.cards || {})[name] || (side ? middle(side) : card.closest(".block") && middle(document.querySelector(".felt > .top")));
    const moved = from && [from[0] - cards[name][0], from[1] - cards[name][1]].map(Math.round);
    if (last.path === location.pathname && moved && (moved[0] || moved[1]) && card.closest(".trick, .block") && !matchMedia("(prefers-reduced-motion: reduce)").matches)
      card.animate({ transform: [`translate(${moved[0]}px, ${moved[1]}px)`, "none"] }, { duration: 200, easing: "ease-out" });
  }
  sessionStorage.setItem("cards", JSON.stringify({ path: location.pathname, cards }));
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  const scroll = () => {
    const current = document.querySelector(".log [aria-current]");
    if (current) current.parentElement.scrollTop = current.offsetTop - current.parentElement.offsetTop - 80;
  };
  const open = () => { // one decision of a review at a time, the costliest first
    const decisions = [...document.querySelectorAll("main > [data-live] .decision")], chosen = decisions.find((one) => `#${one.id}` === location.hash) || decisions[0];
    for (const one of decisions) one.hidden = one !== chosen;
    for (const line of document.querySelectorAll(".lines a")) line.setAttribute("aria-current", line.hash === `#${chosen.id}`);
  };
  const settle = () => { scroll(); open(); };
  settle();
  addEventListener("hashchange", open);
  const more = async () => { // what is still being looked at is asked for again, as long as the page stands
    for (let next; (next = document.querySelector("[data-more]")); settle()) {
      const page = new DOMParser().parseFromString(await (await fetch(next.dataset.more)).text(), "text/html");
      for (const old of document.querySelectorAll("[data-live]")) {
        const fresh = page.getElementById(old.id);
        if (fresh && old.querySelector("details[open]")) fresh.querySelector("details")?.setAttribute("open", "");
        old.replaceWith(fresh || "");
      }
    }
  };
  more().catch(() => {});
  if (!form) {
    document.addEventListener("keydown", (event) => {
      const step = document.querySelector(`.decision:not([hidden]) [rel=${{ ArrowLeft: "prev", ArrowRight: "next" }[event.key]}]`);
      if (step) step.click();
    });
    return;
  }
  const keys = () => { document.body.classList.add("keys"); sessionStorage.setItem("keys", "1"); };
  if (sessionStorage.getItem("keys")) keys();
  const light = () => { // where the card that is tapped fits is drawn on the towers, to be tapped as well
    for (const slot of document.querySelectorAll(".slot")) {
      const button = document.querySelector(`.tap[open] [data-place="${slot.dataset.place}"]`);
      slot.classList.toggle("fits", !!button);
      slot.onclick = button && (() => button.click());
    }
  };
  document.addEventListener("toggle", light, true);
  const picks = [...form.querySelectorAll('input[name="pick"]')], pick = document.getElementById("pick");
  const said = document.getElementById("count"), hint = said && said.textContent;
  const count = () => {
    const chosen = picks.filter((one) => one.checked).length;
    pick.disabled = chosen < Number(pick.dataset.least) || chosen > Number(pick.dataset.most);
    const many = said.dataset.many;
    said.textContent = !chosen ? hint : many ? `${chosen} of ${many} chosen` : `${chosen} chosen`;
  };
  if (pick) {
    form.addEventListener("change", count);
    count();
  }
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
  if (!location.hash && !document.querySelector("[autofocus]")) (document.getElementById("continue") || form).focus({ preventScroll: true });
})();
