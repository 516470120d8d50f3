// What the map says in words: of a node, of a link, of a job, of a scale.
const plain = (value) => {
  if (value === null || value === undefined) return "-";
  if (value === 0) return "0";
  return value >= 1000 ? Math.round(value).toString() : Number(value.toPrecision(4)).toString();
};

function bytesWritten(value) {
  if (value === null) return "-";
  for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]]) {
    if (value >= size) return `${plain(value / size)} ${unit}`;
  }
  return `${plain(value)} B`;
}

const MEASURES = {
  MBps: { name: "bandwidth", write: (value) => `${plain(value)} MB/s` },
  bytes: { name: "load", write: (value) => `${bytesWritten(value)} an operation` },
};

const PHASES = { free: "free", used: "in use", drained: "drained", down: "down" };
const AXES = ["x", "y", "z"];

function ranges(numbers) {
  const parts = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else parts.push([number, number]);
  }
  return parts.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join(",");
}

class Words {
  constructor(machine) {
    this.machine = machine;
  }

  job(number) {
    const { letter, id, user, name } = this.machine.jobs[number];
    return `${letter}: ${[id, user, name].filter(Boolean).join(" · ")}`;
  }

  where(node) {
    const at = this.machine.coordinates[node];
    if (!at?.length) return "";
    if (this.machine.topology !== "torus") return this.machine.kinds[node] === "node" ? at.join(".") : "";
    return at.map((value, axis) => `${AXES[axis] ?? `dimension ${axis}`} ${value}`).join(", ");
  }

  link(link) {
    const { one, other, around, kind, bytes, MBps, pairs } = this.machine.links[link];
    const carried = bytes === null ? [] : [`${MEASURES.bytes.write(bytes)}, ${MEASURES.MBps.write(MBps)}${pairs === null ? "" : `, ${pairs} pairs of ranks`}`];
    return {
      title: `${this.machine.names[one]} – ${this.machine.names[other]}`,
      rows: [around ? "closes a ring" : "", kind, ...carried].filter(Boolean),
    };
  }

  node(node) {
    const { machine } = this;
    const isNode = machine.kinds[node] === "node";
    return {
      title: machine.names[node],
      rows: [
        [this.where(node), isNode ? PHASES[machine.phases[node]] : machine.kinds[node]].filter(Boolean).join(" · "),
        ...(machine.jobsOf[node] ?? []).map((job) => this.job(job)),
        machine.ranks[node]?.length ? `ranks ${ranges(machine.ranks[node])}` : "",
        machine.notes[node] ?? "",
        isNode ? "" : this.through(node),
      ].filter(Boolean),
    };
  }

  // What enters a switch or a shared medium leaves it again, so that its links carry it twice.
  through(node) {
    const carried = this.machine.linksOf[node].map((link) => this.machine.links[link].MBps);
    if (!carried.some((value) => value !== null)) return "";
    return `${plain(carried.reduce((sum, value) => sum + (value ?? 0), 0) / 2)} MB/s pass through it`;
  }
}

// Beside the picture: the legend that filters, the search, what is known of the chosen thing.
const made = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

class Panel {
  constructor(machine, words, colours, changed) {
    Object.assign(this, { machine, words, colours, changed });
    this.only = new Set();
    this.found = [];
    this.wanted = "";
    this.fillLegend();
    this.paintLegend();
    this.search = document.getElementById("find");
    this.search.addEventListener("input", () => this.look());
  }

  // Of what kind a node is in the legend: its jobs, or its phase.
  kindsOf(node) {
    const jobs = this.machine.jobsOf[node] ?? [];
    return jobs.length ? jobs.map((job) => `job ${job}`) : [this.machine.phases[node]];
  }

