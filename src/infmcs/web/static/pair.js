// Two graphs side by side: what is proven to be common, what the model sees, and why the rest stays outside.

import { fitAlike, figure, shade, style } from "./figure.js";
import * as service from "./service.js";
import { $, called, csv, make, named, save, share, some } from "./words.js";

const SIDES = ["left", "right"];
let answer = null, sources = null, seen = null, figures = {}, models = [], view = "exact", running = null;

export function open(facts) {
  models = facts.models;
  $("model").replaceChildren(...models.map((name) => make("option", { value: name }, name)));
  $("model").parentElement.hidden = models.length < 2;
  for (const input of document.querySelectorAll('[name="view"]')) input.disabled = input.value !== "exact" && !models.length;
}

export function stop() { running?.abort(); }

export async function show(left, right, metric, wanted) {
  stop();
  running = new AbortController();
  sources = { left, right };
  $("pair").hidden = false;
  $("verdict").textContent = "Comparing …";
  for (const id of ["view-told", "pointed", "left-name", "right-name"]) $(id).textContent = "";
  for (const table of ["partners", "outside"]) $(table).tBodies[0].replaceChildren();
  SIDES.forEach((side) => { figures[side]?.destroy(); delete figures[side]; });
  answer = seen = null;
  const body = { left, right, metric, ...(models.length ? { model: chosenModel() } : {}) };
  try {
    answer = await service.post("/api/compare", body, running.signal);
  } catch (error) {
    if (error.name === "AbortError") return;
    $("verdict").textContent = error.text ?? error.message;
    throw error;
  }
  const names = Object.fromEntries(SIDES.map((side) => [side, called(sources[side], answer[side])]));
  $("pair-title").textContent = `${names.left} and ${names.right}`;
  document.title = `${names.left} and ${names.right} – infmcs`;
  $("verdict").textContent = verdict();
  SIDES.forEach((side) => {
    $(`${side}-name`).textContent = `${names[side]}: ${some(answer[side].n, "node")}, ${some(answer[side].edges.length, "edge")}`;
    $(side).setAttribute("aria-label", `${names[side]}; ${answer.mapping.length} of its ${answer[side].n} nodes are common, listed below`);
    figures[side] = figure($(side), answer[side], answer.positions[side], answer.positions.molecule);
    hover(side);
  });
  fitAlike(Object.values(figures));
  $("pair-title").focus();
  await choose(models.length ? wanted : "exact");
  if (!models.length || seen) return;
  try { // the model's scores beside the proof
    await ask();
    tables();
  } catch { /* the proof needs no model */ }
}

const chosenModel = () => $("model").value || models[0];

function verdict() {
  const sure = answer.proved ? `similarity ${share(answer.similarity)}, proved` : `similarity between ${share(answer.lower)} and ${share(answer.upper)}, not proved in the time allowed`;
  const told = answer.metric === "ged" ? `${some(answer.edits.length, "edit")} from left to right` : `${some(answer.mapping.length, "node")} and ${some(answer.edges.length, "edge")} in common`;
  const model = answer.score === null ? "" : ` The model says ${share(answer.score)}.`;
  return `${told}; ${sure}.${model}`;
}

async function choose(wanted) {
  view = wanted;
  for (const input of document.querySelectorAll('[name="view"]')) input.checked = input.value === view;
  if (view !== "exact" && seen === null) {
    $("view-told").textContent = "Asking the model …";
    await ask();
  }
  paint();
  tables();
}

async function ask() {
  const mine = answer;
  const told = await service.post("/api/explain", { ...sources, model: chosenModel() }, running.signal);
  if (mine === answer) seen = told;
}

function paint() {
  const marked = { left: new Set(), right: new Set() }, edges = { left: new Set(), right: new Set() };
  if (view === "exact") {
    const image = new Map(answer.mapping), back = new Map(answer.mapping.map(([v, w]) => [w, v]));
    answer.mapping.forEach(([v, w]) => { marked.left.add(v); marked.right.add(w); });
    const common = new Set(answer.edges.flatMap(([u, v]) => [`${u} ${v}`, `${v} ${u}`]));
    answer.left.edges.forEach(([u, v], k) => { if (image.has(u) && common.has(`${u} ${v}`)) edges.left.add(k); });
    answer.right.edges.forEach(([u, v], k) => { if (back.has(u) && back.has(v) && common.has(`${back.get(u)} ${back.get(v)}`)) edges.right.add(k); });
    $("view-told").textContent = answer.metric === "ged" ? "In colour: nodes that the edit path keeps." : "In colour: the certified common subgraph. Partners stand at the same place.";
  } else if (view === "top") {
    seen.top.nodes.forEach((node) => marked[seen.top.side].add(node));
    answer[seen.top.side].edges.forEach(([u, v], k) => { if (marked[seen.top.side].has(u) && marked[seen.top.side].has(v)) edges[seen.top.side].add(k); });
    const truth = { true: "They are a common subgraph.", false: "They are no common subgraph: the other graph does not contain them in one piece.", null: "Whether they are a common subgraph could not be found out in time." };
    $("view-told").textContent = `In colour: the ${seen.top.nodes.length} nodes of highest score in the ${seen.top.side} graph, the paper's answer. ${truth[seen.top.holds]}`;
  } else {
    $("view-told").textContent = `The deeper the colour, the surer the model is that a node is common. It expects ${seen.expected.toFixed(1)} common nodes and says ${share(seen.similarity)}.`;
  }
  SIDES.forEach((side) => {
    const one = figures[side];
    one.batch(() => {
      one.elements().removeClass("common scored");
      one.nodes().forEach((node) => {
        if (marked[side].has(node.data("node"))) node.addClass("common");
        if (view === "model") { node.data(shade(seen.scores[side][node.data("node")])); node.addClass("scored"); }
      });
      one.edges().forEach((edge) => { if (edges[side].has(edge.data("k"))) edge.addClass("common"); });
    });
  });
}

