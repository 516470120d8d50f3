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

// On paper everything is open and every chart drawn; afterwards the page is as it was.
function setUpPrinting() {
  const closed = new Set();
  addEventListener("beforeprint", () => {
    each("details:not([open])", (details) => {
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
