// Choosing a query: from the index, drawn, pasted, uploaded. Each way ends in `use(source)`.

import * as editor from "./editor.js";
import * as service from "./service.js";
import { $, called, make, named, some } from "./words.js";

const TABS = ["index", "draw", "paste", "upload"];
let about = null;

export function open(facts) {
  about = facts;
  $("formats").textContent = `Formats: ${Object.values(facts.formats).join(", ")}. Graphs of up to ${facts.limits.nodes.toLocaleString("en")} nodes.`;
  list();
}

export function show(name) {
  for (const tab of TABS) {
    const chosen = tab === name;
    $(`tab-${tab}`).setAttribute("aria-selected", chosen);
    $(`tab-${tab}`).tabIndex = chosen ? 0 : -1;
    $(`from-${tab}`).hidden = !chosen;
  }
  if (name === "draw") editor.open(about?.labels);
}

export function wire(use) {
  TABS.forEach((name, k) => {
    $(`tab-${name}`).addEventListener("click", () => show(name));
    $(`tab-${name}`).addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const other = TABS[(k + step + TABS.length) % TABS.length];
      show(other);
      $(`tab-${other}`).focus();
    });
  });
  let waiting;
  $("find").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(list, 200); });
  $("use-pasted").addEventListener("click", () => attempt(async () => use(await pasted())));
  $("file").addEventListener("change", () => attempt(uploaded));
  editor.wire((source) => attempt(async () => {
    if (!source.graph.n) throw new service.Problem({ detail: "the drawing has no node yet" });
    await use(source);
  }));
  chosenBy = use;
}

let chosenBy = () => {};

export async function attempt(work) {
  $("ask-error").textContent = "";
  try {
    await work();
  } catch (error) {
    if (error instanceof service.Lost) return; // told at the top of the page
    $("ask-error").textContent = error instanceof service.Problem ? error.text : String(error.message ?? error);
  }
}

const choice = (name, nodes, edges, chosen) => make("li", {}, make("button", { type: "button", onclick: () => attempt(chosen) },
  name, make("small", {}, `${some(nodes, "node")}, ${some(edges, "edge")}`)));

async function list() {
  await attempt(async () => {
    const name = $("find").value.trim();
    const page = await service.get(`/api/graphs?count=24${name ? `&name=${encodeURIComponent(name)}` : ""}`);
    $("found-count").textContent = page.total > page.graphs.length ? `${page.graphs.length} of ${some(page.total, "graph")}` : some(page.total, "graph");
    $("found").replaceChildren(...page.graphs.map((row) =>
      choice(row.name ?? `graph ${row.id}`, row.nodes, row.edges, () => chosenBy({ id: row.id }, row))));
  });
}

async function uploaded() {
  const file = $("file").files[0];
  $("uploaded").replaceChildren();
  if (!file) return;
  if (file.size > about.limits.body) {
    throw new service.Problem({ detail: `${file.name} has ${file.size.toLocaleString("en")} bytes; up to ${about.limits.body.toLocaleString("en")} can be sent` });
  }
  const found = await service.upload(file);
  if (found.total === 1) { await chosenBy({ graph: sendable(found.graphs[0]) }); return; }
  $("uploaded").replaceChildren(...found.graphs.map((graph, k) =>
    choice(graph.name ?? `graph ${k}`, graph.n, graph.edges.length, () => chosenBy({ graph: sendable(graph) }))));
}

export const sendable = (graph) => Object.fromEntries(Object.entries(graph).filter(([, value]) => value !== null && value !== false));

async function pasted() {
  const text = $("pasted").value.trim(), kind = $("paste-kind").value;
  if (!text) throw new service.Problem({ detail: "nothing has been pasted yet" });
  if (kind === "smiles") return { smiles: text };
  if (kind === "edges") return { graph: edgeList(text) };
  if (kind === "json") {
    try {
      return { graph: JSON.parse(text) };
    } catch (error) {
      throw new service.Problem({ detail: `this is no JSON: ${error.message}`, hint: 'expected {"edges": [[0, 1]], "node_labels": ["C", "O"]}' });
    }
  }
  const found = await service.upload(new File([text], "pasted"));
  if (found.total !== 1) throw new service.Problem({ detail: `the text holds ${found.total} graphs`, hint: "paste one of them" });
  return { graph: sendable(found.graphs[0]) };
}

// `a b [label]`: an edge; `a`: a node by itself. Names are what the text calls nodes.
export function edgeList(text) {
  const nodes = new Map(), edges = [], labels = [];
  const node = (name) => { if (!nodes.has(name)) nodes.set(name, nodes.size); return nodes.get(name); };
  text.split("\n").forEach((line, k) => {
    const words = line.replace(/[#%].*/, "").split(/[\s,;]+/).filter(Boolean);
    if (!words.length) return;
    if (words.length > 3) throw new service.Problem({ detail: `line ${k + 1} has ${words.length} words: ${line.trim().slice(0, 60)}`, hint: "two node names a line, and a label if there is one" });
    const u = node(words[0]);
    if (words.length === 1) return;
    edges.push([u, node(words[1])]);
    labels.push(words[2] ?? null);
  });
  const graph = { n: nodes.size, edges };
  return labels.some((label) => label !== null) ? { ...graph, edge_labels: labels } : graph;
}

export async function showQuery(source, graph) {
  const box = $("query");
  if (!source) { box.replaceChildren(make("span", { class: "faint" }, "No query chosen yet.")); return; }
  const told = graph ? `${some(graph.n, "node")}, ${some(graph.edges.length, "edge")}` : "";
  box.replaceChildren(make("div", {}, make("strong", {}, called(source, graph)), make("br"), make("span", { class: "faint" }, told)));
  const svg = await service.text("/api/picture", { left: source, mapping: [] });
  box.prepend(make("img", { src: service.picture(svg), alt: `Picture of the query, ${called(source, graph)}` }));
}
