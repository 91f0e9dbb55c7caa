"use strict";
// Asks one puzzle after another, easy ones first, and shows its stored answer; wrong ones come back as in `towerlab train`.
(() => {
  const stage = document.getElementById("stage"), series = document.getElementById("series");
  const { game, noun } = stage.dataset, gaps = stage.dataset.gaps.split(" ").map(Number);
  const rated = Number(stage.dataset.rated), ten = Number(stage.dataset.series), unit = Number(stage.dataset.unit);
  const puzzles = [...document.querySelectorAll("template[data-kind]")], store = `towerlab-puzzles-${game}`;
  let state = { answered: 0, cards: {} }, wasRepeated = false, rights = [];
  try { state = JSON.parse(localStorage.getItem(store)) ?? state; } catch { /* a private window */ }
  const due = (one, other) => state.cards[one.id].due - state.cards[other.id].due;
  const choose = () => { // one that is due again, else a new one, else the one answered longest ago
    const ofKind = puzzles.filter((one) => !series?.value || one.dataset.kind === series.value);
    const known = ofKind.filter((one) => state.cards[one.id]).sort(due);
    const open = known.filter((one) => state.cards[one.id].open && state.cards[one.id].due <= state.answered && !wasRepeated);
    const named = puzzles.find((one) => `#${one.id}` === location.hash);
    return named ?? open[0] ?? ofKind.find((one) => !state.cards[one.id]) ?? known[0];
  };
  const keep = (id, cost, isRight) => {
    const known = state.cards[id], card = known ?? { first: cost, box: 0, open: !isRight };
    state.answered++;
    wasRepeated = known !== undefined;
    if (known && !isRight) Object.assign(card, { box: 0, open: true });
    else if (known && card.open) card.open = ++card.box < gaps.length;
    card.due = state.answered + (card.open ? gaps[card.box] : 0);
    state.cards[id] = card;
    rights.push(isRight);
    try { localStorage.setItem(store, JSON.stringify(state)); } catch { /* a private window */ }
  };
  const total = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
  const interval = (costs, most) => { // as `analysis.stats.cost_interval`, Gaffke's
    const ends = Array.from({ length: 4000 }, () => {
      const weights = Array.from({ length: costs.length + 1 }, () => -Math.log(1 - Math.random())), all = total(weights);
      const low = total(costs.map((cost, place) => cost * weights[place]));
      return [low / all, (low + most * weights.at(-1)) / all];
    });
    return [0, 1].map((side) => ends.map((end) => end[side]).sort((one, other) => one - other)[side ? 3899 : 100]);
  };
  const stand = () => {
    const cards = Object.values(state.cards), costs = cards.map((card) => card.first / unit), n = costs.length;
    const said = n ? [`Right at the first attempt: ${cards.filter((card) => card.first === 0).length} of ${n}.`] : [];
    const wrong = cards.filter((card) => card.open).length;
    if (wrong) said.push(`${wrong} ${wrong === 1 ? "puzzle you had wrong comes" : "puzzles you had wrong come"} back.`);
    if (n < rated) said.push(`Your rating comes after ${rated} new puzzles: ${rated - n} to go.`);
    if (n >= rated) {
      const answered = puzzles.filter((one) => state.cards[one.id]), [low, high] = interval(costs, Math.max(...answered.map((one) => one.dataset.worst / unit)));
      said.push(`You lose ${(total(costs) / n).toFixed(2)} ${noun} a puzzle (95 %: ${low.toFixed(2)} to ${high.toFixed(2)}, n = ${n}), the rule of thumb ${(total(answered.map((one) => one.dataset.thumb / unit)) / n).toFixed(2)} on the same ones.`);
    }
    if (series?.value && rights.length && rights.length % ten === 0) said.unshift(`Ten ${series.value}s: ${rights.slice(-ten).filter(Boolean).length} right.`);
    document.getElementById("standing").replaceChildren(said.join(" "));
  };
  const show = () => {
    const puzzle = choose();
    stage.replaceChildren(puzzle.content.cloneNode(true));
    stage.dataset.puzzle = puzzle.id;
    stage.classList.remove("board");
    stage.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      const result = document.getElementById(puzzle.id.replace("p", "r")).content.cloneNode(true), chosen = event.submitter.value;
      const head = result.querySelector(`[data-choice="${chosen}"]`);
      for (const other of result.querySelectorAll("[data-choice]")) if (other !== head) other.remove();
      keep(puzzle.id, head.classList.contains("right") ? 0 : Number(head.dataset.cost), head.classList.contains("right"));
      for (const button of stage.querySelectorAll("button")) button.disabled = true;
      for (const old of stage.querySelectorAll(".choices, .question")) old.remove();
      stage.append(result);
      stage.classList.add("board");
      const next = stage.querySelector(".next");
      next.addEventListener("click", () => { history.replaceState(null, "", "#"); show(); });
      next.focus({ preventScroll: true });
      stage.querySelector(".advice").scrollIntoView({ block: "nearest" });
      stand();
    });
    stand();
  };
  series?.addEventListener("change", () => { rights = []; history.replaceState(null, "", "#"); show(); });
  addEventListener("hashchange", show);
  show();
})();
