const each = (selector, act) => document.querySelectorAll(selector).forEach(act);

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let around = target; around; around = around.parentElement) {
    if (around.matches("details") && !around.open) around.open = true;
  }
  target.scrollIntoView();
}

// On paper sections are open and their charts drawn. Evidence, findings about trust and charts of
// steadiness print where the reader has opened them, and so does all of a page of many charts:
// hundreds take minutes, and nobody reads as many pages. Afterwards the page is as it was.
const FEW_CHARTS = 100;
function setUpPrinting() {
  const closed = new Set();
  addEventListener("beforeprint", () => {
    const few = document.querySelectorAll(".chart").length <= FEW_CHARTS;
    each("details:not([open])", (details) => {
      if (!few || details.closest("details[data-chosen]:not([open])")) return;
      closed.add(details);
      details.open = true;
    });
    drawAllAtOnce();
  });
  addEventListener("afterprint", () => {
    for (const details of closed) details.open = false;
    closed.clear();
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
      each("details.benchmark", (details) => (details.open = open));
    });
  }
}

function setUpClicks() {
  document.addEventListener("click", ({ target }) => {
    // A link to where the page already is changes nothing that the browser would tell.
    if (target.closest("a")?.hash === location.hash && location.hash) openTarget();
  });
}

setUpContents();
setUpPrinting();
setUpClicks();
addEventListener("hashchange", openTarget);
openTarget();
each(".chart", (chart) => inView.observe(chart));
drawFirst();
if (!document.querySelector(".chart")) root.dataset.charts = "drawn";
