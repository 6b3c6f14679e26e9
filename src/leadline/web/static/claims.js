/* Claims on the report tab: filters and sorting of the table, what a citation tells on hover and on
   focus, downloads that say what went wrong. It asks nothing of the server but those files. */
(() => {
  "use strict";

  const word = (name) => document.getElementById("ll-words")?.dataset[name] || "";

  /* Filters. Everything they go by stands in the rows. */
  const fields = (section) => [...section.querySelectorAll("[data-ll-filter]")];
  function wanted(section) {
    const values = {};
    for (const field of fields(section)) {
      const value = field.type === "checkbox" ? field.checked : field.value;
      values[field.dataset.llFilter] = value;
    }
    const words = (values.text || "").toLocaleLowerCase().split(/\s+/).filter(Boolean);
    return { ...values, words };
  }
  function fits(row, want) {
    const { state, view, origins, grade } = row.dataset;
    if (want.state && state !== want.state) return false;
    if (want.view && !view.split(" ").includes(want.view)) return false;
    if (want.grade && grade !== want.grade) return false;
    if (want.origins && Number(origins) < 2) return false;
    if (!want.words.length) return true;
    const text = row.textContent.toLocaleLowerCase();
    return want.words.every((part) => text.includes(part));
  }
  function filter(section) {
    const want = wanted(section);
    const rows = [...section.querySelectorAll("tbody tr")];
    let shown = 0;
    for (const row of rows) {
      const keep = fits(row, want);
      if (row.hidden === keep) row.hidden = !keep;
      shown += keep;
    }
    for (const chip of document.querySelectorAll("[data-ll-show-state]")) {
      chip.setAttribute("aria-pressed", String(chip.dataset.llShowState === want.state));
    }
    const counted = section.dataset.counted.replace("{n}", shown).replace("{total}", rows.length);
    section.querySelector("[data-ll-shown]").textContent = counted;
    section.querySelector("[data-ll-filter-reset]").hidden = shown === rows.length;
    section.querySelector("[data-ll-no-claim]").hidden = shown > 0;
    section.querySelector(".ll-claims-box").hidden = shown === 0;
  }
  function reset(section) {
    for (const field of fields(section)) {
      if (field.type === "checkbox") field.checked = false;
      else field.value = "";
    }
    filter(section);
  }
  function onFilter(event) {
    const section = event.target.closest?.("[data-ll-claims]");
    if (section && event.target.matches("[data-ll-filter]")) filter(section);
  }
  document.addEventListener("input", onFilter);
  document.addEventListener("change", onFilter);

  /* Sorting. A second click turns it round, a third gives the order of the claims back. */
  const NUMBERS = { claim: "n", state: "weak", origins: "origins", grade: "total" };
  const LARGEST_FIRST = new Set(["state", "origins", "grade"]);
  const TEXTS = { statement: ".ll-col-statement", view: ".ll-col-view" };
  function sort(section, name) {
    const head = section.querySelector(`th.ll-col-${name}`);
    const first = LARGEST_FIRST.has(name) ? "descending" : "ascending";
    const second = first === "ascending" ? "descending" : "ascending";
    const now = head.getAttribute("aria-sort");
    const next = now === first ? second : now === second ? "" : first;
    for (const other of section.querySelectorAll("th")) other.removeAttribute("aria-sort");
    if (next) head.setAttribute("aria-sort", next);
    const key = next ? name : "claim";
    const value = NUMBERS[key]
      ? (row) => Number(row.dataset[NUMBERS[key]])
      : (row) => row.querySelector(TEXTS[key]).textContent;
    const compare = NUMBERS[key] ? (a, b) => a - b : (a, b) => a.localeCompare(b);
    const turn = next === "descending" ? -1 : 1;
    const body = section.querySelector("tbody");
    const rows = [...body.rows].map((row) => ({ row, value: value(row), n: Number(row.dataset.n) }));
    rows.sort((a, b) => turn * compare(a.value, b.value) || a.n - b.n);
    body.append(...rows.map(({ row }) => row));
  }

  function go(id) {
    const goal = document.getElementById(id);
    if (!goal) return;
    goal.scrollIntoView({ block: "start" });
    goal.focus({ preventScroll: true });
  }

  document.addEventListener("click", (event) => {
    const target = event.target;
    if (!(target instanceof Element) || event.button !== 0) return;
    const chip = target.closest("[data-ll-show-state]");
    if (chip) {
      const section = document.querySelector("[data-ll-claims]");
      if (!section) return;
      const state = section.querySelector('[data-ll-filter="state"]');
      if (chip.getAttribute("aria-pressed") === "true") {
        state.value = "";
        filter(section);
        return;
      }
      reset(section);
      state.value = chip.dataset.llShowState;
      filter(section);
      go(section.id);
      return;
    }
    const way = target.closest("[data-ll-go]");
    if (way) { event.preventDefault(); go(way.dataset.llGo); return; }
    const section = target.closest("[data-ll-claims]");
    if (section) {
      const by = target.closest("[data-ll-sort]");
      if (by) { sort(section, by.dataset.llSort); return; }
      if (target.closest("[data-ll-filter-reset]")) { reset(section); go(section.id); return; }
      const row = target.closest("tbody tr");
      if (row && !target.closest("a, button, abbr") && !String(getSelection())) {
        row.querySelector("[data-ll-row-link]")?.click();
      }
      return;
    }
    const file = target.closest("a[data-ll-download]");
    if (file && !(event.ctrlKey || event.metaKey || event.shiftKey)) {
      event.preventDefault();
      download(file);
    }
  });

  /* A download that cannot be made says why beside its link, in place of an empty file. */
  async function download(link) {
    if (link.getAttribute("aria-busy") === "true") return;
    const problem = link.closest(".ll-downloads").querySelector("[data-ll-download-error]");
    const label = link.textContent;
    problem.textContent = "";
    link.setAttribute("aria-busy", "true");
    const slow = setTimeout(() => { link.textContent = word("preparing"); }, 400);
    try {
      const url = new URL(link.href);
      url.searchParams.set("lang", document.documentElement.lang.startsWith("zh") ? "zh" : "en");
      const answer = await fetch(url, { cache: "no-store" });
      if (answer.ok) {
        const named = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") || "");
        save(await answer.blob(), named ? named[1] : "");
      } else {
        const said = (await answer.json().catch(() => null))?.error?.message;
        problem.textContent = said || word("failed");
      }
    } catch (error) { /* No connection, or it broke off: that is what is said. */
      problem.textContent = word("failed");
    } finally {
      clearTimeout(slow);
      link.textContent = label;
      link.removeAttribute("aria-busy");
    }
  }
  const KEEP_FOR = 60_000;
  function save(content, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(content);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), KEEP_FOR);
  }

  /* What a citation rests on, for the mouse and for the keyboard. */
  const TIP = "ll-tip";
  const WAIT = 150;
  let tip = null;
  let told = null;
  let timer = 0;
  function show(link) {
    clearTimeout(timer);
    if (told === link) return;
    hide();
    const text = link.title || link.dataset.llTip;
    if (!text) return;
    told = link;
    link.dataset.llTip = text;
    link.removeAttribute("title");
    tip = document.createElement("div");
    tip.id = TIP;
    tip.setAttribute("role", "tooltip");
    for (const line of text.split("\n")) {
      const part = document.createElement("p");
      part.dir = "auto";
      part.textContent = line;
      if (!line.startsWith("“")) part.className = "ll-tip-state";
      tip.append(part);
    }
    document.body.append(tip);
    link.setAttribute("aria-describedby", TIP);
    place(link);
  }
  function place(link) {
    const at = link.getBoundingClientRect();
    const { width, height } = tip.getBoundingClientRect();
    const text = link.closest(".ll-report, .ll-claims").getBoundingClientRect();
    const middle = Math.max(text.left, at.left + at.width / 2 - width / 2);
    const left = Math.max(8, Math.min(middle, innerWidth - width - 8));
    const below = at.bottom + 6;
    const top = below + height > innerHeight - 8 ? Math.max(8, at.top - height - 6) : below;
    tip.style.left = `${left}px`;
    tip.style.top = `${top}px`;
  }
  function hide() {
    clearTimeout(timer);
    if (!told) return;
    told.title = told.dataset.llTip;
    delete told.dataset.llTip;
    told.removeAttribute("aria-describedby");
    tip.remove();
    tip = told = null;
  }
  const citation = (target) =>
    target instanceof Element ? target.closest(".ll-report a.cite, .ll-claim-text") : null;
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const link = citation(event.target);
    clearTimeout(timer);
    if (link) timer = setTimeout(() => show(link), WAIT);
    else if (told && !tip.contains(event.target)) timer = setTimeout(hide, WAIT);
  });
  document.addEventListener("focusin", (event) => {
    const link = citation(event.target);
    if (link?.matches(":focus-visible")) show(link);
    else hide();
  });
  document.addEventListener("focusout", (event) => { if (event.target === told) hide(); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  document.addEventListener("click", hide);
  document.addEventListener("scroll", hide, { capture: true, passive: true });
})();
