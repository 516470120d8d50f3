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

  // The links of a node that carry most, as rows of a table.
  linksOf(node) {
    const { machine } = this;
    return machine.linksOf[node]
      .map((number) => ({ number, ...machine.links[number] }))
      .sort((one, other) => (other.bytes ?? 0) - (one.bytes ?? 0))
      .map(({ number, one, other, bytes, MBps, around }) => ({
        number,
        to: machine.names[one === node ? other : one] + (around ? " (around)" : ""),
        bytes: bytes === null ? null : bytesWritten(bytes),
        MBps: MBps === null ? null : plain(MBps),
      }));
  }
}
