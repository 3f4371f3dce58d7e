// The page: one address for every view. `#` asks, `#search?…` shows hits, `#pair?…` shows two graphs.

import * as ask from "./ask.js";
import * as hits from "./hits.js";
import * as pair from "./pair.js";
import * as service from "./service.js";
import { $, called, fromText, notice, some, toText } from "./words.js";

let about = null, query = null, lastSearch = "#";

// -- where we are --------------------------------------------------------------------------------------------------

function wishes() {
  return { metric: $("metric").value, top: Number($("top").value) || null, threshold: Number($("threshold").value) || null };
}

function searchLink() {
  const { metric, top, threshold } = wishes();
  return `#search?${new URLSearchParams({ query: toText(query), metric, ...(top ? { top } : {}), ...(threshold ? { threshold } : {}) })}`;
}

async function follow() {
  const [view, rest] = location.hash.slice(1).split(/\?(.*)/s);
  const told = new URLSearchParams(rest ?? "");
  $("ask-error").textContent = "";
  try {
    if (view === "search") await openSearch(told);
    else if (view === "pair") await openPair(told);
    else { showOnly("ask"); document.title = "infmcs: which graphs are similar, and why"; }
  } catch (error) {
    if (error instanceof service.Lost) return;
    showOnly("ask");
    $("ask-error").textContent = error.text ?? `This link cannot be opened: ${error.message}`;
  }
}

function showOnly(...ids) {
  for (const id of ["ask", "hits", "pair"]) $(id).hidden = !ids.includes(id);
}

async function openSearch(told) {
  const source = fromText(told.get("query") ?? "");
  $("metric").value = told.get("metric") === "ged" ? "ged" : "mcs";
  $("top").value = told.get("top") ?? "";
  $("threshold").value = told.get("threshold") ?? "";
  lastSearch = location.hash;
  pair.stop();
  showOnly("ask", "hits");
  document.title = "Most similar – infmcs";
  await choose(source);
  if (shown === location.hash) return; // back from a pair: they are still there
  shown = location.hash;
  try {
    await hits.search(source, wishes(), name);
  } catch (error) {
    shown = null;
    throw error;
  }
}

let shown = null, name = "";

async function openPair(told) {
  const [left, right] = [fromText(told.get("left") ?? ""), fromText(told.get("right") ?? "")];
  const metric = told.get("metric") === "ged" ? "ged" : "mcs";
  const view = ["model", "top"].includes(told.get("view")) ? told.get("view") : "exact";
  showOnly("pair");
  $("back").href = lastSearch;
  if (!(await pair.again(left, right, metric, view))) await pair.show(left, right, metric, view);
}

// -- the query -------------------------------------------------------------------------------------------------------

async function choose(source, graph) {
  if (query && toText(query) === toText(source)) return;
  const known = graph ?? (source.id !== undefined ? await service.get(`/api/graphs/${source.id}`) : source.graph);
  const small = known && known.nodes !== undefined ? { name: known.name, n: known.nodes, edges: { length: known.edges } } : known;
  const full = small && small.n === undefined && small.edges ? { ...small, n: small.node_labels?.length ?? 0 } : small;
  await ask.showQuery(source, full);
  query = source;
  name = called(source, full);
}

async function use(source, row) {
  await choose(source, row);
  $("search").focus();
}

// -- the service as a whole ------------------------------------------------------------------------------------------

let retry = null;

function lost() {
  if (retry) return;
  $("lost").hidden = false;
  $("lost").replaceChildren("The service cannot be reached. What is shown stays; it is asked again every few seconds.");
  retry = setInterval(async () => {
    try { await service.get("/api/health"); } catch { return; }
  }, 2000);
}

function found() {
  if (!retry) return;
  clearInterval(retry);
  retry = null;
  $("lost").hidden = true;
  notice("The service is back.");
  shown = null;
  if (about === null) start(); else if (location.hash.startsWith("#search")) follow();
}

function locked() {
  $("door").hidden = false;
  $("main").hidden = true;
  $("token").focus();
}

async function start() {
  try {
    about = await service.get("/api/about");
  } catch (error) {
    if (!(error instanceof service.Lost) && error.status !== 401) $("about").textContent = error.text ?? error.message;
    return;
  }
  $("door").hidden = true;
  $("main").hidden = false;
  $("about").textContent = `${some(about.graphs, "graph")}${about.models.length ? `, ${some(about.models.length, "model")}` : ""}. Graph similarity that can be checked.`;
  $("top").max = about.limits.top;
  ask.open(about);
  pair.open(about);
  await ask.showQuery(null);
  await follow();
}

service.on("lost", lost);
service.on("found", found);
service.on("locked", locked);
ask.wire(use);
hits.wire();
pair.wire((view, anew) => {
  const [name, rest] = location.hash.slice(1).split(/\?(.*)/s);
  const told = new URLSearchParams(rest ?? "");
  told.set("view", view);
  const link = `#${name}?${told}`;
  if (link === location.hash || anew) follow(); else location.hash = link;
});
$("wish").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!query) { $("ask-error").textContent = "Choose a query first: from the index, drawn, pasted or uploaded."; return; }
  shown = null;
  if (location.hash === searchLink()) follow(); else location.hash = searchLink();
});
$("door").addEventListener("submit", (event) => {
  event.preventDefault();
  service.keepToken($("token").value);
  start();
});
for (const button of document.querySelectorAll("[data-link]")) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(location.href);
    notice("The link is copied; it opens this view again.");
  });
}
addEventListener("hashchange", () => ask.attempt(follow));
start();
