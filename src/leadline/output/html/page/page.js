// The search box: what does not hold all of its words is hidden, and so is what is left empty.
const wanted = { words: [], severities: null };
const box = document.getElementById("find");
const found = document.getElementById("found");
const opened = new Set();

let entries;
function allEntries() {
  entries ??= [...document.querySelectorAll("[data-find]")].map((element) => {
    const around = element.closest("[data-find-prefix]")?.dataset.findPrefix ?? "";
    const own = element.matches(".charts") ? "" : element.textContent;
    return { element, severity: element.dataset.severity, text: `${around} ${own}`.toLowerCase() };
  });
  return entries;
}

function isWanted({ text, severity }) {
  if (severity && wanted.severities && !wanted.severities.has(severity)) return false;
  return wanted.words.every((word) => text.includes(word));
}

function showWanted() {
  const searching = wanted.words.length > 0;
  let findings = 0;
  let figures = 0;
  for (const entry of allEntries()) {
    const shown = isWanted(entry);
    entry.element.hidden = !shown;
    if (shown && entry.severity) findings += 1;
    if (shown && entry.element.id.startsWith("figure-")) figures += 1;
  }
  for (const holder of document.querySelectorAll("[data-holds]")) {
    const any = holder.querySelector("[data-find]");
    holder.hidden = any !== null && holder.querySelector("[data-find]:not([hidden])") === null;
  }
  for (const item of document.querySelectorAll("[data-for]")) {
    item.hidden = document.getElementById(item.dataset.for).hidden;
  }
  openFew(searching);
  found.textContent = searching ? tellFound(findings, figures) : "";
}

function tellFound(findings, figures) {
  if (!allEntries().some(({ element }) => !element.hidden)) return "Nothing has these words.";
  const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  return `${counted(findings, "finding")}, ${counted(figures, "figure")}`;
}

// What is found among few benchmarks is shown at once; what a search has opened closes with it.
function openFew(searching) {
  for (const details of opened) details.open = false;
  opened.clear();
  const left = [...document.querySelectorAll("details.benchmark:not([hidden])")];
  const few = searching && left.length <= 4 ? left : [];
  const more = searching ? document.querySelectorAll("details:is(.more, .question):not([hidden])") : [];
  for (const details of [...few, ...more]) {
    if (details.open) continue;
    details.open = true;
    opened.add(details);
  }
}

function find(text) {
  wanted.words = text.toLowerCase().split(/\s+/).filter(Boolean);
  showWanted();
}

function setUpFinding() {
  let soon;
  document.querySelector(".search").hidden = false;
  box.addEventListener("input", () => {
    clearTimeout(soon);
    soon = setTimeout(() => find(box.value), 120);
  });
  const kinds = document.querySelector(".kinds");
  if (!kinds) return;
  kinds.hidden = false;
  kinds.addEventListener("change", () => {
    const checked = [...kinds.querySelectorAll(":checked")].map((one) => one.value);
    wanted.severities = new Set(checked);
    showWanted();
  });
}

const each = (selector, act) => document.querySelectorAll(selector).forEach(act);

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.closest("[hidden]")) {
    box.value = "";
    find("");
  }
  for (let around = target; around; around = around.parentElement) {
    if (around.matches("details") && !around.open) around.open = true;
  }
  target.scrollIntoView();
}

// On paper sections are open and their charts drawn. Evidence, findings about trust and charts of
// steadiness print where the reader has opened them; of many charts those of the benchmarks that are open: hundreds take minutes,
// and nobody reads as many pages. Afterwards the page is as it was.
const FEW_CHARTS = 100;
function setUpPrinting() {
  const closed = new Set();
  addEventListener("beforeprint", () => {
    const chosen = document.querySelectorAll(".chart").length > FEW_CHARTS;
    each("details:not([open])", (details) => {
      if (details.closest("details[data-chosen]:not([open])")) return;
      if (chosen && details.closest("details.benchmark:not([open])")) return;
      closed.add(details);
      details.open = true;
    });
    tellWhatIsPrinted(chosen);
    drawAllAtOnce();
  });
  addEventListener("afterprint", () => {
    for (const details of closed) details.open = false;
    closed.clear();
  });
}

function tellWhatIsPrinted(chosen) {
  const all = document.querySelectorAll("details.benchmark").length;
  const open = document.querySelectorAll("details.benchmark[open]").length;
  const told = chosen && open < all
    ? `${open} of ${all} benchmarks are printed with charts and tables: those that were open. Open others, or all, and print again.`
    : "";
  each(".printed", (place) => {
    place.textContent = told;
  });
}

function setUpContents() {
  const contents = document.querySelector(".contents");
  const narrow = matchMedia("(max-width: 70rem)");
  const fit = () => (contents.open = !narrow.matches);
  narrow.addEventListener("change", fit);
  fit();
  contents.addEventListener("click", ({ target }) => {
    if (target.closest("a") && narrow.matches) contents.open = false;
  });
  document.querySelector(".tools").hidden = document.querySelectorAll(".benchmark").length < 2;
  for (const [name, open] of [["open-all", true], ["close-all", false]]) {
    document.getElementById(name).addEventListener("click", () => {
      opened.clear();
      each("details.benchmark", (details) => (details.open = open));
    });
  }
}

function setUpClicks() {
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-save]");
    if (button) save(button.dataset);
    // A link to where the page already is changes nothing that the browser would tell.
    if (target.closest("a")?.hash === location.hash && location.hash) openTarget();
  });
}

setUpTheme();
setUpContents();
setUpFinding();
setUpPrinting();
setUpClicks();
addEventListener("hashchange", openTarget);
openTarget();
each(".chart", (chart) => inView.observe(chart));
if (!document.querySelector(".chart")) root.dataset.charts = "drawn";
