// Charts are drawn when they come into view: a page of hundreds opens as fast as one of three.
// Their colours are the style sheet's, so that they follow the theme, also on paper.
const configuration = document.getElementById("config").textContent;
const views = new WeakMap();

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

// The interpreter instead of compiled expressions: the page's policy forbids eval.
const embedded = (element, specification, config) =>
  vegaEmbed(element, specification, { actions: false, ast: true, config, mode: "vega-lite", renderer: "svg" });

async function draw(chart) {
  if (chart.dataset.state) return;
  chart.dataset.state = "drawing";
  try {
    const { view } = await embedded(chart, specificationOf(chart), JSON.parse(configuration));
    views.set(chart, view);
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

// A picture stands alone: it holds the colours that the page has at this moment.
async function picture(chart) {
  await draw(chart);
  const style = getComputedStyle(root);
  const colour = (_, name) => style.getPropertyValue(name).trim();
  const config = JSON.parse(configuration.replaceAll(/var\((--[\w-]+)\)/g, colour));
  config.background = style.getPropertyValue("--raised").trim();
  const specification = specificationOf(chart);
  for (const param of specification.params ?? []) {
    if ("value" in param) param.value = views.get(chart).signal(param.name);
  }
  const aside = document.createElement("div");
  const { view } = await embedded(aside, { ...specification, width: 640, padding: 12 }, config);
  return view;
}

const content = {
  csv: async (chart) => new Blob([csv(specificationOf(chart).data.values)], { type: "text/csv" }),
  svg: async (chart) => new Blob([await (await picture(chart)).toSVG()], { type: "image/svg+xml" }),
  png: async (chart) => {
    const canvas = await (await picture(chart)).toCanvas(2);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  },
};

async function save({ save: kind, chart, file }) {
  await load();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await content[kind](document.getElementById(chart)));
  link.download = `${file}.${kind}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
