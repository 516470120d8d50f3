// The interpreter instead of compiled expressions: the policy of the pages forbids eval.
const config = JSON.parse(document.getElementById("config").textContent);
const options = { actions: false, ast: true, config, mode: "vega-lite", renderer: "svg" };

async function drawAll() {
  for (const chart of document.querySelectorAll(".chart")) {
    await vegaEmbed(chart, JSON.parse(chart.nextElementSibling.textContent), options);
  }
}

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