const labelOf = (side, node) => named(answer[side].node_labels?.[node]);
const scoreOf = (side, node) => seen ? share(seen.scores[side][node]) : "–";

function partners() { // of the present view: the proof's pairs, or the model's strongest ones
  if (view === "exact") return answer.mapping.map(([v, w]) => [v, w, scoreOf("left", v)]);
  return seen.partners.map(([v, w, weight]) => [v, w, share(weight)]);
}

function tables() {
  $("partners").caption.textContent = view === "exact" ? "Partners in the certified mapping" : "Partners the model prefers, and how much";
  $("partners").tHead.rows[0].cells[3].textContent = view === "exact" ? "Model's score" : "Weight";
  $("partners").tBodies[0].replaceChildren(...partners().map(([v, w, score]) => row(v, w, [
    node("left", v, w), node("right", w, v), labelOf("left", v), make("td", { class: "number" }, score)])));
  $("outside").caption.textContent = answer.metric === "ged" ? "Edits" : "Outside, and why";
  const rows = answer.metric === "ged"
    ? answer.edits.map((edit) => [edit.left === null ? "right" : "left", edit.left ?? edit.right, "", `${edit.kind}, cost ${edit.cost}`])
    : answer.unmatched.map((one) => [one.side, one.node, labelOf(one.side, one.node), one.text]);
  $("outside").tBodies[0].replaceChildren(...rows.map(([side, one, label, why]) => make("tr", {
    onmouseenter: () => point({ [side]: [one].flat() }), onmouseleave: () => point({}) },
    make("td", {}, `${side} ${[one].flat().join("–")}`), make("td", {}, label), make("td", {}, why),
    make("td", { class: "number" }, typeof one === "number" ? scoreOf(side, one) : "–"))));
}

const row = (v, w, cells) => make("tr", { onmouseenter: () => point({ left: [v], right: [w] }), onmouseleave: () => point({}) },
  ...cells.map((cell) => cell instanceof Node ? cell : make("td", {}, cell)));

const node = (side, one, partner) => make("td", {}, make("button", { type: "button",
  "aria-label": `Show ${side} node ${one} and its partner`, onfocus: () => point(side === "left" ? { left: [one], right: [partner] } : { left: [partner], right: [one] }),
  onblur: () => point({}) }, String(one)));

// Matched partners are linked: pointing at one shows the other.
function hover(side) {
  const other = side === "left" ? "right" : "left";
  figures[side].on("mouseover tap", "node", ({ target }) => {
    const one = target.data("node");
    const place = side === "left" ? 0 : 1;
    const pair = answer.mapping.find((each) => each[place] === one);
    const reason = answer.unmatched.find((each) => each.side === side && each.node === one);
    point(pair ? { [side]: [one], [other]: [pair[1 - place]] } : { [side]: [one] });
    const label = labelOf(side, one);
    const told = pair ? `its partner is ${other} node ${pair[1 - place]}` : reason ? `it stays outside: ${reason.text}` : "it has no partner";
    $("pointed").textContent = `${side} node ${one} (${label}): ${told}.${seen ? ` The model's score: ${scoreOf(side, one)}.` : ""}`;
  });
  figures[side].on("mouseout", "node", () => point({}));
}

function point(nodes) {
  SIDES.forEach((side) => {
    figures[side]?.nodes().removeClass("pointed");
    for (const one of nodes[side] ?? []) figures[side]?.getElementById(`n${one}`).addClass("pointed");
  });
}

export function wire(changed) {
  for (const input of document.querySelectorAll('[name="view"]')) {
    input.addEventListener("change", () => changed(input.value));
  }
  $("model").addEventListener("change", () => { seen = null; changed(view, true); });
  for (const button of document.querySelectorAll("[data-pair]")) {
    button.addEventListener("click", () => { if (answer) exported[button.dataset.pair](); });
  }
  addEventListener("resize", () => fitAlike(Object.values(figures)));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    SIDES.forEach((side) => figures[side]?.style(style(answer.positions.molecule)));
  });
}

// The same pair again, seen otherwise; false where it is another pair.
export async function again(left, right, metric, wanted) {
  if (!answer || JSON.stringify([sources, answer.metric]) !== JSON.stringify([{ left, right }, metric])) return false;
  $("pair").hidden = false;
  await choose(models.length ? wanted : "exact");
  return true;
}

const exported = {
  json: () => save("pair.json", "application/json", JSON.stringify({ ...answer, model: seen }, null, 2)),
  csv: () => save("pair.csv", "text/csv", csv([["left", "right", "label", "score"], ...answer.mapping.map(([v, w]) => [v, w, labelOf("left", v), seen?.scores.left[v]]),
    ...answer.unmatched.map((one) => [one.side === "left" ? one.node : "", one.side === "right" ? one.node : "", labelOf(one.side, one.node), seen?.scores[one.side][one.node]])])),
  svg: async () => save("pair.svg", "image/svg+xml", await service.text("/api/picture", { ...sources, mapping: answer.mapping })),
};
