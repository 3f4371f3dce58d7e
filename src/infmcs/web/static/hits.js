// Ranked hits: as they come, with what is proven about each and about their order.

import * as service from "./service.js";
import { $, csv, make, save, share, some, toText } from "./words.js";

let found = null, source = null, wish = null, pictures = new Map(), running = null, title = "";

export const pairLink = (id, view) =>
  `#pair?${new URLSearchParams({ left: toText(source), right: `id:${id}`, metric: wish.metric, ...(view ? { view } : {}) })}`;

export function stop() {
  running?.abort();
  running = null;
}

export async function search(query, wishes, name) {
  stop();
  const mine = running = new AbortController();
  if (found && (toText(query) !== toText(source ?? query) || wishes.metric !== wish?.metric)) pictures = new Map();
  source = query;
  wish = wishes;
  title = name;
  $("hits").hidden = false;
  $("list").replaceChildren();
  $("claim").textContent = "Searching …";
  const body = { query, metric: wishes.metric, ...(wishes.top ? { top: wishes.top } : {}), ...(wishes.threshold ? { threshold: wishes.threshold } : {}) };
  try {
    await service.stream("/api/search/events", body, mine.signal, (event, told) => {
      if (event === "hits") { found = told; show(); }
      if (event === "done") claim(true);
    });
  } catch (error) {
    if (error.name === "AbortError") return;
    $("claim").textContent = error.message;
    throw error;
  }
}

function claim(done) {
  const time = found.seconds < 0.01 ? "under 10 ms" : `${found.seconds.toFixed(2)} s`;
  const searched = `${some(found.graphs, "graph")} in ${time}`;
  if (!found.hits.length) $("claim").textContent = `No graph is that similar (${searched}).`;
  else if (found.complete) $("claim").textContent = `Proven: no other graph is more similar than these (${searched}).${found.tied.length ? ` ${some(found.tied.length, "more graph")} as similar as the last.` : ""}`;
  else $("claim").textContent = done ? `Not proven in the time allowed: intervals are open (${searched}).` : "Searching on; what is shown can still change …";
}

function show() {
  claim(false);
  $("list").replaceChildren(...found.hits.map(item));
  $("hits-title").textContent = `Most similar to ${title}`;
}

function item(hit, rank) {
  const name = hit.name ?? `graph ${hit.id}`;
  const image = make("img", { alt: `${name}, the common part marked`, loading: "lazy" });
  draw(hit, image);
  const told = hit.proved ? `similarity ${share(hit.similarity)}, proved` : `similarity between ${share(hit.lower)} and ${share(hit.upper)}`;
  return make("li", { "data-id": hit.id },
    make("a", { href: pairLink(hit.id) }, `${rank + 1}. ${name}`),
    image,
    make("div", { class: "row" }, make("span", {}, share(hit.similarity)),
      hit.proved ? make("span", { class: "proved" }, "✓ proved") : make("span", { class: "faint" }, `${share(hit.lower)} – ${share(hit.upper)}`)),
    bar(hit, told),
    make("div", { class: "row faint" }, make("span", {}, `${some(hit.nodes, "node")}, ${some(hit.edges, "edge")}`),
      hit.score === null ? null : make("span", {}, `model ${share(hit.score)}`)));
}

export function bar(hit, told) {
  const whole = make("div", { class: "bar", role: "img", "aria-label": told });
  const solid = make("i"), open = make("b");
  solid.style.width = `${100 * hit.lower}%`;
  open.style.left = `${100 * hit.lower}%`;
  open.style.width = `${100 * Math.max(0, hit.upper - hit.lower)}%`;
  whole.append(solid, open);
  return whole;
}

async function draw(hit, image) {
  const marked = hit.mapping.map((pair) => pair[1]).join(",");
  const address = `/api/graphs/${hit.id}/picture?marked=${marked}`;
  try {
    if (!pictures.has(address)) pictures.set(address, service.text(address));
    image.src = service.picture(await pictures.get(address));
  } catch {
    pictures.delete(address);
    image.alt = "the picture could not be fetched";
  }
}

export function wire() {
  for (const button of document.querySelectorAll("[data-hits]")) {
    button.addEventListener("click", () => { if (found) exported[button.dataset.hits](); });
  }
}

const COLUMNS = ["rank", "id", "name", "similarity", "lower", "upper", "proved", "score", "mapping"];
const exported = {
  json: () => save("hits.json", "application/json", JSON.stringify({ query: source, metric: wish.metric, ...found }, null, 2)),
  csv: () => save("hits.csv", "text/csv", csv([COLUMNS, ...found.hits.map((hit, k) =>
    [k + 1, hit.id, hit.name, hit.similarity, hit.lower, hit.upper, hit.proved, hit.score, hit.mapping.map((pair) => pair.join("-")).join(" ")])])),
  svg: async () => save("hits.svg", "image/svg+xml", await sheet()),
};

// All pictures on one sheet, four in a row.
async function sheet() {
  const all = document.implementation.createDocument("http://www.w3.org/2000/svg", "svg");
  const root = all.documentElement, [wide, high] = [260, 240];
  const put = (tag, attributes, text) => {
    const one = all.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
    if (text) one.textContent = text;
    root.append(one);
  };
  root.setAttribute("viewBox", `0 0 ${4 * wide} ${Math.ceil(found.hits.length / 4) * high}`);
  for (const [k, hit] of found.hits.entries()) {
    const svg = await service.text(`/api/graphs/${hit.id}/picture?marked=${hit.mapping.map((pair) => pair[1]).join(",")}`);
    const part = all.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);
    const place = { x: (k % 4) * wide + 10, y: Math.floor(k / 4) * high + 34, width: wide - 20, height: high - 44 };
    for (const [name, value] of Object.entries(place)) part.setAttribute(name, value);
    put("text", { x: place.x, y: place.y - 12, "font-family": "sans-serif", "font-size": 14, fill: "#59636e" },
      `${k + 1}. ${hit.name ?? hit.id}: ${share(hit.similarity)}${hit.proved ? " proved" : ""}`);
    root.append(part);
  }
  return new XMLSerializer().serializeToString(all);
}
