// A heading sorts its table: upwards, downwards, and then as the page had it.
const SCALES = {
  KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30,
  ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3,
  "MB/s": 1e6, "GB/s": 1e9, "%": 0.01,
};
const FEWEST_ROWS = 3;

function sortKey(cell) {
  const text = (cell?.textContent ?? "").trim();
  if (text === "" || text === "-") return null;
  const parts = /^([-+]?\d[\d.]*(?:e[-+]?\d+)?)x?(?:\s+([^\s(]+))?(?=\s|$)/.exec(text);
  return parts ? Number(parts[1]) * (SCALES[parts[2]] ?? 1) : text.toLowerCase();
}

function compareKeys(one, other) {
  if (typeof one === typeof other) return typeof one === "number" ? one - other : one.localeCompare(other);
  return typeof one === "number" ? -1 : 1;
}

function sortTable(heading) {
  const table = heading.closest("table");
  const body = table.tBodies[0];
  table.original ??= [...body.rows];
  const next = { none: "ascending", ascending: "descending", descending: "none" };
  const order = next[heading.getAttribute("aria-sort") ?? "none"];
  for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
  const rows = table.original.map((row) => ({ row, key: sortKey(row.cells[heading.cellIndex]) }));
  if (order !== "none") {
    heading.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    // What has no value stays last in both orders.
    rows.sort((one, other) => {
      if (one.key === null || other.key === null) return (one.key === null) - (other.key === null);
      return sign * compareKeys(one.key, other.key);
    });
  }
  body.append(...rows.map(({ row }) => row));
}

function setUpSorting() {
  for (const table of document.querySelectorAll(".scroll table")) {
    if ((table.tBodies[0]?.rows.length ?? 0) < FEWEST_ROWS) continue;
    for (const heading of table.querySelectorAll("thead th")) {
      if (heading.children.length || !heading.textContent.trim()) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sortTable(heading));
      heading.append(button);
    }
  }
}
setUpSorting();
