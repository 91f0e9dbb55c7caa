"use strict";
// Tables sort by a click on a heading: numbers by data-v, texts by what they say, empty cells last.
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const words = new Intl.Collator(document.documentElement.lang, { numeric: true });
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const first = head.classList.contains("n") ? "descending" : "ascending";
      const other = first === "ascending" ? "descending" : "ascending";
      const order = head.getAttribute("aria-sort") === first ? other : first;
      const sign = order === "ascending" ? 1 : -1;
      const key = (row) => row.cells[column].dataset.v;
      const compare = head.classList.contains("n")
        ? (a, b) => (key(a) === "") - (key(b) === "") || sign * (key(a) - key(b))
        : (a, b) => sign * words.compare(a.cells[column].textContent, b.cells[column].textContent);
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      body.append(...[...body.rows].sort(compare));
    });
  });
}
// On a phone a table of many columns is a list: every cell says what its column is called. Paper shows what is folded.
for (const table of document.querySelectorAll(".table table")) {
  const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent);
  if (heads.length < 4) continue;
  table.classList.add("stack");
  for (const row of table.tBodies[0].rows) [...row.cells].forEach((cell, column) => { cell.dataset.h = heads[column]; });
}
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => { each.open = true; }));
// A cell of a chart that is chosen tells more, below the chart.
for (const figure of document.querySelectorAll("figure")) {
  if (!figure.querySelector("[data-tells]")) continue;
  const told = document.createElement("output");
  told.className = "told";
  told.textContent = "Choose a cell to see its hands.";
  figure.querySelector(".drawing").after(told);
  figure.querySelector(".drawing").addEventListener("click", (event) => {
    const cell = document.elementsFromPoint(event.clientX, event.clientY).find((each) => each.dataset.tells);
    if (!cell) return;
    const list = document.createElement("dl");
    const names = figure.querySelector("svg").dataset.names.split("|");
    cell.dataset.tells.split("|").forEach((value, place) => {
      if (!value) return;
      const pair = document.createElement("div");
      for (const [tag, text] of [["dt", names[place]], ["dd", value]]) {
        pair.append(Object.assign(document.createElement(tag), { textContent: text }));
      }
      list.append(pair);
    });
    told.replaceChildren(list);
    const link = cell.dataset.link;
    if (link) told.append(Object.assign(document.createElement("a"), { href: link, textContent: "Look up the hand nearest to the mean" }));
    figure.querySelector(".chosen")?.classList.remove("chosen");
    cell.classList.add("chosen");
  });
}
// Tabs: a button each, arrow keys between them; without a script the parts stand one under the other.
for (const box of document.querySelectorAll(".tabs")) {
  const parts = [...box.children], list = document.createElement("div");
  list.className = "tab-list";
  list.setAttribute("role", "tablist");
  const buttons = parts.map((part, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = part.querySelector(".tab").textContent;
    button.id = `${part.id}-tab`;
    button.setAttribute("role", "tab");
    button.setAttribute("aria-controls", part.id);
    part.setAttribute("role", "tabpanel");
    button.addEventListener("click", () => open(place));
    button.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      open((place + step + parts.length) % parts.length).focus();
      event.preventDefault();
    });
    list.append(button);
    return button;
  });
  const open = (chosen) => {
    parts.forEach((part, place) => {
      part.classList.toggle("shut", place !== chosen);
      buttons[place].setAttribute("aria-selected", place === chosen);
      buttons[place].tabIndex = place === chosen ? 0 : -1;
    });
    return buttons[chosen];
  };
  const follow = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const place = target ? parts.findIndex((part) => part.contains(target)) : -1;
    if (place >= 0) open(place);
    return place >= 0;
  };
  box.prepend(list);
  if (!follow()) open(+box.dataset.chosen);
  addEventListener("hashchange", follow);
}
