"use strict";
// Ranks a hand into its class and shows what the packed answers say of it. No rule of play stands here: which card is a
// trump, which suits may be renamed and what a column means come with the data (analysis/towers_and_bowers/explorer).
const data = JSON.parse(document.getElementById("layout").textContent);
const { suits, ranks, renamings } = data; // suits C D H S, ranks rising; a card is suit * 6 + rank
const SYMBOLS = { C: "♣", D: "♦", H: "♥", S: "♠" };
const SUIT_NAMES = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const RANK_NAMES = { 9: "nine", T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" };
const PASS = 3; // a second call: clubs, diamonds, hearts, pass
const blocks = new Map(); // number of cards -> {bytes, chances, size: number of classes}

// ---------------------------------------------------------------------------------------------------- the packed answers

const bits = (set) => { let count = 0; for (; set; set &= set - 1) count++; return count; };

async function unpack(cards) {
  const stream = new Blob([bytesOf(document.getElementById(`answers-${cards}`).textContent)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const wide = data.solvedColumns.length;
  const size = bytes.length / (data.columns.length + 2 * wide), narrow = data.columns.length * size;
  const chances = new Int16Array(wide * size);
  for (let place = 0; place < chances.length; place++) { // whole numbers from two bytes
    const stored = bytes[narrow + place] << 8 | bytes[narrow + chances.length + place];
    chances[place] = stored & 1 ? -(stored + 1) / 2 : stored / 2;
  }
  addUp(bytes, narrow, size);
  addUp(chances, chances.length, size);
  blocks.set(cards, { bytes, chances, size, starts: starts(cards) });
}

// Stored are differences from the up-card before.
function addUp(array, end, size) {
  const part = size / 6;
  for (let column = 0; column < end; column += size) {
    for (let step = 1; step < 6; step++) {
      const before = column + data.upOrder[step - 1] * part, here = column + data.upOrder[step] * part;
      for (let place = 0; place < part; place++) array[here + place] += array[before + place];
    }
  }
}

// Base 85: five letters for four bytes, the last ones cut.
function bytesOf(text) {
  const digits = new Uint8Array(128), groups = Math.ceil(text.length / 5);
  [...data.letters].forEach((letter, digit) => { digits[letter.charCodeAt(0)] = digit; });
  const view = new DataView(new ArrayBuffer(4 * groups));
  for (let group = 0; group < groups; group++) {
    let word = 0;
    for (let place = 5 * group; place < 5 * group + 5; place++) word = 85 * word + (place < text.length ? digits[text.charCodeAt(place)] : 84);
    view.setUint32(4 * group, word);
  }
  return new Uint8Array(view.buffer, 0, Math.floor(0.8 * text.length));
}

// Of a number of cards: where the classes with some diamonds and hearts begin; a class has no more hearts than diamonds.
function starts(cards) {
  const found = new Int32Array(64 * 64);
  let place = 0;
  for (let diamonds = 0; diamonds < 64; diamonds++) {
    for (let hearts = 0; hearts <= diamonds; hearts++) {
      found[64 * diamonds + hearts] = place;
      place += blackOf[cards - bits(diamonds) - bits(hearts)]?.length ?? 0;
    }
  }
  return found;
}

// Clubs and spades (5 ranks beside the up-card) as one number: its place among those of as many cards, and their list.
const blackOf = [];
const blackPlace = new Int32Array(2048);
for (let black = 0; black < 2048; black++) {
  const list = (blackOf[bits(black)] ??= []);
  blackPlace[black] = list.length;
  list.push(black);
}

// The class of a hand: its sets of ranks by stored suit, and the asked suit that each stored suit stands for.
function classOf(hand, up) {
  const names = renamings[Math.floor(up / 6)];
  const sets = [0, 0, 0, 0];
  for (const card of hand) sets[names[Math.floor(card / 6)]] |= 1 << card % 6;
  const asked = [0, 1, 2, 3].map((stored) => names.indexOf(stored));
  if (sets[1] < sets[2]) {
    [sets[1], sets[2]] = [sets[2], sets[1]];
    [asked[1], asked[2]] = [asked[2], asked[1]];
  }
  return { sets, asked };
}

const withoutUp = (spades, rank) => (spades & ((1 << rank) - 1)) | ((spades >> (rank + 1)) << rank);

function placeOf(cards, sets, rank) {
  const block = blocks.get(cards);
  const within = block.starts[64 * sets[1] + sets[2]] + blackPlace[(sets[0] << 5) | withoutUp(sets[3], rank)];
  return (rank * block.size) / 6 + within;
}

const placesOf = (names) => Object.fromEntries(names.map((name, number) => [name, number]));
const columnOf = placesOf(data.columns), solvedOf = placesOf(data.solvedColumns);
const read = (block, name, place) => block.bytes[columnOf[name] * block.size + place];
const thousandths = (block, name, place) => block.chances[solvedOf[name] * block.size + place];
const percentAt = (block, name, place) => thousandths(block, name, place) / 10;
const madeAt = (block, question, place) => percentAt(block, `${question}_made`, place);
// The calls of the second round from the best; the best suit among them.
const orderAt = (block, seat, place) => data.orders[seat === "dealer" ? 3 : 4][read(block, `${seat}_2_order`, place)];
const suitOf = (order) => order.find((call) => call !== PASS);

// By how much accepting leads passing, in the second round the best call the next, in thousandths.
function gapAt(block, seat, round, place) {
  const name = `${seat}_${round}`, calls = round === 1 ? ["accept", "pass"] : [...data.suits.slice(0, 3), ...(seat === "dealer" ? [] : ["pass"])];
  const wins = calls.map((call) => thousandths(block, `${name}_wins_${call}`, place));
  if (round === 2) wins.sort((one, other) => other - one);
  if (Math.abs(wins[0] - wins[1]) >= data.wide) return wins[0] - wins[1];
  const step = read(block, `${name}_gap`, place) << 24 >> 24;
  return step ? Math.sign(step) * data.least * data.ratio ** (Math.abs(step) - 0.5) : 0;
}

// ------------------------------------------------------------------------------------------------------------ questions

const nameOf = (card) => ranks[card % 6] + suits[Math.floor(card / 6)];
const symbolOf = (card) => nameOf(card)[0].replace("T", "10") + SYMBOLS[nameOf(card)[1]];

function parseCards(text) {
  const words = String(text).toUpperCase().replace(/10/g, "T").match(/[^\s,;.-]+/g) ?? [];
  const cards = words.flatMap((word) => {
    const found = [...word.replace(/[♣♦♥♠]\ufe0e?/g, (symbol) => ({ "♣": "C", "♦": "D", "♥": "H", "♠": "S" })[symbol[0]])];
    if (found.length % 2) throw new Error(`${word} is not a card; expected a rank and a suit, such as JS or 10H`);
    return Array.from({ length: found.length / 2 }, (_, place) => {
      const [one, other] = found.slice(2 * place, 2 * place + 2);
      const [rank, suit] = suits.includes(other) ? [one, other] : [other, one];
      if (!ranks.includes(rank) || !suits.includes(suit)) {
        throw new Error(`${word} is not a card of this pack; expected 9, 10, J, Q, K or A and S, H, D or C`);
      }
      return suits.indexOf(suit) * 6 + ranks.indexOf(rank);
    });
  });
  if (new Set(cards).size < cards.length) throw new Error("a card is named twice; expected every card once");
  return cards;
}

// {hand: "JS AS" or ["JS", …], up: "QS", seat: "dealer" | "nondealer", round: 1 | 2} -> the answer of `towerlab upcard`.
window.ask = (question) => {
  const { hand, up, seat, round } = checked(question);
  const found = answer(hand, up, seat, round), { head, by } = words(found, round);
  return { ...found, words: `${head}: ${by}` };
};

const tooMany = (cards) => `the hand has ${cards} cards; expected 1 to ${data.largest}: towerlab upcard plays larger hands out`;

function checked({ hand, up, seat, round = 1 }) {
  const cards = parseCards(Array.isArray(hand) ? hand.join(" ") : hand);
  const [upCard, ...more] = parseCards(up);
  if (upCard === undefined || more.length) throw new Error("expected one up-card");
  if (cards.includes(upCard)) throw new Error("the up-card is in the hand too; expected the dealt cards without it");
  if (cards.length < 1 || cards.length > data.largest) throw new Error(tooMany(cards.length));
  if (!["dealer", "nondealer"].includes(seat)) throw new Error(`unknown seat ${seat}; expected dealer or nondealer`);
  if (![1, 2].includes(Number(round))) throw new Error(`unknown round ${round}; expected 1 or 2`);
  return { cards: cards.length, hand: cards, up: upCard, seat, round: Number(round) };
}

function answer(hand, up, seat, round) {
  const block = blocks.get(hand.length);
  if (!block) throw new Error(`the answers for ${hand.length} cards are not unpacked yet; await window.ready`);
  const { sets, asked } = classOf(hand, up);
  const place = placeOf(hand.length, sets, up % 6);
  const of = (name) => read(block, `${seat}_${round}_${name}`, place);
  const found = { gap: gapAt(block, seat, round, place), make: madeAt(block, `${seat}_${round}`, place), suit: null, discard: null, theirDiscard: null };
  // What each call wins or how often it is made; asked by the stored suits' names.
  const each = (kind, calls) => Object.fromEntries(calls.map(([call, stored]) => [call, percentAt(block, `${seat}_${round}_${kind}_${stored}`, place)]));
  if (round === 2) {
    const call = (number) => (number < PASS ? suits[asked[number]] : "pass");
    const order = orderAt(block, seat, place);
    const calls = order.map((number) => [call(number), number < PASS ? suits[number] : "pass"]);
    return { call: call(order[0]), towers: each("wins", calls), mix: each("mix", calls), ...found, suit: call(suitOf(order)), open: call(of("open_call")) };
  }
  const calls = ["accept", "pass"];
  if (seat === "dealer") {
    const held = [0, 1, 2, 3].flatMap((stored) =>
      [0, 1, 2, 3, 4, 5].filter((rank) => sets[stored] >> rank & 1).map((rank) => nameOf(6 * asked[stored] + rank)));
    found.discard = held[of("discard")];
    found.theirDiscard = held[(of("discard") + of("their_discard")) % hand.length];
  }
  const [call, other] = of("call") ? ["pass", "accept"] : calls;
  const stored = [[call, call], [other, other]];
  return { call, towers: each("wins", stored), mix: each("mix", stored), ...found, open: calls[of("open_call")] };
}

// ------------------------------------------------------------------------------------------------- all hands of this kind

// Trumps and side strength of a class with a stored suit as trumps.
function kindOf(sets, trump) {
  let trumps = 0, side = 0;
  for (let suit = 0; suit < 4; suit++) {
    for (let rank = 0; rank < 6; rank++) {
      if (!(sets[suit] >> rank & 1)) continue;
      if (data.trumps[trump][6 * suit + rank]) trumps++;
      else side += data.side[rank];
    }
  }
  return { trumps, side };
}

// Every class beside an up-card of that rank: visit(sets, place, how many hands it stands for).
function eachClass(cards, rank, visit) {
  const block = blocks.get(cards);
  const sets = [0, 0, 0, 0];
  let place = (rank * block.size) / 6;
  for (sets[1] = 0; sets[1] < 64; sets[1]++) {
    for (sets[2] = 0; sets[2] <= sets[1]; sets[2]++) {
      for (const black of blackOf[cards - bits(sets[1]) - bits(sets[2])] ?? []) {
        const spades = black & 31;
        sets[0] = black >> 5;
        sets[3] = (spades & ((1 << rank) - 1)) | (spades >> rank << (rank + 1));
        visit(sets, place++, sets[1] === sets[2] ? 1 : 2);
      }
    }
  }
}

function allOfKind(question) {
  const { hand, up, seat, round } = question;
  const block = blocks.get(hand.length);
  const name = (column) => `${seat}_${round}_${column}`;
  const { sets } = classOf(hand, up);
  const suitAt = (place) => (round === 2 ? suitOf(orderAt(block, seat, place)) : 3);
  const here = suitAt(placeOf(hand.length, sets, up % 6));
  const kind = kindOf(sets, here);
  const found = { ...kind, hands: 0, bid: 0, make: 0, shades: new Map() };
  eachClass(hand.length, up % 6, (other, place, weight) => {
    const same = kindOf(other, suitAt(place));
    if (same.trumps !== kind.trumps || same.side !== kind.side) return;
    const bids = round === 2 ? orderAt(block, seat, place)[0] !== PASS : read(block, name("call"), place) === 0;
    const shade = shadeOf(gapAt(block, seat, round, place), bids, round);
    found.hands += weight;
    found.bid += bids ? weight : 0;
    found.make += weight * madeAt(block, `${seat}_${round}`, place);
    found.shades.set(shade, (found.shades.get(shade) ?? 0) + weight);
  });
  return found;
}

// ------------------------------------------------------------------------------------------------------------- the page

const byId = (id) => document.getElementById(id);
const state = { cards: data.largest, hand: [], up: null, seat: "nondealer", round: 1 };

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const cardSpan = (card, kind = "shown") =>
  element("span", { class: `${kind} ${nameOf(card)[1].toLowerCase()}` }, symbolOf(card));
const cardNamed = (name) => cardSpan(parseCards(name)[0]);
const suitSpan = (suit) => element("span", { class: suit.toLowerCase() }, SYMBOLS[suit]);
const inOrder = (hand) => [...hand].sort((one, other) => other - one);

function shadeOf(gap, bids, round) {
  const size = Math.abs(gap);
  const strength = data.shades.filter((bound) => size >= bound).length;
  if (!strength) return "even";
  return `${round === 1 ? (gap > 0 ? "accept" : "pass") : bids ? "accept" : "pass"}-${strength}`;
}

// Percentage points of a gap in thousandths: a digit behind the point, as many as the packing's step allows.
function points(gap) {
  const size = Math.abs(gap) / 10;
  return size < data.least / 10 ? "0" : size.toFixed(size < 0.1 ? 2 : size < 10 ? 1 : 0);
}

const doing = (call) => ({ accept: "accepting", pass: "passing" })[call] ?? `naming ${SYMBOLS[call]}`;
const named = (call) => ({ accept: "accept", pass: "pass" })[call] ?? `name ${SYMBOLS[call]}`;
const percent = (chance) => `${Math.min(100, Math.max(0, chance)).toFixed(1)}\u202f%`;
// How far apart two calls are, in points: by their chances, below a point by the finer gap.
const leadOf = ({ towers, gap }, call, other) => (Math.abs(towers[call] - towers[other]) >= 1 ? Math.abs(towers[call] - towers[other]).toFixed(1) : points(gap));

// Calls in words: "name ♥ or ♦", "pass or name ♥".
function together(calls) {
  const texts = calls.map(named), verb = texts.every((text) => text.startsWith("name ")) ? "name " : "";
  const [first, ...others] = texts.map((text) => text.slice(verb.length)), last = others.pop();
  return verb + [first, ...others].join(", ") + (last === undefined ? "" : ` or ${last}`);
}

// The sentence of `towerlab upcard`.
function words(found, round) {
  const { call, towers, gap, mix, discard } = found, size = Math.abs(gap), best = Math.max(...Object.values(towers));
  const others = Object.keys(towers).filter((each) => each !== call).sort((one, two) => towers[two] - towers[one] || "SHDC".indexOf(one) - "SHDC".indexOf(two));
  const [other] = others;
  const given = discard && call === "accept" ? ` and discard ${symbolOf(parseCards(discard)[0])}` : "";
  const head = named(call)[0].toUpperCase() + named(call).slice(1) + given;
  const good = others.filter((each) => (each === other ? size : 10 * (best - towers[each])) <= data.tolerance); // the gap is finer
  const rivals = good.length ? ` ${data.asGood}: ${together(good)}.` : "";
  const mixed = Object.keys(mix).filter((each) => mix[each] >= 1).sort((one, two) => mix[two] - mix[one]);
  if (mixed.length > 1) {
    const most = Math.max(...mixed.map((each) => best - towers[each]));
    const within = (mixed.length === 2 && mixed.includes(other) ? size / 10 : most).toFixed(2);
    const parts = mixed.map((each) => `${named(each)} ${percent(mix[each])}`).join(" and ");
    return { head: "Mix", by: `${parts} of the time. Each wins the tower ${percent(towers[call])} of the time, within ${within} ${data.noun}: the opponent must not know which.` };
  }
  const won = `it wins the tower ${percent(towers[call])} of the time`, lost = `${doing(other)} (${percent(towers[other])})`;
  const worse = round === 1 ? gap > 0 !== (call === "accept") : gap < 0;
  if (size < data.least || worse) return { head, by: `${won}, no better and no worse than ${lost}.${size < data.least ? "" : rivals}` };
  return { head, by: `${won}, ${leadOf(found, call, other)} ${data.noun} better than ${lost}.${rivals}` };
}

function accuracyOf({ hand, up, seat, round }) {
  const [sentence, ...numbers] = data.accuracy.numbers[[hand.length, ranks[up % 6], seat, round].join(" ")];
  return data.accuracy.sentences[sentence].replace(/#/g, () => numbers.shift());
}

function showAnswer(question, found) {
  const { head, by } = words(found, question.round);
  const shade = shadeOf(found.gap, found.call !== "pass", question.round);
  const facts = element("dl", { class: "facts" });
  const fact = (name, ...value) => facts.append(element("div", {}, element("dt", {}, name), element("dd", {}, ...value)));
  for (const [call, chance] of Object.entries(found.towers)) {
    const mixed = found.mix[call] >= 1 && found.mix[call] <= 99;
    fact(`${doing(call)[0].toUpperCase()}${doing(call).slice(1)} wins`, percent(chance), element("small", {}, mixed ? ` best play does so ${percent(found.mix[call])} of the time` : ""));
  }
  const made = found.call === "pass" ? (question.round === 1 ? "If you accepted, you would make it" : "Best suit, and how often it is made") : "You make it";
  if (question.round === 2 && found.call === "pass") fact(made, suitSpan(found.suit), ` ${percent(found.make)}`);
  else fact(made, percent(found.make));
  if (found.discard) fact(found.call === "pass" ? "Discard, if you accept" : "Discard", cardNamed(found.discard));
  if (found.theirDiscard) fact("Had the other accepted, discard", cardNamed(found.theirDiscard));
  const open = question.round === 2 && found.open !== "pass" ? ["name ", suitSpan(found.open)] : [found.open];
  fact("With all cards face up", ...open);
  byId("said").replaceChildren(
    element("p", { class: "call" }, element("b", { class: shade }, head), " ", element("span", {}, by)),
    element("p", {}, "You hold ", ...inOrder(question.hand).map((card) => cardSpan(card)), " as the ",
      question.seat === "dealer" ? "dealer" : "non-dealer", question.round === 1 ? "; the up-card is " : "; turned down was ",
      cardSpan(question.up), "."),
    facts, element("details", {}, element("summary", {}, "How sure this is"), element("p", { class: "sure" }, `${accuracyOf(question)}.`)));
  const after = FOLLOWED[`${question.seat} ${question.round}`];
  byId("next").replaceChildren(...after.map(([text, seat, round]) => element("a", { href: hashOf({ ...question, seat, round }) }, text)));
}

// By seat and round: what may be asked next of the same hand.
const FOLLOWED = {
  "nondealer 1": [["You pass, they pass: now?", "nondealer", 2]],
  "nondealer 2": [["The first call", "nondealer", 1]],
  "dealer 1": [["You pass, they pass again: now?", "dealer", 2]],
  "dealer 2": [["The first call", "dealer", 1]],
};

function showKind(question) {
  const found = allOfKind(question);
  const share = (part) => `${(100 * part / found.hands).toFixed(part && part < found.hands ? 1 : 0)} %`;
  const hands = `${found.hands.toLocaleString("en")} hands of ${question.hand.length} with ${found.trumps} trump${found.trumps === 1 ? "" : "s"} and side strength ${found.side}`;
  const where = question.round === 1 ? ` with ${symbolOf(question.up)} turned up` : ` in their best suit, ${symbolOf(question.up)} turned down`;
  const verb = question.round === 1 ? "accept" : "name a suit";
  const must = question.round === 2 && question.seat === "dealer";
  const often = `is made ${(found.make / found.hands).toFixed(0)} % of the time on average`;
  const said = must
    ? `Of ${hands}${where}, the suit named ${often}.`
    : `Of the ${hands}${where}, ${share(found.bid)} ${verb}; the contract ${often}.`;
  const order = ["accept-4", "accept-3", "accept-2", "accept-1", "even", "pass-1", "pass-2", "pass-3", "pass-4"];
  const bar = element("div", { class: "bar", role: "img", "aria-label": order.filter((shade) => found.shades.has(shade))
    .map((shade) => `${shadeWords(shade, must)}: ${share(found.shades.get(shade))}`).join("; ") });
  for (const shade of order) {
    const part = (found.shades.get(shade) ?? 0) / found.hands;
    if (part) bar.append(element("i", { class: shade, style: `width:${100 * part}%`, title: `${shadeWords(shade, must)}: ${share(part * found.hands)}` }, part > 0.13 ? share(part * found.hands) : ""));
  }
  const ends = element("p", { class: "ends" }, element("span", {}, must ? "the suit matters" : verb), element("span", {}, must ? "suits alike" : "pass"));
  const shareOf = (shades) => shades.reduce((sum, shade) => sum + (found.shades.get(shade) ?? 0), 0) / found.hands;
  const even = shareOf(["even"]), before = shareOf(order.slice(0, 4));
  if (!must && even > 0.05 && before + even / 2 > 0.2 && before + even / 2 < 0.8) {
    ends.append(element("span", { class: "middle", style: `left:${100 * (before + even / 2)}%` }, data.even));
  }
  byId("kind").replaceChildren(element("p", {}, said), bar, ends);
}

function shadeWords(shade, must) {
  if (shade === "even") return `less than ${points(data.shades[0])} points`;
  const [side, strength] = shade.split("-");
  const from = `${points(data.shades[strength - 1])} points or more`;
  return must ? from : `${side === "accept" ? "bid" : "pass"} by ${from}`;
}

function showSwap(question) {
  const { hand, up, seat, round } = question;
  const held = inOrder(hand);
  const others = [];
  for (let card = 23; card >= 0; card--) if (card !== up && !hand.includes(card)) others.push(card);
  const head = element("tr", {}, element("td", {}), ...held.map((card) => element("th", { scope: "col" }, cardSpan(card, ""))));
  const body = others.map((card) => element("tr", {}, element("th", { scope: "row" }, cardSpan(card, "")), ...held.map((gone) => {
    const changed = hand.map((each) => (each === gone ? card : each));
    const found = answer(changed, up, seat, round);
    const { head: call, by } = words(found, round);
    const short = found.call === "pass" ? "P" : round === 1 ? "A" : SYMBOLS[found.suit];
    const value = round === 1 && Math.abs(found.gap) < data.least ? "=" : `${short}\u2009${points(found.gap)}`;
    return element("td", {}, element("a", { href: hashOf({ ...question, hand: changed }), class: shadeOf(found.gap, found.call !== "pass", round),
      "aria-label": `${value}: ${symbolOf(card)} for ${symbolOf(gone)}, ${call}, ${by}` }, value));
  })));
  const table = element("table", {}, element("caption", { class: "unseen" }, "The answer with one card exchanged"), element("thead", {}, head), element("tbody", {}, ...body));
  byId("swap").replaceChildren(
    element("p", {}, `Hold the card of the row instead of the card of the column: ${round === 1 ? "A accepts, P passes, = makes no difference" : seat === "dealer" ? "the suit named" : "the suit named, or P for a pass"}, by so many points. A tap goes there.`),
    element("div", { class: "grid", role: "region", tabindex: "0", "aria-label": "Every change of one card" }, table));
}

// A position as a link, as docs/formats.md has it.
const callsOf = ({ seat, round }) => Object.keys(data.turns).find((calls) => data.turns[calls].join() === `${seat},${round}`);
const hashOf = (asked) => `#${inOrder(asked.hand).map(nameOf).join("")}/${nameOf(asked.up)}/${asked.seat[0]}${callsOf(asked) && "/"}${callsOf(asked)}`;

// Whether the address asks a question (an anchor such as #answer asks none); a question that is none is refused.
function readHash() {
  if (!location.hash.includes("/")) return false;
  try {
    const [hand, up, letter, calls = "", ...more] = decodeURIComponent(location.hash.slice(1)).split("/");
    if (!letter) throw new Error("expected hand, up-card, seat and calls, such as #ASJS/QS/d/p");
    if (more.length || !data.turns[calls]) throw new Error(`${more.length || /[amt?SHDC]/.test(calls) ? "it is of a card to discard or play, or of a claim: towerlab open answers it" : `calls ${calls}`}; expected p for each pass so far`);
    const [seat, round] = data.turns[calls];
    if (letter !== seat[0]) throw new Error(`after ${calls.length} passes the ${seat === "dealer" ? "dealer" : "non-dealer"} is on turn, not seat ${letter}; expected ${seat[0]}`);
    Object.assign(state, checked({ hand, up, seat, round }));
    show();
  } catch (error) {
    Object.assign(state, { hand: [], up: null });
    show();
    refuse(`This link asks no question: ${error.message}.`);
  }
  return true;
}

// What is held and asked, shown everywhere; the address follows without a step in the history.
function show() {
  for (const name of ["seat", "round"]) document.querySelector(`input[name=${name}][value="${state[name]}"]`).checked = true;
  document.querySelector(`input[name=cards][value="${state.cards}"]`).checked = true;
  byId("up-now").replaceChildren(state.up === null ? "?" : symbolOf(state.up));
  byId("held-now").replaceChildren(`${state.hand.length}/${state.cards}`);
  for (const button of byId("pack").children) {
    const card = Number(button.value), isUp = card === state.up;
    button.classList.toggle("up", isUp);
    button.setAttribute("aria-pressed", String(state.hand.includes(card)));
    button.setAttribute("aria-label", `${symbolOf(card)}, ${RANK_NAMES[nameOf(card)[0]]} of ${SUIT_NAMES[nameOf(card)[1]]}${isUp ? ", the up-card" : ""}`);
  }
  if (document.activeElement !== byId("typed")) byId("typed").value = inOrder(state.hand).map((card) => nameOf(card).replace("T", "10")).join(" ");
  if (document.activeElement !== byId("typed-up")) byId("typed-up").value = state.up === null ? "" : nameOf(state.up).replace("T", "10");
  const missing = state.up === null ? "Tap the up-card." : state.hand.length < state.cards ? `Tap ${state.cards - state.hand.length} more of your cards.` : "";
  refused = false;
  if (missing) return say(missing);
  if (!blocks.has(state.cards)) return say("Unpacking the answers …");
  showPanels(true);
  const question = { ...state, hand: [...state.hand] };
  byId("link").replaceChildren(hashOf(question).slice(1));
  history.replaceState(null, "", hashOf(question));
  showAnswer(question, answer(question.hand, question.up, question.seat, question.round));
  showKind(question);
  showSwap(question);
}

let refused = false; // what was asked last is no question: it stays said until something else is asked

function showPanels(shown) {
  for (const part of ["kind", "swap", "link"]) byId(part).parentElement.hidden = !shown;
}

function say(text) {
  showPanels(false); // they are about another question
  byId("said").replaceChildren(element("p", { class: "hint" }, text));
}

function refuse(text) {
  say(text);
  refused = true;
}

const setsUp = () => document.querySelector("input[name=sets]:checked").value === "up";
const setTo = (what) => { document.querySelector(`input[name=sets][value=${what}]`).checked = true; };

function tap(card) {
  if (setsUp()) {
    state.up = card;
    state.hand = state.hand.filter((each) => each !== card);
    setTo("hand");
  } else if (state.hand.includes(card)) state.hand = state.hand.filter((each) => each !== card);
  else if (card === state.up) { state.up = null; setTo("up"); }
  else if (state.hand.length < state.cards) state.hand = [...state.hand, card];
  else return say(`You hold ${state.cards} cards already: tap one of them to put it back.`);
  show();
}

function typed() {
  try {
    const hand = parseCards(byId("typed").value), [up = null, ...more] = parseCards(byId("typed-up").value);
    if (more.length) throw new Error("expected one up-card");
    if (hand.includes(up)) throw new Error("the up-card is in the hand too; expected the dealt cards without it");
    if (hand.length > data.largest) throw new Error(tooMany(hand.length));
    Object.assign(state, { hand, up, cards: hand.length || state.cards });
    show();
  } catch (error) {
    refuse(`${error.message}.`);
  }
}

function build() {
  for (let cards = 1; cards <= data.largest; cards++) {
    const input = element("input", { type: "radio", name: "cards", value: cards });
    byId("sizes").append(element("label", {}, input, element("span", {}, String(cards))));
  }
  for (const suit of "SHDC") {
    for (let rank = 5; rank >= 0; rank--) {
      const card = 6 * suits.indexOf(suit) + rank;
      const button = element("button", { type: "button", value: card, class: suit.toLowerCase() }, symbolOf(card));
      button.addEventListener("click", () => tap(card));
      byId("pack").append(button);
    }
  }
  byId("pack").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 6, ArrowUp: -6 }[event.key];
    const next = step && byId("pack").children[[...byId("pack").children].indexOf(event.target) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  byId("form").addEventListener("submit", (event) => event.preventDefault());
  byId("form").addEventListener("change", ({ target }) => {
    if (target.name === "cards") {
      state.cards = Number(target.value);
      state.hand = state.hand.slice(0, state.cards);
    } else if (target.name === "seat") state.seat = target.value;
    else if (target.name === "round") state.round = Number(target.value);
    else return;
    show();
  });
  for (const id of ["typed", "typed-up"]) byId(id).addEventListener("change", typed);
  byId("copy").addEventListener("click", () => {
    getSelection().selectAllChildren(byId("link")); // where nothing may be copied it is marked
    navigator.clipboard?.writeText(location.href).then(() => { byId("copy").replaceChildren("Copied"); }, () => {});
  });
  byId("clear").addEventListener("click", () => {
    Object.assign(state, { hand: [], up: null });
    setTo("up");
    show();
  });
  window.addEventListener("hashchange", readHash);
}

build();
if (!readHash()) {
  Object.assign(state, { cards: data.example.hand.length, hand: data.example.hand, up: data.example.up });
  show();
}
window.ready = (async () => {
  const sizes = [...Array(data.largest + 1).keys()].filter((cards) => byId(`answers-${cards}`));
  sizes.sort((one, other) => (other === state.cards) - (one === state.cards));
  for (const cards of sizes) {
    await unpack(cards);
    if (cards === state.cards && !refused) show();
  }
})();
