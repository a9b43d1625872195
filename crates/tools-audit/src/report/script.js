
"use strict";
(() => {
  const bars = [...document.querySelectorAll(".bar")];
  const calls = [...document.querySelectorAll(".call")];
  const barOf = new Map(bars.map((bar) => ["c" + bar.dataset.call, bar]));
  const chosen = () => location.hash.slice(1);

  const mark = () => {
    for (const bar of document.querySelectorAll(".bar.chosen")) bar.classList.remove("chosen");
    const bar = barOf.get(chosen());
    if (!bar) return;
    bar.classList.add("chosen");
    bar.scrollIntoView({ block: "nearest", inline: "nearest" });
    // The strip stays in sight: the list below it has scrolled to the call.
    const film = document.querySelector(".session-film");
    if (film.getBoundingClientRect().top < 0) film.scrollIntoView({ block: "start" });
  };
  addEventListener("hashchange", mark);
  mark();

  // A second click on an open row closes it.
  document.getElementById("calls").addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (row && row.getAttribute("href") === location.hash) {
      event.preventDefault();
      location.hash = "none";
    }
  });

  addEventListener("keydown", (event) => {
    if (event.target.matches("input") || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const shown = calls.filter((call) => !call.hidden);
    if (!step || shown.length === 0) return;
    event.preventDefault();
    const at = shown.findIndex((call) => call.id === chosen());
    const next = at < 0 ? (step > 0 ? 0 : shown.length - 1) : Math.min(Math.max(at + step, 0), shown.length - 1);
    location.hash = shown[next].id;
  });

  const find = document.getElementById("find");
  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLowerCase();
    let found = 0;
    for (const call of calls) {
      call.hidden = wanted !== "" && !call.textContent.toLowerCase().includes(wanted);
      const bar = barOf.get(call.id);
      if (bar) bar.classList.toggle("faint", call.hidden);
      if (!call.hidden) found += 1;
    }
    document.getElementById("found").textContent = wanted === "" ? "" : found + " of " + calls.length;
  });
})();
