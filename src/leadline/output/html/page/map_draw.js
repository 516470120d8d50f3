// The picture: links and nodes from back to front, in slabs of depth, so that a frame of thousands
// takes a few dozen strokes.
const SLABS = 14;
const STUB = 0.42;
const LETTER_FROM = 8.5;
const NAMES_FROM = 34;
// Beside the buckets of what links carry: nothing that is known, or a link that is filtered away.
const BARE = BUCKETS;
const DIM = BUCKETS + 1;

class Picture {
  constructor(canvas, machine, camera) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.machine = machine;
    this.camera = camera;
    this.colours = new Colours();
    this.at = [];
  }

  radiusOf(node, factor) {
    const share = this.camera.solid ? 0.225 : 0.36;
    const size = share * this.camera.spacing * this.camera.scale * factor;
    const drawn = Math.min(this.camera.solid ? 30 : 22, Math.max(this.camera.solid ? 1.6 : 2.4, size));
    return this.machine.kinds[node] === "node" ? drawn : Math.max(drawn * 0.9, 4.5);
  }

  // `look` says what is shown: share(link), dimmed(node), chosen node and link, hovered ones.
  draw(look) {
    const { camera, machine, pen, canvas } = this;
    const density = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(camera.width * density)) canvas.width = camera.width * density;
    if (canvas.height !== Math.round(camera.height * density)) canvas.height = camera.height * density;
    pen.imageSmoothingQuality = "high";
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.clearRect(0, 0, camera.width, camera.height);
    this.at = machine.places.map((place) => camera.project(place));
    if (camera.solid && machine.topology === "torus") this.drawAxes();
    const slabOf = this.slabs();
    const slabs = Array.from({ length: SLABS }, () => ({ links: {}, nodes: [] }));
    for (let link = 0; link < machine.links.length; link += 1) this.lay(link, look, slabs, slabOf);
    for (let node = 0; node < this.at.length; node += 1) slabs[slabOf(this.at[node][2])].nodes.push(node);
    for (const [number, slab] of slabs.entries()) {
      this.strokeLinks(slab.links, number);
      slab.nodes.sort((one, other) => this.at[one][2] - this.at[other][2]);
      for (const node of slab.nodes) this.drawNode(node, look);
    }
    this.drawChosen(look);
    if (!camera.solid) this.drawNames(look);
  }

  slabs() {
    if (!this.camera.solid) return () => 0;
    const { radius } = this.camera;
    const last = SLABS - 1;
    return (depth) => Math.min(last, Math.max(0, Math.floor(((depth + radius) / (2 * radius)) * SLABS)));
  }

  // How far a slab has faded into the paper: those behind most.
  fade(slab) {
    return this.camera.solid ? 0.3 + (0.7 * slab) / (SLABS - 1) : 1;
  }

  // Puts a link into the lines of its slab, four numbers each.
  lay(link, look, slabs, slabOf) {
    const { one, other, around } = this.machine.links[link];
    const dim = look.dimmed(one) || look.dimmed(other);
    const share = dim ? null : look.share(link);
    const heat = share === null ? (dim ? DIM : BARE) : Math.min(BUCKETS - 1, Math.floor(share * BUCKETS));
    for (const { points, depth } of this.linesOf(link)) {
      (slabs[slabOf(depth)].links[heat * 2 + (around ? 1 : 0)] ??= []).push(...points);
    }
  }

  // A link that closes a ring is drawn as both its ends, a little way out.
  linesOf(link) {
    const { one, other, around } = this.machine.links[link];
    const [from, to] = [this.at[one], this.at[other]];
    if (around) return this.stubs(one, other);
    return [{ points: [from[0], from[1], to[0], to[1]], depth: (from[2] + to[2]) / 2 }];
  }

  stubs(one, other) {
    const from = this.machine.places[one];
    const to = this.machine.places[other];
    const length = Math.hypot(...from.map((at, axis) => at - to[axis])) || 1;
    const step = from.map((at, axis) => ((at - to[axis]) / length) * STUB * this.camera.spacing);
    return [[one, step], [other, step.map((each) => -each)]].map(([node, out]) => {
      const [x, y, depth] = this.camera.project(this.machine.places[node].map((at, axis) => at + out[axis]));
      return { points: [this.at[node][0], this.at[node][1], x, y], depth };
    });
  }

  strokeLinks(links, slab) {
    const { pen, colours, camera } = this;
    const unit = Math.min(1.6, Math.max(0.55, (camera.spacing * camera.scale) / 45));
    for (const [style, lines] of Object.entries(links)) {
      const bucket = Math.floor(style / 2);
      const heat = bucket < BUCKETS ? (bucket + 0.5) / BUCKETS : null;
      const around = (style & 1) > 0;
      const bare = mixed(colours.muted, colours.paper, around ? 0.25 : 0.45);
      pen.strokeStyle = written(heat === null ? bare : colours.heat(heat));
      pen.lineWidth = unit * (heat === null ? 1 : 1.2 + 2.6 * heat);
      pen.globalAlpha = this.fade(slab) * (bucket === DIM ? 0.12 : 1);
      pen.setLineDash(around ? [3.2 * unit, 2.4 * unit] : []);
      pen.beginPath();
      for (let at = 0; at < lines.length; at += 4) {
        pen.moveTo(lines[at], lines[at + 1]);
        pen.lineTo(lines[at + 2], lines[at + 3]);
      }
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  drawNode(node, look) {
    const { pen } = this;
    const [x, y, , factor] = this.at[node];
    const dim = look.dimmed(node);
    const radius = this.radiusOf(node, factor) * (dim ? 0.45 : 1);
    pen.globalAlpha = dim ? 0.3 : 1;
    pen.drawImage(this.spriteOf(node, radius), x - radius, y - radius, 2 * radius, 2 * radius);
    pen.globalAlpha = 1;
  }

  spriteOf(node, radius) {
    const { machine } = this;
    const jobs = machine.jobsOf[node] ?? [];
    const letter = radius >= LETTER_FROM && jobs.length === 1 ? machine.jobs[jobs[0]].letter : "";
    return this.colours.sprite(machine.kinds[node], machine.phases[node] ?? "", jobs, letter);
  }

  drawChosen(look) {
    const { chosen, hovered, found } = look;
    const { pen, colours } = this;
    pen.strokeStyle = written(colours.ink);
    for (const node of found) this.ring(node, 1.5, 3);
    for (const node of [chosen.node, hovered.node]) {
      if (node === null) continue;
      pen.lineWidth = 1.6;
      pen.globalAlpha = 0.75;
      for (const link of this.machine.linksOf[node]) this.trace(link);
      pen.globalAlpha = 1;
      this.drawNode(node, look);
      this.ring(node, 2.2, 3.5);
    }
    for (const link of [chosen.link, hovered.link]) {
      if (link === null) continue;
      pen.lineWidth = 4;
      this.trace(link);
    }
  }

  ring(node, width, gap) {
    const [x, y, , factor] = this.at[node];
    this.pen.lineWidth = width;
    this.pen.beginPath();
    this.pen.arc(x, y, this.radiusOf(node, factor) + gap, 0, 2 * Math.PI);
    this.pen.stroke();
  }

  trace(link) {
    this.pen.setLineDash(this.machine.links[link].around ? [5, 3] : []);
    this.pen.beginPath();
    for (const { points: [ax, ay, bx, by] } of this.linesOf(link)) {
      this.pen.moveTo(ax, ay);
      this.pen.lineTo(bx, by);
    }
    this.pen.stroke();
    this.pen.setLineDash([]);
  }

  write(text, x, y, colour, size = 11) {
    const { pen } = this;
    pen.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    pen.lineWidth = 3;
    pen.strokeStyle = written(this.colours.paper);
    pen.strokeText(text, x, y);
    pen.fillStyle = written(colour);
    pen.fillText(text, x, y);
  }

  // The coordinates along the three edges that meet in the first node.
  drawAxes() {
    const { camera, pen, colours } = this;
    const out = 0.75 * camera.spacing;
    const corner = camera.extents.map(({ low }) => low - out);
    for (const [axis, name] of ["x", "y", "z"].entries()) {
      const { low, high, size } = camera.extents[axis];
      const ends = [low - 0.4, high + 0.4].map((at) => {
        const place = corner.slice();
        place[axis] = at;
        return camera.project(place);
      });
      pen.strokeStyle = written(colours.muted);
      pen.globalAlpha = 0.55;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(ends[0][0], ends[0][1]);
      pen.lineTo(ends[1][0], ends[1][1]);
      pen.stroke();
      pen.globalAlpha = 1;
      if (Math.hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]) < 40) continue;
      const step = Math.max(1, Math.ceil((size + 1) / 8));
      for (let at = low; at <= high; at += step) {
        const place = corner.map((each) => each - 0.28 * camera.spacing);
        place[axis] = at;
        const [x, y] = camera.project(place);
        this.write(String(at), x, y, colours.muted, 10.5);
      }
      const place = corner.slice();
      place[axis] = high + 0.85 * camera.spacing;
      const [x, y] = camera.project(place);
      this.write(name, x, y, colours.ink, 13);
    }
  }

  drawNames(look) {
    const { camera, machine, colours } = this;
    const room = camera.spacing * camera.scale;
    for (const [node, [x, y, , factor]] of this.at.entries()) {
      const isNode = machine.kinds[node] === "node";
      if (isNode ? room < NAMES_FROM : machine.places.length - machine.phases.length > 40) continue;
      if (look.dimmed(node)) continue;
      const name = machine.names[node];
      const longest = Math.max(4, Math.floor((isNode ? room : 150) / 6.2));
      const text = name.length > longest ? `${name.slice(0, longest - 1)}…` : name;
      const below = this.radiusOf(node, factor) + 9;
      this.write(text, x, isNode ? y + below : y - below, colours.muted, isNode ? 10.5 : 11.5);
    }
  }

  // The node, or else the link, at (x, y); nearer ones first.
  pick(x, y, reach, dimmed) {
    let node = null;
    let best = -Infinity;
    for (let each = 0; each < this.at.length; each += 1) {
      const [nx, ny, depth, factor] = this.at[each];
      const distance = Math.hypot(nx - x, ny - y);
      const radius = this.radiusOf(each, factor);
      if (distance > radius + reach || dimmed(each)) continue;
      const score = (distance <= radius ? 1e6 : 0) + depth - distance / 1e3;
      if (score > best) [node, best] = [each, score];
    }
    if (node !== null) return { node, link: null };
    let link = null;
    let nearest = 5 + reach / 2;
    for (let each = 0; each < this.machine.links.length; each += 1) {
      const { one, other } = this.machine.links[each];
      if (dimmed(one) || dimmed(other)) continue;
      for (const line of this.linesOf(each)) {
        const distance = distanceTo(line, x, y);
        if (distance < nearest) [link, nearest] = [each, distance];
      }
    }
    return { node: null, link };
  }
}

function distanceTo({ points: [ax, ay, bx, by] }, x, y) {
  const dx = bx - ax;
  const dy = by - ay;
  const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(ax + along * dx - x, ay + along * dy - y);
}
