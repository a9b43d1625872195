"use strict";
// The token stands behind the hash. It is taken out of the address, and kept for this tab.
const token = location.hash.slice(1) || sessionStorage.getItem("token") || "";
if (location.hash) {
  sessionStorage.setItem("token", token);
  history.replaceState(null, "", "/");
}
const at = (id) => document.getElementById(id);
// Everything from outside becomes text, never markup.
function made(name, text, parts = []) {
  const element = document.createElement(name);
  if (text !== undefined && text !== null) element.textContent = String(text);
  element.append(...parts);
  return element;
}
function fill(id, parts, none) {
  at(id).replaceChildren(...(parts.length ? parts : none ? [Object.assign(made("p", none), { className: "none" })] : []));
}
const asked = (path, options = {}) =>
  fetch(path, { ...options, cache: "no-store", headers: { Authorization: `Bearer ${token}` } });

async function answer(id, choice, article) {
  for (const button of article.querySelectorAll("button")) button.disabled = true;
  const reply = await asked("/answer", { method: "POST", body: JSON.stringify({ id, answer: choice }) });
  if (!reply.ok) article.append(made("p", "too late: it is no longer open"));
}
// A question stays where it is while it is open, so that no button moves under a finger.
const open = new Map();
function questions(list) {
  for (const [id, article] of open) {
    if (!list.some((one) => one.id === id)) {
      article.remove();
      open.delete(id);
    }
  }
  for (const one of list) {
    if (!open.has(one.id)) {
      const article = made("article");
      article.append(made("strong", one.client || "a client without a name"), made("span", ` in ${one.workdir} `));
      article.append(made("span"), made("pre", one.question.join("\n")));
      if (one.stores) article.append(made("pre", one.stores));
      const choices = [["once", "Once"], ["no", "No"]];
      if (one.stores) choices.push(["always", "Always, here"]);
      if (one.stores && one.session_lasts) choices.push(["session", "This session"]);
      for (const [word, title] of choices) {
        const button = made("button", title);
        button.dataset.answer = word;
        button.addEventListener("click", () => answer(one.id, word, article));
        article.append(button);
      }
      open.set(one.id, article);
      at("questions").append(article);
    }
    open.get(one.id).querySelectorAll("span")[1].textContent = `${one.seconds} s`;
  }
  const note = at("questions").querySelector(".none");
  if (note && open.size) note.remove();
  if (!note && !open.size) at("questions").append(Object.assign(made("p", "nobody waits for an answer"), { className: "none" }));
}
function show(state) {
  const f = state.figures;
  const words = (counts) => Object.entries(counts).map(([word, count]) => `${word} ${count}`).join(", ") || "none";
  const tiles = [["calls", f.calls], ["failed", f.failed], ["decided", words(f.decisions)], ["tokens saved, about", f.tokens_saved], ["filter confidence", words(f.confidence)]];
  fill("figures", tiles.map(([name, value]) => made("div", null, [made("dt", name), made("dd", value)])));
  questions(state.questions);
  fill("running", state.running.map((one) => made("tr", null, [one.seconds, one.tool, one.job ?? "", one.caller ?? "", one.workdir, one.about].map((cell) => made("td", cell)))));
  fill("calls", state.calls.map((call) => {
    const row = made("tr", null, [call.ts.slice(11, 19), call.tool, call.decision, call.outcome, call.duration_ms, call.about].map((cell) => made("td", cell)));
    row.className = ["allow", "ask", "deny"].includes(call.decision) ? call.decision : "";
    return row;
  }));
  fill("tasks", state.tasks.map((task) => made("li", `${task.name}: ${task.what}; next ${task.next ?? "never"}; ${task.last_status ?? "never ran"}`)), "none in this folder");
  fill("hosts", state.hosts.map((one) => made("li", `${one.host}: ${one.state}`)), "none found");
  at("status").textContent = state.record;
}
async function look() {
  try {
    const reply = await asked("/state");
    if (reply.status === 401) {
      at("status").textContent = "the token is missing or of an earlier start: open the address that haft top printed";
      return;
    }
    show(await reply.json());
  } catch {
    at("status").textContent = "haft top is not running";
  }
  setTimeout(look, 1000);
}
look();
