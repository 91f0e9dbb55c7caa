"use strict";
// Asks puzzles, easy ones first, and shows what the numbers say of an answer; wrong ones come back as in `towerlab train`. No rule of play stands here: all comes with the data.
const data = JSON.parse(document.getElementById("data").textContent);
const SYMBOLS = { C: "♣", D: "♦", H: "♥", S: "♠" };
const SUIT_NAMES = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const GAPS = [2, 5, 12, 30]; // others before a puzzle comes back
const RATED = 20; // first answers before there is a mean
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

// What was answered: of each puzzle by its link its first cost and when it comes back. Without a store the page forgets.
let state = { answered: 0, cards: {} }, current = "", wasRepeated = false, series = [];
try { state = JSON.parse(localStorage.getItem("towerlab-puzzles-asked")) ?? state; } catch { /* a private window */ }

function keep(link, cost) {
  const known = state.cards[link], card = known ?? { first: cost, box: 0, open: cost > 0 };
  state.answered++;
  wasRepeated = known !== undefined;
  if (known) {
    card.box = cost > 0 ? 0 : card.box + 1;
    card.open = card.box < GAPS.length;
  }
  card.due = state.answered + (GAPS[card.box] ?? 0);
  state.cards[link] = card;
  series.push(cost);
  try { localStorage.setItem("towerlab-puzzles-asked", JSON.stringify(state)); } catch { /* a private window */ }
}

// The puzzle that a link in the address names; else one that is due again, else the first that was not asked.
function choose() {
  const kind = byId("series").value, asked = data.puzzles.filter(([one]) => !kind || one === kind);
  const named = data.puzzles.find(([, link]) => `#${link}` === decodeURI(location.hash));
  const open = asked.filter(([, link]) => state.cards[link]?.open).sort((one, two) => state.cards[one[1]].due - state.cards[two[1]].due);
  const due = open.filter(([, link]) => state.cards[link].due <= state.answered && !wasRepeated);
  return named ?? due[0] ?? asked.find(([, link]) => !state.cards[link]) ?? open[0] ?? asked[state.answered % asked.length];
}
window.puzzleOf = (link) => data.puzzles.find((one) => one[1] === link);

function showStanding() {
  const cards = Object.values(state.cards), costs = cards.map((card) => card.first), n = costs.length, said = [];
  if (n) said.push(`Right at the first attempt: ${costs.filter((cost) => cost === 0).length} of ${n}. ${cards.filter((card) => card.open).length} to come back.`);
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / n, spread = 1.96 * Math.sqrt(costs.reduce((sum, cost) => sum + (cost - mean) ** 2, 0) / (n - 1) / n);
  if (n >= RATED) said.push(`You lose ${mean.toFixed(1)} ${data.noun} a puzzle (95 %: ${Math.max(0, mean - spread).toFixed(1)} to ${(mean + spread).toFixed(1)}, n = ${n}).`);
  if (series.length && series.length % 10 === 0) said.push(`Ten more: ${series.slice(-10).filter((cost) => cost === 0).length} right.`);
  byId("standing").replaceChildren(said.join(" "));
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
  const [kind, link, , rule, , , difficulty] = choose();
  const [hand, up, , calls = ""] = link.split("/"), trump = /[SHDC]$/.test(calls) ? calls.at(-1) : up[1];
  current = link;
  byId("place").replaceChildren(difficulty);
  byId("story").replaceChildren(story(kind, calls));
  byId("hand").replaceChildren(...cardsIn(hand).map((card) => cardSpan(card)));
  byId("up-label").replaceChildren(/^pp/.test(calls) ? "Up-card, turned down" : "Up-card");
  byId("up").replaceChildren(cardSpan(up, "card up"));
  byId("asked").replaceChildren({ bid: "Accept or pass?", discard: "Which card do you give for it?", lead: `${SYMBOLS[trump]} is trump and you lead. Which card?` }[kind]);
  const names = kind === "bid" ? ["accept", "pass"] : cardsIn(hand);
  byId("answers").replaceChildren(...names.map((name) => {
    const button = element("button", { type: "button", value: name, class: name.length === 2 ? name[1].toLowerCase() : "" }, shown(name));
    button.addEventListener("click", () => answer(link, name));
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
  byId("more").href = kind === "bid" ? `explorer.html#${link}` : "";
  byId("more").replaceChildren(kind === "bid" ? "The hand in the explorer" : "");
  showStanding();
}

function answer(link, name) {
  const [, , right, rule, open, theme, , reason, chances] = window.puzzleOf(link), best = right.split(" ");
  keep(link, best.includes(name) ? 0 : chances[best[0]] - chances[name]);
  byId("theme").replaceChildren(`Theme: ${theme}.`);
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
  showStanding();
}

byId("next").addEventListener("click", () => { history.replaceState(null, "", "#"); show(); });
byId("series").addEventListener("change", () => { series = []; history.replaceState(null, "", "#"); show(); });
window.addEventListener("hashchange", show);
show();