  fillLegend() {
    const list = document.getElementById("legend");
    const counts = new Map();
    for (let node = 0; node < this.machine.phases.length; node += 1) {
      for (const kind of this.kindsOf(node)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    for (const [number, job] of this.machine.jobs.entries()) {
      list.append(this.entry(`job ${number}`, counts.get(`job ${number}`) ?? 0, job.name || job.id, [job.id, job.user].filter((text) => text && text !== job.name).join(" · ")));
    }
    for (const phase of ["free", "used", "drained", "down"]) {
      if (counts.has(phase)) list.append(this.entry(phase, counts.get(phase), PHASES[phase], ""));
    }
  }

  entry(kind, count, name, more) {
    const button = made("button", { type: "button", className: "job" });
    button.dataset.kind = kind;
    button.setAttribute("aria-pressed", "false");
    button.append(
      made("canvas", { className: "swatch", width: 36, height: 36 }),
      made("span", { className: "name", textContent: name }),
      made("span", { className: "count", textContent: count }),
      made("span", { className: "of", textContent: more }),
    );
    button.addEventListener("click", () => {
      if (!this.only.delete(kind)) this.only.add(kind);
      this.show();
    });
    return made("li", {}, button);
  }

  show() {
    for (const button of document.querySelectorAll("#legend .job")) {
      button.setAttribute("aria-pressed", String(this.only.has(button.dataset.kind)));
    }
    document.getElementById("all").hidden = this.only.size === 0;
    this.changed();
  }

  showAll() {
    this.only.clear();
    this.show();
  }

  paintLegend() {
    for (const button of document.querySelectorAll("#legend .job")) {
      const [word, number] = button.dataset.kind.split(" ");
      const jobs = word === "job" ? [Number(number)] : [];
      const letter = jobs.length ? this.machine.jobs[jobs[0]].letter : "";
      const pen = button.querySelector("canvas").getContext("2d");
      pen.clearRect(0, 0, 36, 36);
      pen.drawImage(this.colours.sprite("node", jobs.length ? "used" : word, jobs, letter), 0, 0, 36, 36);
    }
  }

  dims(node) {
    if (!this.only.size || node >= this.machine.phases.length) return false;
    return !this.kindsOf(node).some((kind) => this.only.has(kind));
  }

  look() {
    this.wanted = this.search.value.trim().toLowerCase();
    this.texts ??= this.machine.names.map((name, node) =>
      [name, this.words.where(node), ...(this.machine.jobsOf[node] ?? []).map((job) => this.words.job(job))].join(" ").toLowerCase(),
    );
    const words = this.wanted.split(/\s+/).filter(Boolean);
    const exact = this.machine.names.findIndex((name) => name.toLowerCase() === this.wanted);
    this.found = [];
    if (exact >= 0) this.found = [exact];
    else if (words.length) {
      for (const [node, text] of this.texts.entries()) {
        if (words.every((word) => text.includes(word))) this.found.push(node);
      }
    }
    const count = this.found.length === 1 ? "1 found" : `${this.found.length} found`;
    document.getElementById("found").textContent = words.length ? `${count}${this.found.length ? ", Enter chooses" : ""}` : "";
    this.changed();
  }

  describe({ node, link }) {
    const panel = document.getElementById("chosen");
    panel.replaceChildren();
    if (node === null && link === null) {
      panel.append(made("p", { className: "hint", textContent: "Choose a node or a link to see what is known of it." }));
      return;
    }
    const { title, rows } = node === null ? this.words.link(link) : this.words.node(node);
    panel.append(made("h3", { textContent: title }), ...rows.map((textContent) => made("p", { textContent })));
  }

  showTip({ node, link }, x, y, width) {
    const tip = document.getElementById("tip");
    tip.hidden = node === null && link === null;
    if (tip.hidden) return;
    const { title, rows } = node === null ? this.words.link(link) : this.words.node(node);
    tip.replaceChildren(made("b", { textContent: title }), ...rows.map((textContent) => made("span", { textContent })));
    const right = x > width / 2;
    tip.style.left = right ? "" : `${x + 14}px`;
    tip.style.right = right ? `${width - x + 14}px` : "";
    tip.style.top = `${Math.max(4, y - 12)}px`;
  }
}

// The whole list, made when it is first opened: it says in words what the picture shows.
function setUpNodeTable(machine, words, choose) {
  const details = document.getElementById("nodes");
  details.addEventListener("toggle", () => {
    const body = details.querySelector("tbody");
    if (!details.open || body.children.length) return;
    for (let node = 0; node < machine.phases.length; node += 1) {
      const button = made("button", { type: "button", className: "as-link", textContent: machine.names[node] });
      button.addEventListener("click", () => choose(node));
      const jobs = (machine.jobsOf[node] ?? []).map((job) => words.job(job)).join("; ");
      body.append(
        made("tr", {}, made("td", {}, button), ...[words.where(node), PHASES[machine.phases[node]], jobs, ranges(machine.ranks[node] ?? [])].map((textContent) => made("td", { textContent }))),
      );
    }
  });
}
