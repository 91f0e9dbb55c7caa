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
