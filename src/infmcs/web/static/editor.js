// Drawing a query: nodes and edges by pointer on the paper, or by the form below it from the keyboard.

import { style } from "./figure.js";
import { $, make, named, some } from "./words.js";

let paper = null, next = 0, first = null;

const labelOf = (id) => { const text = $(id).value.trim(); return text === "" ? null : text; };
// A label that looks like a whole number is one, as in files.
const valueOf = (text) => text !== null && /^-?\d{1,15}$/.test(text) ? Number(text) : text;

export function open(labels) {
  if (!paper) begin();
  if (labels) {
    $("labels").replaceChildren(...labels.map((label) => make("option", { value: named(label) })));
    if ($("label").value === "" && labels.length) $("label").value = named(labels[0]);
  }
  paper.resize();
}

function begin() {
  paper = cytoscape({
    container: $("paper"), style: [...style(false), { selector: "node.first", style: { "border-width": 4, "border-color": "#d55e00" } }],
    layout: { name: "preset" }, boxSelectionEnabled: false, userZoomingEnabled: false, userPanningEnabled: false, zoom: 1,
  });
  paper.on("tap", (event) => {
    if (event.target === paper) addNode(event.position);
  });
  paper.on("tap", "node", ({ target }) => {
    paper.elements().unselect();
    if (first === null || first.removed() || first.id() === target.id()) { choose(first?.id() === target.id() ? null : target); return; }
    join(first, target);
    choose(null);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => paper.style(style(false)));
}

function choose(node) {
  paper.nodes().removeClass("first");
  first = node;
  node?.addClass("first");
  tell();
}

function addNode(position) {
  const id = next++;
  const label = labelOf("label");
  paper.add({ group: "nodes", data: { id: `d${id}`, order: id, name: valueOf(label), label: label ?? "•"}, position });
  choose(null);
}

function join(one, other) {
  const there = one.edgesWith(other);
  if (there.length) { there.remove(); return; } // a second time takes the edge away
  const label = labelOf("edge-label");
  paper.add({ group: "edges", classes: "whole", data: { source: one.id(), target: other.id(), name: valueOf(label), label: label ?? "", shift: "outside-to-node" } });
}

const ordered = () => paper.nodes().sort((a, b) => a.data("order") - b.data("order")).toArray();

function tell() {
  const nodes = ordered();
  for (const id of ["edge-from", "edge-to"]) {
    const kept = $(id).value;
    $(id).replaceChildren(...nodes.map((node, k) => make("option", { value: node.id() }, `${k}: ${node.data("label")}`)));
    if (nodes.some((node) => node.id() === kept)) $(id).value = kept;
  }
  const chosen = first ? `; node ${nodes.findIndex((node) => node.id() === first.id())} is chosen: click another for an edge` : "";
  $("drawn").textContent = `${some(nodes.length, "node")}, ${some(paper.edges().length, "edge")}${chosen}`;
  $("paper").setAttribute("aria-label", `The graph being drawn: ${some(nodes.length, "node")}, ${some(paper.edges().length, "edge")}`);
}

export function wire(use) {
  $("by-key").addEventListener("submit", (event) => event.preventDefault());
  $("add-node").addEventListener("click", () => {
    const count = paper.nodes().length, turn = count * 2.4, far = 18 * Math.sqrt(count) + 4;
    addNode({ x: paper.width() / 2 + far * Math.cos(turn), y: paper.height() / 2 + far * Math.sin(turn) });
  });
  $("add-edge").addEventListener("click", () => {
    const one = paper.getElementById($("edge-from").value), other = paper.getElementById($("edge-to").value);
    if (one.length && other.length && one.id() !== other.id()) join(one, other);
    tell();
  });
  $("relabel").addEventListener("click", () => {
    const node = first ?? paper.getElementById($("edge-from").value);
    if (node.length ?? node) node.data({ name: valueOf(labelOf("label")), label: labelOf("label") ?? "•" });
    choose(null);
  });
  $("erase").addEventListener("click", () => {
    const node = first ?? paper.getElementById($("edge-from").value);
    first = null;
    node.remove();
    tell();
  });
  $("clear").addEventListener("click", () => { paper.elements().remove(); choose(null); });
  $("use-drawn").addEventListener("click", () => use({ graph: drawn() }));
}

export function drawn() {
  const nodes = ordered(), place = new Map(nodes.map((node, k) => [node.id(), k]));
  const edges = paper.edges().toArray();
  const graph = { n: nodes.length, edges: edges.map((edge) => [place.get(edge.data("source")), place.get(edge.data("target"))]) };
  if (nodes.some((node) => node.data("name") !== null)) graph.node_labels = nodes.map((node) => node.data("name"));
  if (edges.some((edge) => edge.data("name") !== null)) graph.edge_labels = edges.map((edge) => edge.data("name"));
  return graph;
}
