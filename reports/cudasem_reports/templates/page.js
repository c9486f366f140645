"use strict";
(() => {
  const form = document.querySelector(".filters");
  const selector = "[data-area], .listed > li";
  const cases = [...document.querySelectorAll(selector)];
  const attributes = ["area", "kind", "outcome", "verdict"];
  const texts = new Map();

  const textOf = (element) => {
    if (!texts.has(element)) texts.set(element, element.textContent.toLowerCase());
    return texts.get(element);
  };

  // What all items of a list have in common stands at the list.
  const wordsOf = (element, name) => (element.dataset[name] ?? element.parentElement.getAttribute(`data-of-${name}`)).split(" ");

  const matches = (element, wanted) =>
    attributes.every((name) => !wanted[name] || wordsOf(element, name).includes(wanted[name])) &&
    (wanted.text || "").toLowerCase().split(/\s+/).every((word) => textOf(element).includes(word));

  const wantedNow = () => Object.fromEntries([...new FormData(form)].filter(([, value]) => value));

  // `3 of 40 cases`; those of recorded runs are counted apart.
  const counted = (shown, all, noun, filtered) =>
    (filtered ? `${shown} of ` : "") + `${all} ${noun}` + (all === 1 ? "" : "s");

  const show = (wanted) => {
    const shown = { here: 0, recorded: 0 };
    const all = { here: 0, recorded: 0 };
    for (const element of cases) {
      const run = element.closest(".recorded") ? "recorded" : "here";
      element.hidden = !matches(element, wanted);
      all[run] += 1;
      if (!element.hidden) shown[run] += 1;
    }
    for (const group of document.querySelectorAll(".group"))
      group.hidden = group.querySelector(selector) !== null &&
        ![...group.querySelectorAll(selector)].some((element) => !element.hidden);
    for (const control of form.elements) if (control.name) control.classList.toggle("set", Boolean(control.value));
    const filtered = Object.keys(wanted).length > 0;
    form.querySelector(".shown").textContent =
      counted(shown.here, all.here, form.dataset.noun, filtered) +
      (filtered && all.recorded ? `, ${shown.recorded} recorded` : "");
    document.querySelector(".no-match").hidden = shown.here + shown.recorded > 0;
  };

  // The hash holds either the filter (#kind=misuse&text=900) or the id of a case (#capture.item_inside).
  const remember = (wanted) => {
    const hash = new URLSearchParams(wanted).toString();
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  };

  const unfold = (open) =>
    cases.forEach((element) => element.matches("details") && (element.open = open && !element.hidden));

  const follow = () => {
    const hash = location.hash.slice(1);
    if (form && hash.includes("=")) {
      const state = new URLSearchParams(hash);
      for (const name of [...attributes, "text"]) form.elements[name].value = state.get(name) || "";
      show(wantedNow());
      return;
    }
    const target = hash && document.getElementById(decodeURIComponent(hash));
    if (!target) return;
    if (form && target.closest("[hidden]")) {
      form.reset();
      show({});
    }
    if (target.matches("details")) target.open = true;
    target.scrollIntoView();
  };

  const copy = async (button) => {
    const text = button.parentElement.querySelector("code, pre").textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      button.focus();
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  };

  if (form && cases.length) {
    form.hidden = false;
    const update = () => {
      const wanted = wantedNow();
      show(wanted);
      remember(wanted);
    };
    form.addEventListener("input", update);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(update));
    form.querySelector(".unfold")?.addEventListener("click", (event) => {
      const open = event.target.getAttribute("aria-pressed") !== "true";
      event.target.setAttribute("aria-pressed", String(open));
      event.target.textContent = open ? "Fold all" : "Unfold all";
      unfold(open);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select")) return;
      event.preventDefault();
      form.elements.text.focus();
    });
  }
  document.addEventListener("click", (event) => {
    if (event.target.matches(".copy")) copy(event.target);
  });
  window.addEventListener("hashchange", follow);
  follow();
})();
