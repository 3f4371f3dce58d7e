// A graph on paper: cytoscape with our colours; molecules with bonds drawn as bonds.

import { named } from "./words.js";

const SCALE = 46; // pixels of an edge

export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export const style = (molecule) => [
  { selector: "node", style: {
    "background-color": molecule ? colour("paper") : colour("plain"), "border-width": molecule ? 0 : 1, "border-color": colour("edge"),
    label: "data(label)", color: colour("ink"), "font-size": molecule ? 17 : 12, "text-valign": "center", "text-halign": "center",
    width: molecule ? "data(size)" : 26, height: molecule ? "data(size)" : 26, "overlay-opacity": 0, "z-index": 5,
  } },
  { selector: "edge", style: {
    width: 2, "line-color": molecule ? colour("ink") : colour("edge"), "curve-style": "straight", "overlay-opacity": 0,
    label: "data(label)", "font-size": 10, color: colour("faint"), "text-background-color": colour("paper"), "text-background-opacity": 0.85,
    "source-endpoint": "data(shift)", "target-endpoint": "data(shift)",
  } },
  { selector: "edge.whole", style: { "source-endpoint": "outside-to-node", "target-endpoint": "outside-to-node" } },
  { selector: "edge.arrow", style: { "target-arrow-shape": "triangle", "target-arrow-color": colour("edge"), "curve-style": "bezier" } },
  { selector: "edge.dashed", style: { "line-style": "dashed", "line-dash-pattern": [4, 3] } },
  { selector: "node.common", style: molecule
    ? { "background-color": colour("tint"), width: 26, height: 26, "font-weight": "bold" }
    : { "background-color": colour("common"), "border-color": colour("common"), color: colour("on-common"), "font-weight": "bold" } },
  { selector: "edge.common", style: { "line-color": colour("common"), width: 4 } },
  { selector: "node.scored", style: { "background-color": "data(fill)", color: "data(ink)", "border-width": 1, "border-color": colour("edge"), width: 26, height: 26 } },
  { selector: "node.pointed, node:selected", style: { "border-width": 4, "border-color": colour("ink"), width: 32, height: 32 } },
];

// The colour of a score from 0 to 1, and one that can be read on it.
export function shade(score) {
  const [from, to] = [colour("paper"), colour("common")].map((hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16)));
  const mixed = from.map((low, k) => Math.round(low + (to[k] - low) * score));
  return { fill: `rgb(${mixed.join(",")})`, ink: score > 0.55 ? colour("on-common") : colour("ink") };
}

// How many lines a bond is drawn with, and how far from its middle each is; `inner` ones are dashed (aromatic).
const BONDS = { double: [-2.6, 2.6], triple: [-4, 0, 4], aromatic: [0, 4.5], 2: [-2.6, 2.6], 3: [-4, 0, 4] };

export function elements(graph, places, molecule) {
  const at = places.map(([x, y]) => ({ x: x * SCALE, y: y * SCALE }));
  const labels = graph.node_labels ?? [];
  const beside = at.map(() => []);
  graph.edges.forEach(([u, v]) => { beside[u].push(v); beside[v].push(u); });
  const nodes = at.map((position, node) => {
    const name = labels[node] === undefined || labels[node] === null ? String(node) : named(labels[node]);
    const bare = molecule && name === "C" && beside[node].length > 0;
    return { group: "nodes", data: { id: `n${node}`, node, label: bare ? "" : name, size: bare ? 4 : 20, fill: "", ink: "" }, position };
  });
  const edges = graph.edges.flatMap(([u, v], k) => {
    const name = graph.edge_labels ? graph.edge_labels[k] : null;
    const data = { source: `n${u}`, target: `n${v}`, k, label: "" };
    if (!molecule) {
      const classes = graph.directed ? "whole arrow" : "whole";
      return [{ group: "edges", classes, data: { ...data, id: `e${k}`, label: graph.edges.length <= 60 && name !== null ? named(name) : "", shift: "outside-to-node" } }];
    }
    const dx = at[v].x - at[u].x, dy = at[v].y - at[u].y, length = Math.hypot(dx, dy) || 1;
    let normal = [-dy / length, dx / length];
    const near = [...beside[u], ...beside[v]].filter((node) => node !== u && node !== v).map((node) => at[node]);
    if (near.length) { // the second line of a bond in a ring lies inside
      const mid = [near.reduce((sum, p) => sum + p.x, 0) / near.length - (at[u].x + at[v].x) / 2, near.reduce((sum, p) => sum + p.y, 0) / near.length - (at[u].y + at[v].y) / 2];
      if (mid[0] * normal[0] + mid[1] * normal[1] < 0) normal = [-normal[0], -normal[1]];
    }
    return (BONDS[name] ?? [0]).map((far, line) => ({
      group: "edges", classes: name === "aromatic" && line ? "dashed" : "",
      data: { ...data, id: `e${k}-${line}`, shift: `${(normal[0] * far).toFixed(2)}px ${(normal[1] * far).toFixed(2)}px` },
    }));
  });
  return [...nodes, ...edges];
}

export function figure(container, graph, places, molecule) {
  const fine = matchMedia("(pointer: fine)").matches; // a finger scrolls the page
  return cytoscape({
    container, elements: elements(graph, places, molecule), style: style(molecule), layout: { name: "preset", fit: false },
    autoungrabify: true, boxSelectionEnabled: false, userPanningEnabled: fine, userZoomingEnabled: fine,
    minZoom: 0.05, maxZoom: 4, selectionType: "single",
  });
}

// Both at the same scale and place, so that partners stand alike.
export function fitAlike(figures) {
  const boxes = figures.map((one) => one.elements().boundingBox()).filter((box) => Number.isFinite(box.w));
  if (!boxes.length) return;
  const x1 = Math.min(...boxes.map((b) => b.x1)), x2 = Math.max(...boxes.map((b) => b.x2));
  const y1 = Math.min(...boxes.map((b) => b.y1)), y2 = Math.max(...boxes.map((b) => b.y2));
  for (const one of figures) {
    one.resize();
    const zoom = Math.min(2, (one.width() - 30) / Math.max(1, x2 - x1), (one.height() - 30) / Math.max(1, y2 - y1));
    if (!(zoom > 0)) continue;
    one.viewport({ zoom, pan: { x: one.width() / 2 - zoom * (x1 + x2) / 2, y: one.height() / 2 - zoom * (y1 + y2) / 2 } });
  }
}
