// Where the machine's places fall on the canvas. World axes are x, y, z; the viewer looks along the
// camera's z. A flat machine is looked at from the side that shows it.
const VIEWS = {
  turned: { yaw: -0.62, pitch: -1.08 },
  x: { yaw: -Math.PI / 2, pitch: -Math.PI / 2 },
  y: { yaw: 0, pitch: -Math.PI / 2 },
  z: { yaw: 0, pitch: 0 },
};
const NEAREST = 0.4;
const FARTHEST = 40;

function extentOf(places, axis) {
  let low = Infinity;
  let high = -Infinity;
  for (const place of places) {
    low = Math.min(low, place[axis]);
    high = Math.max(high, place[axis]);
  }
  return { low, high, middle: (low + high) / 2, size: high - low };
}

// The distance to the nearest other place, of the closest pair in a sample: what nodes have room for.
function spacingOf(places) {
  const step = Math.max(1, Math.floor(places.length / 64));
  let least = Infinity;
  for (let i = 0; i < places.length; i += step) {
    for (let j = 0; j < places.length; j += 1) {
      if (i === j) continue;
      const distance = Math.hypot(...places[i].map((at, axis) => at - places[j][axis]));
      if (distance > 1e-9) least = Math.min(least, distance);
    }
  }
  return Number.isFinite(least) ? least : 1;
}

class Camera {
  constructor(places, nodes) {
    this.extents = [0, 1, 2].map((axis) => extentOf(places, axis));
    const flat = this.extents.map(({ size }) => size < 1e-9);
    this.solid = !flat.includes(true);
    this.home = this.solid ? "turned" : flat[2] ? "z" : flat[1] ? "y" : "x";
    this.centre = this.extents.map(({ middle }) => middle);
    this.radius = Math.max(0.75, Math.hypot(...this.extents.map(({ size }) => size)) / 2);
    this.spacing = spacingOf(places.slice(0, nodes));
    this.width = this.height = 1;
    this.middle = [0, 0];
    this.reset();
  }

  reset() {
    this.zoom = 1;
    this.pan = [0, 0];
    this.look(this.home);
  }

  look(view) {
    Object.assign(this, VIEWS[view]);
    this.place();
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
    this.fit();
    this.place();
  }

  // Chooses the scale and the middle so that the machine and its axes fill the canvas as they are
  // seen first. Turning it changes neither.
  fit() {
    const seen = { yaw: this.yaw, pitch: this.pitch };
    Object.assign(this, VIEWS[this.home], { scale: 1, middle: [0, 0] });
    this.aim();
    const margin = this.spacing * (this.solid ? 0.4 : 0.75);
    const sides = this.extents.map(({ low, high, size }) => (size < 1e-9 ? [low] : [low - margin, high + margin]));
    const corners = sides[0].flatMap((x) => sides[1].flatMap((y) => sides[2].map((z) => [x, y, z])));
    if (this.solid) corners.push(...this.axisEnds());
    const places = corners.map((place) => this.seen(place));
    const [wide, high] = [0, 1].map((axis) => extentOf(places, axis));
    const largest = this.solid ? Infinity : 90 / this.spacing;
    this.base = Math.min((this.width * 0.97) / (wide.size || margin), (this.height * 0.95) / (high.size || margin), largest);
    this.middle = [wide.middle, high.middle];
    Object.assign(this, seen);
  }

  // Where the axes end that are drawn beside the machine, with room for what is written there.
  axisEnds() {
    const corner = this.extents.map(({ low }) => low - 1.0 * this.spacing);
    return [corner, ...[0, 1, 2].map((axis) => corner.with(axis, this.extents[axis].high + 1.05 * this.spacing))];
  }

  aim() {
    this.sines = [Math.sin(this.yaw), Math.cos(this.yaw), Math.sin(this.pitch), Math.cos(this.pitch)];
    this.far = this.solid ? 4.2 * this.radius : Infinity;
  }

  turn(yaw, pitch) {
    this.yaw = (this.yaw + yaw) % (2 * Math.PI);
    this.pitch = Math.min(0, Math.max(-Math.PI, this.pitch + pitch));
    this.place();
  }

  move(right, down) {
    this.pan[0] += right;
    this.pan[1] += down;
    this.place();
  }

  // Zooms so that what is at (x, y) stays there.
  zoomAt(factor, x = this.width / 2, y = this.height / 2) {
    const zoom = Math.min(FARTHEST, Math.max(NEAREST, this.zoom * factor));
    const ratio = zoom / this.zoom;
    this.pan[0] = (this.pan[0] + this.width / 2 - x) * ratio + x - this.width / 2;
    this.pan[1] = (this.pan[1] + this.height / 2 - y) * ratio + y - this.height / 2;
    this.zoom = zoom;
    this.place();
  }

  place() {
    this.aim();
    this.scale = (this.base ?? 1) * this.zoom;
  }

  // Returns [right, down, depth, factor] in the machine's units from its centre: depth is the way
  // towards the viewer, factor how much nearer things are larger.
  seen([x, y, z]) {
    const [sin, cos, sinPitch, cosPitch] = this.sines;
    const dx = x - this.centre[0];
    const dy = y - this.centre[1];
    const dz = z - this.centre[2];
    const ahead = dx * sin + dy * cos;
    const depth = ahead * sinPitch + dz * cosPitch;
    const factor = this.far === Infinity ? 1 : this.far / (this.far - depth);
    return [(dx * cos - dy * sin) * factor, (dz * sinPitch - ahead * cosPitch) * factor, depth, factor];
  }

  // Returns [x, y, depth, factor] with x and y in pixels of the canvas.
  project(place) {
    const seen = this.seen(place);
    seen[0] = this.width / 2 + this.pan[0] + (seen[0] - this.middle[0]) * this.scale;
    seen[1] = this.height / 2 + this.pan[1] + (seen[1] - this.middle[1]) * this.scale;
    return seen;
  }
}
