// The first chart is drawn at load, the others when they come into view: a page of hundreds opens as
// fast as one of three.
// Their colours are the style sheet's, so that they follow the theme, also on paper.
const configuration = document.getElementById("config").textContent;

let specifications;
const specificationOf = (chart) => structuredClone(specifications[chart.id]);

let loading;
function load() {
  loading ??= Promise.all([loadVega(), loadSpecifications()]);
  return loading;
}

async function loadVega() {
  const script = document.createElement("script");
  script.textContent = await unpacked("vega");
  document.head.append(script);
}

async function loadSpecifications() {
  specifications = JSON.parse(await unpacked("charts"));
}

async function draw(chart) {
  if (chart.dataset.state) return;
  chart.dataset.state = "drawing";
  try {
    // The interpreter instead of compiled expressions: the page's policy forbids eval.
    const options = { actions: false, ast: true, mode: "vega-lite", renderer: "svg" };
    const config = JSON.parse(configuration);
    await vegaEmbed(chart, specificationOf(chart), { ...options, config });
    chart.dataset.state = "drawn";
  } catch (error) {
    console.error(error);
    chart.dataset.state = "failed";
    chart.textContent = "This browser could not draw the chart; its figures stand in the table.";
  }
}

const waiting = new Set();
let working = false;
async function drawWaiting() {
  if (working) return;
  working = true;
  root.dataset.charts = "drawing";
  await load();
  while (waiting.size) {
    const [chart] = waiting;
    waiting.delete(chart);
    inView.unobserve(chart);
    await draw(chart);
    await new Promise((resolve) => setTimeout(resolve));
  }
  working = false;
  root.dataset.charts = document.querySelector('.chart[data-state="failed"]') ? "failed" : "drawn";
}

const inView = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) waiting.add(target);
      else waiting.delete(target);
    }
    drawWaiting();
  },
  { rootMargin: "300px 0px" },
);

function drawFirst() {
  const first = document.querySelector(".chart");
  if (!first?.checkVisibility()) return;
  inView.unobserve(first);
  waiting.add(first);
  drawWaiting();
}

function drawAllAtOnce() {
  // All that Vega waits for is done before the browser goes on to print.
  if (!window.vegaEmbed || !specifications) return;
  for (const chart of document.querySelectorAll(".chart")) {
    if (!chart.closest("details:not([open]), [hidden]")) draw(chart);
  }
}
