// Charts are drawn when they come into view: a page of hundreds opens as fast as one of three.
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

function drawAllAtOnce() {
  // All that Vega waits for is done before the browser goes on to print.
  if (!window.vegaEmbed || !specifications) return;
  for (const chart of document.querySelectorAll(".chart")) {
    if (!chart.closest("details:not([open]), [hidden]")) draw(chart);
  }
}

function csv(rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const columns = Object.keys(rows[0] ?? {});
  // A row whose cells are lists stands for as many rows as the lists are long.
  const long = (row) => Math.max(1, ...columns.map((column) => row[column]?.length * Array.isArray(row[column]) || 0));
  const at = (value, index) => (Array.isArray(value) ? value[index] : value);
  const flat = rows.flatMap((row) =>
    Array.from({ length: long(row) }, (_, index) =>
      Object.fromEntries(columns.map((column) => [column, at(row[column], index)]))));
  const lines = flat.map((row) => columns.map((column) => cell(row[column])));
  return [columns, ...lines].map((line) => line.join(",") + "\r\n").join("");
}

async function save({ chart, file }) {
  await load();
  const link = document.createElement("a");
  const rows = specificationOf(document.getElementById(chart)).data.values;
  link.href = URL.createObjectURL(new Blob([csv(rows)], { type: "text/csv" }));
  link.download = `${file}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
