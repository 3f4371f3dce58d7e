// Talking to the service: JSON, pictures, streamed hits; what it refuses becomes a `Problem`.

export class Problem extends Error {
  constructor(told, status) {
    super(told.detail);
    this.hint = told.hint ?? "";
    this.status = status;
  }
  get text() { return this.hint ? `${this.message}\n${this.hint}` : this.message; }
}

export class Lost extends Error {}

const listeners = { lost: () => {}, found: () => {}, locked: () => {} };
export const on = (event, listener) => { listeners[event] = listener; };

const TOKEN = "infmcs-token";
export const keepToken = (token) => sessionStorage.setItem(TOKEN, token);

async function ask(path, options = {}) {
  const headers = { ...options.headers };
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(path, { ...options, headers, cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    listeners.lost();
    throw new Lost("the service cannot be reached");
  }
  listeners.found();
  if (response.ok) return response;
  if (response.status === 401) listeners.locked();
  let told = {};
  try { told = await response.json(); } catch { /* not ours */ }
  throw new Problem({ detail: `the service answered ${response.status}`, ...told }, response.status);
}

const sent = (body) => ({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export const get = async (path) => (await ask(path)).json();
export const post = async (path, body, signal) => (await ask(path, { ...sent(body), signal })).json();
export const text = async (path, body) => (await ask(path, body ? sent(body) : {})).text();
export const upload = async (file) =>
  (await ask(`/api/read?name=${encodeURIComponent(file.name)}`, {
    method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file,
  })).json();

// Calls tell(event, content) for each server-sent event; returns when the stream has ended well.
export async function stream(path, body, signal, tell) {
  const response = await ask(path, { ...sent(body), signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "", ended = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      waiting += value;
      for (let cut = waiting.indexOf("\n\n"); cut >= 0; cut = waiting.indexOf("\n\n")) {
        const [name, content] = waiting.slice(0, cut).split("\n");
        waiting = waiting.slice(cut + 2);
        const told = JSON.parse(content.slice("data: ".length));
        if (name === "event: problem") throw new Problem(told, told.status);
        ended ||= name === "event: done";
        tell(name.slice("event: ".length), told);
      }
    }
  } catch (error) {
    if (error instanceof Problem || error.name === "AbortError") throw error;
    ended = false;
  }
  if (!ended) {
    listeners.lost();
    throw new Lost("the service was lost in the middle of the search; what is shown is not the whole answer");
  }
}

export const picture = (svg) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
