/* The page's own script: keys, links that stay in the page, the passage panel, title and address.
   It sends nothing anywhere: what it asks for goes through Gradio or to a run's own files. */
(() => {
  "use strict";

  const SOURCE_PATH = /^\/runs\/([A-Za-z0-9-]{1,64})\/sources\/(\d+)$/;
  const word = (name) => document.getElementById("ll-words")?.dataset[name] || "";
  const send = (detail) => window.leadlineSend && window.leadlineSend(detail);

  function fill(element, value) {
    const kind = element instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
    Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(element, value);
    element.dispatchEvent(new Event("input", { bubbles: true }));
  }

  const questionBox = () => document.querySelector("#ll-question textarea");

  /* Title and address follow the marker that the server draws. */
  const WAIT_FOR_RUN = 4000;
  let shown = null;
  let asked = null; /* What "back" or "forward" asked for and the page does not show yet. */
  if (new URLSearchParams(location.search).get("run")) document.documentElement.dataset.llOpening = "";
  function followMarker() {
    const marker = document.querySelector("[data-ll-run]");
    if (!marker) return;
    delete document.documentElement.dataset.llOpening;
    const { llRun: run, llStatus: status, llTitle: title } = marker.dataset;
    if (title && document.title !== title) document.title = title;
    document.documentElement.dataset.llStatus = status;
    if (asked && run === asked.from && run !== asked.run && performance.now() < asked.until) return;
    const travelled = asked !== null;
    asked = null;
    if (run === shown && !travelled) return;
    const url = new URL(location.href);
    const before = url.searchParams.get("run") || "";
    if (run) url.searchParams.set("run", run);
    else url.searchParams.delete("run");
    if (before !== run) {
      if (shown === null || travelled) history.replaceState({}, "", url);
      else history.pushState({}, "", url);
    }
    if (run && shown === "") sessionStorage.removeItem("leadline-question");
    if (shown !== null) window.scrollTo({ top: 0 });
    shown = run;
    for (const link of document.querySelectorAll("[data-ll-language]")) {
      link.href = link.dataset.llLanguage + url.search;
    }
    markOpenRun();
  }

  function markOpenRun() {
    for (const row of document.querySelectorAll("[data-ll-row]")) {
      const open = row.dataset.llRow === shown && shown !== "";
      if (open) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  let waiting = false;
  new MutationObserver(() => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; followMarker(); markOpenRun(); followPlanDraft(); });
  }).observe(document.documentElement, {
    subtree: true, childList: true, attributes: true, attributeFilter: ["data-ll-run", "data-ll-title"],
  });

  window.addEventListener("popstate", () => {
    const run = new URLSearchParams(location.search).get("run") || "";
    followPanel();
    if (run === shown && !asked) return;
    asked = { run, from: asked ? asked.from : shown, until: performance.now() + WAIT_FOR_RUN };
    setTimeout(followMarker, WAIT_FOR_RUN + 50);
    send({ action: "open", run });
  });

  /* The passage panel. It is an entry of the browser's history, so that "back" closes it; its
     own links add none. */
  let panel = null;
  let leaving = false; /* It was closed by hand, and the browser is on its way back. */
  let wanted = null; /* What was asked for on that way. */
  function openPanel(href, title) {
    if (leaving) { wanted = [href, title]; return; }
    const state = { llPanel: href, llTitle: title || "" };
    if (history.state?.llPanel) history.replaceState(state, "");
    else history.pushState(state, "");
    showPanel(href, title);
  }
  function followPanel() {
    leaving = false;
    const { llPanel: href, llTitle: title } = history.state || {};
    if (!href) panel?.close();
    else if (!panel) showPanel(href, title);
    if (wanted) { const next = wanted; wanted = null; openPanel(...next); }
  }
  function leavePanel() {
    if (!history.state?.llPanel) return;
    leaving = true;
    history.back();
  }
  if (history.state?.llPanel) window.addEventListener("load", followPanel);
  function framed(frame, name) {
    const inside = frame.contentDocument;
    if (!inside) return;
    if (inside.title) name.textContent = inside.title;
    inside.addEventListener("click", (event) => {
      const link = event.target.closest?.('a[href^="#"]');
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      frame.contentWindow.location.replace(link.href);
    });
  }
  function showPanel(href, title) {
    const url = new URL(href, location.href);
    if (url.origin !== location.origin || !SOURCE_PATH.test(url.pathname)) return;
    panel?.remove();
    const made = document.createElement("dialog");
    panel = made;
    panel.className = "ll-panel";
    panel.setAttribute("aria-label", word("panel"));
    const head = document.createElement("header");
    const name = document.createElement("strong");
    name.textContent = word("panel"); name.dir = "auto";
    const tab = document.createElement("a");
    tab.href = href; tab.target = "_blank"; tab.rel = "noopener"; tab.textContent = word("tab");
    const close = document.createElement("button");
    close.type = "button"; close.textContent = "×"; close.setAttribute("aria-label", word("close"));
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-same-origin allow-popups allow-popups-to-escape-sandbox");
    frame.title = title || word("panel");
    const dark = document.body.classList.contains("dark") ? "dark" : "light";
    frame.style.colorScheme = dark;
    frame.src = href;
    head.append(name, tab, close);
    panel.append(head, frame);
    const back = document.activeElement;
    close.addEventListener("click", () => panel.close());
    panel.addEventListener("click", (event) => { if (event.target === panel) panel.close(); });
    frame.addEventListener("load", () => framed(frame, name));
    panel.addEventListener("close", () => {
      made.remove();
      if (panel === made) { panel = null; leavePanel(); }
      back?.focus?.();
    });
    document.body.append(panel);
    panel.showModal();
  }

  function confirmFirst(question, action, then) {
    const dialog = document.createElement("dialog");
    dialog.className = "ll-confirm";
    const text = document.createElement("p");
    text.textContent = question;
    const row = document.createElement("div");
    const no = document.createElement("button");
    const yes = document.createElement("button");
    no.type = yes.type = "button";
    no.textContent = word("cancel"); yes.textContent = action; yes.className = "ll-danger";
    row.append(no, yes);
    dialog.append(text, row);
    no.addEventListener("click", () => dialog.close());
    yes.addEventListener("click", () => { dialog.close(); then(); });
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    no.focus();
  }

  async function copy(button) {
    const answer = await fetch(button.dataset.llCopy);
    if (!answer.ok) return;
    await navigator.clipboard.writeText(await answer.text());
    const label = button.textContent;
    button.textContent = button.dataset.llCopied;
    setTimeout(() => { button.textContent = label; }, 1500);
  }

  /* One click, one run: the second of a double click would start another, or hit the button that
     came in the place of the first. */
  const ACTS = "#ll-actions button, #ll-start, [data-ll-action]";
  const STARTS = "#ll-start-plan, #ll-resume, #ll-retry, #ll-again, #ll-start";
  window.leadlineAnswered = () => {
    for (const busy of document.querySelectorAll(ACTS)) busy.removeAttribute("aria-busy");
  };
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest(ACTS) : null;
    if (!button) return;
    if (event.detail > 1 || button.getAttribute("aria-busy") === "true") {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (button.matches(STARTS)) {
      button.setAttribute("aria-busy", "true");
    }
  }, true);

  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (!target) return;
    const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;

    if (target.closest("[data-ll-skip]")) {
      event.preventDefault(); /* A change of the address would look like "back" or "forward". */
      const main = document.getElementById("ll-main");
      main.tabIndex = -1;
      main.focus();
      return;
    }
    const link = target.closest("a[href]");
    if (link && plain) {
      const url = new URL(link.href, location.href);
      if (url.origin === location.origin && SOURCE_PATH.test(url.pathname)) {
        event.preventDefault();
        const passage = /^#p(\d+)$/.exec(url.hash);
        if (passage) url.searchParams.set("p", passage[1]);
        url.searchParams.set("lang", document.documentElement.lang.startsWith("zh") ? "zh" : "en");
        openPanel(url.pathname + url.search + url.hash, link.dataset.llTip || link.title);
        return;
      }
      if (link.dataset.llOpen !== undefined && window.leadlineSend) {
        event.preventDefault();
        closeDrawer();
        send({ action: "open", run: link.dataset.llOpen });
        return;
      }
      if (link.hash && link.closest(".ll-report") && url.pathname === location.pathname) {
        const goal = document.getElementById(decodeURIComponent(link.hash.slice(1)));
        if (goal) { event.preventDefault(); goal.scrollIntoView({ block: "center" }); goal.focus?.(); }
        return;
      }
    }
    const sample = target.closest("[data-ll-sample]");
    if (sample) {
      const box = questionBox();
      if (box) { fill(box, sample.dataset.llSample); box.focus(); }
      return;
    }
    const act = target.closest("[data-ll-action]");
    if (act) {
      event.preventDefault();
      const detail = { action: act.dataset.llAction, run: act.dataset.llFor };
      if (detail.action === "delete") {
        const topic = act.closest("[data-ll-row]")?.querySelector(".ll-row-topic")?.textContent;
        const asked = word("confirm").replace("{topic}", () => topic || detail.run);
        confirmFirst(asked, word("delete"), () => send(detail));
      } else {
        if (window.leadlineSend) act.setAttribute("aria-busy", "true");
        send(detail);
      }
      return;
    }
    const draft = target.closest("[data-ll-draft]");
    if (draft) {
      if (draft.dataset.llDraft === "restore") restorePlan();
      else { dropPlan(shown); followPlanDraft(); }
      return;
    }
    const copyButton = target.closest("[data-ll-copy]");
    if (copyButton) { copy(copyButton); return; }
    const stop = target.closest("#ll-stop");
    if (stop && !stop.disabled) {
      stop.textContent = word("stopping");
      document.documentElement.dataset.llStatus = "stopping";
    }
  });

  /* A question that was typed outlives a reload (Gradio reloads when the server came back). */
  const DRAFT = "leadline-question";
  document.addEventListener("input", (event) => {
    if (event.target !== questionBox()) return;
    try {
      sessionStorage.setItem(DRAFT, event.target.value);
    } catch (error) { /* Too long for the browser's store: it stays in the box alone. */
      sessionStorage.removeItem(DRAFT);
    }
  });
  function restoreDraft() {
    const box = questionBox();
    if (!box) return setTimeout(restoreDraft, 200);
    const text = sessionStorage.getItem(DRAFT);
    if (text && !box.value) fill(box, text);
  }
  window.addEventListener("load", restoreDraft);

  /* So does an edit of a plan that is not saved: the plan alone is kept, by run, with what the
     editor was opened with, so that a save after all meets what changed meanwhile. */
  const PLAN_DRAFT = "leadline-plan:";
  const WAIT_FOR_EDITOR = 5000;
  const planBox = () => document.querySelector("#ll-editor textarea");
  const openedWith = () => document.querySelector("#ll-editing textarea, #ll-editing input");
  const dropPlan = (run) => sessionStorage.removeItem(PLAN_DRAFT + run);
  let savedAt = "";

  function parsed(text) {
    try { return JSON.parse(text); } catch (error) { return null; }
  }
  function keepPlan(text) {
    const editing = openedWith()?.value || "";
    if (!shown || !editing) return;
    if (text === parsed(editing)?.[1]) { dropPlan(shown); return; }
    try {
      sessionStorage.setItem(PLAN_DRAFT + shown, JSON.stringify({ editing, text }));
    } catch (error) { /* Too long for the browser's store. */
      dropPlan(shown);
    }
  }
  function keptPlan() {
    const kept = shown ? parsed(sessionStorage.getItem(PLAN_DRAFT + shown)) : null;
    return kept && typeof kept.text === "string" && typeof kept.editing === "string" ? kept : null;
  }
  function followPlanDraft() {
    const mark = document.querySelector("[data-ll-saved]");
    if (mark && mark.dataset.llAt !== savedAt) {
      savedAt = mark.dataset.llAt;
      dropPlan(mark.dataset.llSaved);
    }
    const offer = document.querySelector(".ll-draft-offer");
    if (!offer) return;
    const kept = keptPlan();
    const hide = !kept || planBox()?.value === kept.text;
    if (offer.hidden !== hide) offer.hidden = hide;
  }
  async function restorePlan() {
    const kept = keptPlan();
    if (!kept) return;
    if (!planBox()) document.querySelector("#ll-edit")?.click();
    const until = performance.now() + WAIT_FOR_EDITOR;
    while (!(planBox() && openedWith()?.value)) {
      if (performance.now() > until) return;
      await new Promise(requestAnimationFrame);
    }
    fill(openedWith(), kept.editing);
    fill(planBox(), kept.text);
    planBox().focus();
    followPlanDraft();
  }
  document.addEventListener("input", (event) => {
    if (event.target !== planBox()) return;
    keepPlan(event.target.value);
    followPlanDraft();
  });

  /* When the server does not answer, the page says so until it does. */
  const ASK_EVERY = 5000;
  const ASK_SOON = 1500;
  const ANSWER_WITHIN = 4000;
  let unanswered = 0;
  async function askServer() {
    if (document.visibilityState === "visible") {
      let answers = false;
      try {
        const signal = AbortSignal.timeout(ANSWER_WITHIN);
        answers = (await fetch("/healthz", { cache: "no-store", signal })).status < 500;
      } catch (error) { /* No connection, or no answer in time: that is what is asked here. */ }
      unanswered = answers ? 0 : unanswered + 1;
      sayServerIsDown(unanswered > 1);
    }
    setTimeout(askServer, unanswered ? ASK_SOON : ASK_EVERY);
  }
  function sayServerIsDown(down) {
    const banner = document.querySelector(".ll-down");
    if (!down) { banner?.remove(); return; }
    if (banner) return;
    const made = document.createElement("p");
    made.className = "ll-down";
    made.setAttribute("role", "alert");
    made.textContent = word("down");
    document.body.append(made);
  }
  window.addEventListener("load", () => setTimeout(askServer, ASK_EVERY));

  const PLAN_FILE_BYTES = 300_000;
  document.addEventListener("change", async (event) => {
    const input = event.target;
    if (!(input instanceof HTMLInputElement) || !input.matches("[data-ll-plan-file]")) return;
    const file = input.files?.[0];
    const box = document.querySelector("#ll-own-plan textarea");
    const problem = input.closest(".ll-file-row").querySelector("[role=alert]");
    const fits = !file || file.size <= PLAN_FILE_BYTES;
    problem.textContent = fits ? "" : problem.dataset.tooLarge;
    if (file && box && fits) fill(box, await file.text());
    input.value = "";
  });

  /* Keys. Capture phase, so that Enter is ours before Gradio's text box sees it. */
  document.addEventListener("keydown", (event) => {
    const target = event.target;
    if (event.key === "Enter" && target === questionBox()) {
      if (event.isComposing || event.keyCode === 229 || event.shiftKey) { event.stopPropagation(); return; }
      event.preventDefault();
      event.stopPropagation();
      target.dispatchEvent(new Event("change", { bubbles: true }));
      setTimeout(() => document.querySelector("#ll-start")?.click(), 60);
      return;
    }
    const typing = target instanceof Element && target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const box = questionBox();
      if (box && box.offsetParent) { event.preventDefault(); box.focus(); }
    }
  }, true);

  /* Gradio would send on Shift+Enter; here it breaks the line. */
  document.addEventListener("keypress", (event) => {
    if (event.key === "Enter" && event.target === questionBox()) event.stopPropagation();
  }, true);

  /* On a narrow screen the list of runs begins closed, and closes after a choice. */
  const narrow = window.matchMedia("(max-width: 768px)");
  function closeDrawer() {
    if (narrow.matches) document.querySelector(".sidebar.open .toggle-button")?.click();
  }
  const drawer = new MutationObserver(() => {
    if (!document.querySelector(".sidebar .toggle-button")) return;
    drawer.disconnect();
    setTimeout(closeDrawer, 0);
  });
  drawer.observe(document.documentElement, { subtree: true, childList: true });
})();
