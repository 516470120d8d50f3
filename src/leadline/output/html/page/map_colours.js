// Colours of nodes and links: the style sheet's own, so that they follow the theme, also on paper.
const CURVES = 8;
const BUCKETS = 8;
const SPRITE = 96;

const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const written = (rgb) => `rgb(${rgb.map(Math.round).join(" ")})`;
const mixed = (one, other, share) => one.map((value, at) => value + (other[at] - value) * share);
const lightnessOf = ([red, green, blue]) => 0.299 * red + 0.587 * green + 0.114 * blue;

class Colours {
  constructor() {
    this.read();
  }

  read() {
    const style = getComputedStyle(root);
    const named = (name) => channels(style.getPropertyValue(`--${name}`).trim());
    this.paper = named("raised");
    this.ink = named("ink");
    this.muted = named("muted");
    this.line = named("line");
    this.problem = named("problem");
    this.notice = named("notice");
    this.curves = Array.from({ length: CURVES }, (_, at) => named(`curve-${at + 1}`));
    // From little to much, ever further from the paper: blue, orange or yellow, red.
    const dark = lightnessOf(this.paper) < 128;
    this.stops = dark
      ? [mixed(named("curve-1"), this.paper, 0.35), named("notice"), named("problem")]
      : [mixed(named("curve-6"), this.paper, 0.3), named("curve-2"), mixed(named("problem"), [90, 0, 0], 0.45)];
    this.sprites = new Map();
  }

  // Beyond as many jobs as there are curves the same hues come again, paler and darker.
  job(number) {
    const base = this.curves[number % CURVES];
    const round = Math.floor(number / CURVES) % 3;
    if (round === 1) return mixed(base, this.paper, 0.45);
    return round === 2 ? mixed(base, this.ink, 0.4) : base;
  }

  heat(share) {
    const at = Math.min(1, Math.max(0, share)) * (this.stops.length - 1);
    const lower = Math.min(this.stops.length - 2, Math.floor(at));
    return mixed(this.stops[lower], this.stops[lower + 1], at - lower);
  }

  gradient() {
    const stops = Array.from({ length: BUCKETS + 1 }, (_, at) => written(this.heat(at / BUCKETS)));
    return `linear-gradient(to right, ${stops.join(", ")})`;
  }

  // A picture of a node, made once for each look: jobs, phase, letter.
  sprite(kind, phase, jobs, letter) {
    const key = `${letter}|${kind}|${phase}|${jobs}`;
    if (!this.sprites.has(key)) this.sprites.set(key, this.made(kind, phase, jobs, letter));
    return this.sprites.get(key);
  }

  made(kind, phase, jobs, letter) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = SPRITE;
    const pen = canvas.getContext("2d");
    pen.translate(SPRITE / 2, SPRITE / 2);
    const radius = SPRITE / 2 - 3;
    if (kind !== "node") this.drawSwitch(pen, radius);
    else if (jobs.length) this.drawHeld(pen, radius, jobs);
    else this.drawEmpty(pen, radius, phase);
    if (phase === "down" || phase === "drained") this.drawStruck(pen, radius, phase);
    if (letter) this.drawLetter(pen, radius, jobs, letter);
    return canvas;
  }

  drawSwitch(pen, radius) {
    pen.beginPath();
    pen.roundRect(-radius * 0.8, -radius * 0.8, radius * 1.6, radius * 1.6, radius * 0.35);
    pen.fillStyle = written(mixed(this.muted, this.paper, 0.55));
    pen.fill();
    pen.lineWidth = 6;
    pen.strokeStyle = written(this.muted);
    pen.stroke();
  }

  drawHeld(pen, radius, jobs) {
    const turn = (2 * Math.PI) / jobs.length;
    pen.beginPath();
    pen.arc(0, 0, radius, 0, 2 * Math.PI);
    pen.fillStyle = written(this.paper);
    pen.fill();
    for (const [at, job] of jobs.entries()) {
      const shade = pen.createRadialGradient(-radius / 3, -radius / 2.4, radius / 12, 0, 0, radius);
      const colour = this.job(job);
      shade.addColorStop(0, written(mixed(colour, [255, 255, 255], 0.45)));
      shade.addColorStop(0.55, written(colour));
      shade.addColorStop(1, written(mixed(colour, [0, 0, 0], 0.28)));
      pen.beginPath();
      pen.moveTo(0, 0);
      pen.arc(0, 0, radius - 2, at * turn - Math.PI / 2, (at + 1) * turn - Math.PI / 2);
      pen.closePath();
      pen.fillStyle = shade;
      pen.fill();
    }
  }

  drawEmpty(pen, radius, phase) {
    pen.beginPath();
    pen.arc(0, 0, radius * 0.72, 0, 2 * Math.PI);
    pen.fillStyle = written(phase === "used" ? mixed(this.muted, this.paper, 0.3) : this.paper);
    pen.fill();
    pen.lineWidth = 8;
    const strokes = { down: this.problem, drained: this.notice };
    pen.strokeStyle = written(strokes[phase] ?? mixed(this.muted, this.paper, 0.35));
    pen.stroke();
  }

  drawStruck(pen, radius, phase) {
    const reach = radius * 0.52;
    pen.lineWidth = 13;
    pen.lineCap = "round";
    pen.strokeStyle = written(phase === "down" ? this.problem : this.notice);
    pen.beginPath();
    pen.moveTo(-reach, -reach);
    pen.lineTo(reach, reach);
    if (phase === "down") {
      pen.moveTo(-reach, reach);
      pen.lineTo(reach, -reach);
    }
    pen.stroke();
  }

  drawLetter(pen, radius, jobs, letter) {
    const light = lightnessOf(this.job(jobs[0])) > 150;
    pen.fillStyle = light ? "#16191c" : "#ffffff";
    pen.font = `600 ${radius * 1.05}px ${getComputedStyle(document.body).fontFamily}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(letter, 0, radius * 0.06);
  }
}
