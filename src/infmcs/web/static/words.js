// Small things that every part of the page needs: elements, numbers, sources of graphs as text, files to save.

export const $ = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const share = (value) => value === null || value === undefined ? "–" : value.toFixed(3);
export const some = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
export const named = (label) => label === null || label === undefined ? "–" : Array.isArray(label) ? label.map(named).join(" ") : String(label);

// A query as part of a link: id:5, smiles:CCO, graph:{…}, and back.
export function toText(source) {
  if (source.id !== undefined) return `id:${source.id}`;
  if (source.smiles !== undefined) return `smiles:${source.smiles}`;
  const graph = Object.fromEntries(Object.entries(source.graph).filter(([, value]) => value !== null && value !== false));
  return `graph:${JSON.stringify(graph)}`;
}

export function fromText(text) {
  const cut = text.indexOf(":"), kind = text.slice(0, cut), rest = text.slice(cut + 1);
  if (kind === "id" && /^\d{1,15}$/.test(rest)) return { id: Number(rest) };
  if (kind === "smiles") return { smiles: rest };
  if (kind === "graph") return { graph: JSON.parse(rest) };
  throw new Error("the link names no graph");
}

export function called(source, graph) {
  if (source.id !== undefined) return graph?.name ? `${graph.name} (graph ${source.id})` : `graph ${source.id}`;
  if (source.smiles !== undefined) return source.smiles;
  return source.graph.name || "your graph";
}

export function save(name, type, content) {
  const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const quoted = (cell) => /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
export const csv = (rows) => rows.map((row) => row.map((cell) => quoted(String(cell ?? ""))).join(",")).join("\r\n") + "\r\n";

export function notice(text) {
  $("notice").textContent = text;
  setTimeout(() => { if ($("notice").textContent === text) $("notice").textContent = ""; }, 4000);
}
