const config = JSON.parse(document.getElementById("config").textContent);

async function loadVega() {
  const packed = atob(document.getElementById("vega").textContent);
  const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
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

function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  target?.closest("details")?.setAttribute("open", "");
}

async function drawAll() {
  const charts = [...document.querySelectorAll(".chart")];
  const specification = (chart) => JSON.parse(chart.nextElementSibling.textContent);
  for (const link of document.querySelectorAll("a.csv")) {
    const rows = specification(document.getElementById(link.dataset.chart)).data.values;
    link.href = `data:text/csv;charset=utf-8,${encodeURIComponent(csv(rows))}`;
  }
  await loadVega();
  for (const chart of charts) {
    // The interpreter instead of compiled expressions: the page's policy forbids eval.
    const options = { actions: false, ast: true, config, mode: "vega-lite", renderer: "svg" };
    await vegaEmbed(chart, specification(chart), options);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
addEventListener("hashchange", openTarget);
openTarget();
drawAll().then(
  () => document.documentElement.setAttribute("data-charts", "drawn"),
  (error) => {
    console.error(error);
    document.documentElement.setAttribute("data-charts", "failed");
    for (const chart of document.querySelectorAll(".chart:empty")) {
      chart.textContent = "This browser could not draw the chart; its figures stand in the table.";
    }
  },
);
