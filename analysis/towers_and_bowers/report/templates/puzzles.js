"use strict";
// Shows the puzzle of a day and what the numbers say of an answer. No rule of play stands here: all comes with the data.
const data = JSON.parse(document.getElementById("data").textContent);
const SYMBOLS = { C: "♣", D: "♦", H: "♥", S: "♠" };
const SUIT_NAMES = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const DAY = 86400000;
const byId = (id) => document.getElementById(id);
const symbol = (card) => card.replace("T", "10").replace(/[CDHS]$/, (suit) => SYMBOLS[suit]);
const cardsIn = (text) => text.match(/[9TJQKA][SHDC]/g) ?? [];
const percent = (chance) => `${chance.toFixed(1)} %`;

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const cardSpan = (card, kind = "card") => element("span", { class: `${kind} ${card[1].toLowerCase()}` }, symbol(card));
const shown = (answer) => (answer.length === 2 ? symbol(answer) : answer[0].toUpperCase() + answer.slice(1));

const ruled = (rule) => rule.split(" ").map(shown).join(" or ");

// Days count from 1970 by the calendar of the reader; the same date is the same puzzle everywhere.
function dayNow() {
  const now = new Date();
  return Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / DAY;
}
const dateOf = (day) => new Date(day * DAY).toISOString().slice(0, 10);
const chosen = () => (/^#\d{4}-\d{2}-\d{2}$/.test(location.hash) && Date.parse(location.hash.slice(1)) / DAY) || dayNow();
window.puzzleOf = (day) => data.puzzles[((day % data.puzzles.length) + data.puzzles.length) % data.puzzles.length];

// What was answered, by day: 1 right, 0 wrong. Without a store the page forgets.
function kept() {
  try { return JSON.parse(localStorage.getItem("towerlab-puzzles") ?? "{}"); } catch { return {}; }
}
function keep(day, right) {
  const days = kept();
  if (day in days) return;
  days[day] = right;
  try { localStorage.setItem("towerlab-puzzles", JSON.stringify(days)); } catch { /* a private window */ }
}

function showStreak() {
  const days = kept();
  let streak = 0;
  for (let day = dayNow() - (dayNow() in days ? 0 : 1); days[day]; day--) streak++;
  const right = Object.values(days).filter(Boolean).length, all = Object.keys(days).length;
  byId("streak").replaceChildren(all ? `Streak: ${streak} ${streak === 1 ? "day" : "days"} right in a row. In all ${right} of ${all}.` : "");
}

const STORIES = {
  "": "You are the non-dealer. The up-card can be accepted.",
  p: "You are the dealer. The other has passed; the up-card can still be accepted.",
};
const NAMED = (calls, mine) => `You are the non-dealer. ${["You pass", "they pass", "you pass"].slice(0, calls.length - 1).join(", ")}. ${mine ? "You" : "They"} name ${SUIT_NAMES[calls.at(-1)]}.`;

function story(kind, calls) {
  if (kind === "bid") return STORIES[calls];
  if (kind === "discard") return calls === "a" ? "You are the dealer. The other has accepted: the up-card is yours." : "You are the dealer. The other has passed, you have accepted: the up-card is yours.";
  if (calls === "a") return "You are the non-dealer and have accepted. The dealer took the up-card and discarded.";
  if (calls === "pa") return "You are the non-dealer and have passed. The dealer accepted, took the up-card and discarded.";
  return NAMED(calls, calls.length === 3);
}

function show() {
  const day = chosen(), [kind, link, right, rule, open, theme, difficulty, reason, chances] = window.puzzleOf(day);
  const [hand, up, , calls = ""] = link.split("/"), trump = /[SHDC]$/.test(calls) ? calls.at(-1) : up[1];
  byId("date").replaceChildren(dateOf(day));
  byId("theme").replaceChildren(`${theme[0].toUpperCase()}${theme.slice(1)}, ${difficulty}`);
  byId("story").replaceChildren(story(kind, calls));
  byId("hand").replaceChildren(...cardsIn(hand).map((card) => cardSpan(card)));
  byId("up-label").replaceChildren(/^pp/.test(calls) ? "Up-card, turned down" : "Up-card");
  byId("up").replaceChildren(cardSpan(up, "card up"));
  byId("asked").replaceChildren({ bid: "Accept or pass?", discard: "Which card do you give for it?", lead: `${SYMBOLS[trump]} is trump and you lead. Which card?` }[kind]);
  const names = kind === "bid" ? ["accept", "pass"] : cardsIn(hand);
  byId("answers").replaceChildren(...names.map((name) => {
    const button = element("button", { type: "button", value: name, class: name.length === 2 ? name[1].toLowerCase() : "" }, shown(name));
    button.addEventListener("click", () => answer(day, name));
    return button;
  }));
  const hints = [
    `Trumps from the top: ${data.trumps[trump].map(symbol).join(" ")}.`,
    `The printed rule says ${ruled(rule)}. It is right in ${data.ruleRight} of ${data.puzzles.length} puzzles.`,
  ];
  byId("hints").replaceChildren();
  byId("hint").hidden = byId("outcome").hidden = false;
  byId("outcome").hidden = true;
  byId("hint").onclick = () => {
    byId("hints").append(element("p", {}, hints[byId("hints").children.length]));
    byId("hint").hidden = byId("hints").children.length === hints.length;
  };
  byId("before").href = `#${dateOf(day - 1)}`;
  byId("after").href = `#${dateOf(day + 1)}`;
  byId("after").hidden = byId("today").hidden = day >= dayNow();
  byId("today").href = `#${dateOf(dayNow())}`;
  byId("more").href = kind === "bid" ? `explorer.html#${link}` : "";
  byId("more").replaceChildren(kind === "bid" ? "The hand in the explorer" : "");
  showStreak();
}

function answer(day, name) {
  const [, link, right, rule, open, , , reason, chances] = window.puzzleOf(day), best = right.split(" ");
  if (day === dayNow()) keep(day, best.includes(name) ? 1 : 0);
  for (const button of byId("answers").children) {
    button.disabled = true;
    if (best.includes(button.value)) button.classList.add("right");
    else if (button.value === name) button.classList.add("wrong");
  }
  const judged = (one) => {
    if (best.includes(one)) return "right";
    const lost = (chances[best[0]] - chances[one]).toFixed(1), [mark] = data.marks.findLast(([, least]) => lost >= least);
    return `wrong, a ${mark}: it costs ${lost} ${data.noun}`;
  };
  const verdict = judged(name);
  byId("verdict").replaceChildren(`${verdict[0].toUpperCase()}${verdict.slice(1)}${best.includes(name) ? "." : `; ${best.map(shown).join(" or ")} was better.`}`);
  const said = Object.entries(chances).map(([one, chance]) => `${shown(one)} wins the tower ${percent(chance)} of the time.`);
  said.unshift(reason);
  said.push(`The printed rule says ${ruled(rule)}${rule.includes(" ") ? "" : `: ${judged(rule)}`}.`, `With open cards: ${shown(open)}${best.includes(open) ? " as well" : `, ${judged(open)}`}.`);
  said.push(`On the command line: towerlab open "${link}"`);
  byId("why").replaceChildren(...said.map((line) => element("li", {}, line)));
  byId("outcome").hidden = false;
  byId("hint").hidden = true;
  showStreak();
}

window.addEventListener("hashchange", show);
show();
