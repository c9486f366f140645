"use strict";
(() => {
  // As search_key() in handbook.py: what differs from machine to machine is left out.
  const words = (text) =>
    text.toLowerCase().replace(/0x[0-9a-f]+|(?:\/[^\s:,]+)+|\d[\d.]*/g, " ").match(/[a-z_]{2,}/g) || [];

  const copy = async (button) => {
    await navigator.clipboard.writeText(button.parentElement.querySelector("code, pre").textContent);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  };
  document.addEventListener("click", (event) => {
    if (event.target.matches(".copy")) copy(event.target);
  });

  const search = document.querySelector(".search");
  if (!search) return;
  const body = document.querySelector(".errors tbody");
  const rows = [...body.rows].map((row) => ({ row, words: new Set(row.dataset.key.split(" ")) }));
  const having = new Map();
  for (const { words: held } of rows) for (const word of held) having.set(word, (having.get(word) || 0) + 1);
  const weight = (word) => Math.log(1 + rows.length / (having.get(word) || 0.5));
  const sum = (some) => [...some].reduce((total, word) => total + weight(word), 0);

  // How much of the known error stands in what was pasted, or, of a few words, how much of them in the error.
  const score = (held, wanted) => {
    const common = sum([...held].filter((word) => wanted.has(word)));
    return Math.max(common / sum(held), (0.9 * common) / sum(wanted)) + common / 10000;
  };

  const field = search.querySelector("textarea");
  const said = search.querySelector("output");
  const show = () => {
    const wanted = new Set(words(field.value));
    const ranked = rows.map((each) => ({ ...each, score: wanted.size ? score(each.words, wanted) : 0 }));
    if (wanted.size) ranked.sort((a, b) => b.score - a.score);
    const shown = ranked.filter((each) => !wanted.size || each.score > 0.6).slice(0, wanted.size ? 8 : undefined);
    for (const { row } of rows) row.hidden = true;
    for (const { row } of shown) row.hidden = false;
    body.append(...ranked.map((each) => each.row));
    // Errors that differ in a word or two from the best one are as good: libtorch words one refusal in several ways.
    const best = new Set(shown.filter((each) => each.score > 0.95 * shown[0].score).map((each) => each.row));
    for (const { row } of rows) row.classList.toggle("best", wanted.size > 0 && best.has(row));
    said.textContent = !wanted.size ? `${rows.length} errors` : shown.length ? `${shown.length} of ${rows.length} errors, the best first` : "No recorded error is like this one.";
    history.replaceState(null, "", field.value ? `#error=${encodeURIComponent(field.value.slice(0, 500))}` : location.pathname);
  };
  search.hidden = false;
  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    body.querySelector("tr.best a")?.click();
  });
  const linked = new URLSearchParams(location.hash.slice(1)).get("error");
  if (linked) {
    field.value = linked;
    show();
  } else said.textContent = `${rows.length} errors`;
})();
