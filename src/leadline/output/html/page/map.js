// A machine that can be turned: the picture, and what a reader does with it.
const TURN = Math.PI / 24;
const PIXELS = 0.008;
const GLIDE_MS = 260;

function unfold(packedMap) {
  const { links, ...machine } = packedMap;
  machine.links = links.map(([one, other, around, bytes, MBps, pairs, kind]) => ({
    one, other, around: around === 1, bytes, MBps, pairs, kind: machine.linkKinds[kind],
  }));
  machine.linksOf = machine.names.map(() => []);
  for (const [number, { one, other }] of machine.links.entries()) {
    machine.linksOf[one].push(number);
    machine.linksOf[other].push(number);
  }
  return machine;
}

class View {
  constructor(machine) {
    this.machine = machine;
    this.canvas = document.getElementById("map");
    this.camera = new Camera(machine.places, machine.phases.length);
    this.picture = new Picture(this.canvas, machine, this.camera);
    this.words = new Words(machine);
    this.chosen = { node: null, link: null };
    this.hovered = { node: null, link: null };
    this.measure = document.getElementById("measure");
    this.around = document.getElementById("around");
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.panel = new Panel(machine, this.words, this.picture.colours, () => this.redraw());
    this.pointers = new Map();
    this.setUpScale();
    this.setUpPointers();
    this.setUpKeys();
    this.setUpTools();
    new ResizeObserver(() => this.fit()).observe(this.canvas.parentElement);
    this.fit();
    this.panel.describe(this.chosen);
    setUpNodeTable(machine, this.words, (node) => {
      this.choose({ node, link: null });
      this.canvas.scrollIntoView({ block: "center" });
    });
  }

  fit() {
    const { clientWidth, clientHeight } = this.canvas.parentElement;
    this.camera.resize(clientWidth, clientHeight);
    this.redraw();
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    const most = this.most();
    const measure = this.measure?.value;
    const began = performance.now();
    this.picture.draw({
      density: this.density,
      share: (link) => (most ? (this.machine.links[link][measure] || null) && this.machine.links[link][measure] / most : null),
      around: this.around?.value ?? "curves",
      dimmed: (node) => this.panel.dims(node),
      filtered: this.panel.only.size > 0,
      chosen: this.chosen,
      hovered: this.hovered,
      found: this.panel.found.slice(0, 600),
    });
    this.canvas.dataset.frameMs = (performance.now() - began).toFixed(1);
    root.dataset.map = "drawn";
  }

  most() {
    const measure = this.measure?.value;
    return measure in MEASURES ? Math.max(...this.machine.links.map((link) => link[measure] ?? 0)) : 0;
  }

  setUpScale() {
    this.measure?.addEventListener("change", () => this.setScale());
    this.around?.addEventListener("change", () => this.redraw());
    this.setScale();
  }

  setScale() {
    const scale = document.getElementById("scale");
    if (!scale) return;
    const most = this.most();
    scale.hidden = !most;
    if (most) {
      const { write } = MEASURES[this.measure.value];
      scale.querySelector(".ramp").style.background = this.picture.colours.gradient();
      scale.querySelector(".most").textContent = write(most);
    }
    this.redraw();
  }

  choose(what) {
    this.chosen = what;
    this.panel.describe(what);
    this.redraw();
  }

  locate(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  pick(x, y, reach) {
    return this.picture.pick(x, y, reach, (node) => this.panel.dims(node));
  }

  setUpPointers() {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      const [x, y] = this.locate(event);
      this.pointers.set(event.pointerId, { x, y, startX: x, startY: y });
      this.stop();
      this.moved = this.pointers.size > 1;
    });
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    const lift = (event) => {
      const had = this.pointers.delete(event.pointerId);
      if (!had || this.moved || event.type === "pointercancel") return;
      this.choose(this.pick(...this.locate(event), event.pointerType === "touch" ? 12 : 2));
    };
    canvas.addEventListener("pointerup", lift);
    canvas.addEventListener("pointercancel", lift);
    canvas.addEventListener("pointerleave", () => this.hover({ node: null, link: null }));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      // A page that is scrolled past the picture must go on scrolling.
      if (document.activeElement !== canvas && !event.ctrlKey) return;
      event.preventDefault();
      this.camera.zoomAt(Math.exp(-Math.sign(event.deltaY) * Math.min(0.25, Math.abs(event.deltaY) / 400)), ...this.locate(event));
      this.redraw();
    }, { passive: false });
  }

  drag(event) {
    const [x, y] = this.locate(event);
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) {
      if (event.pointerType !== "touch") this.hover(this.pick(x, y, 2), x, y);
      return;
    }
    const [dx, dy] = [x - pointer.x, y - pointer.y];
    if (Math.hypot(x - pointer.startX, y - pointer.startY) > 4) this.moved = true;
    if (!this.moved) return;
    this.hover({ node: null, link: null });
    if (this.pointers.size === 2) this.pinch(event.pointerId, x, y);
    else if (this.camera.solid && !event.shiftKey && !(event.buttons & 6)) this.camera.turn(dx * PIXELS, -dy * PIXELS);
    else this.camera.move(dx, dy);
    [pointer.x, pointer.y] = [x, y];
    this.redraw();
  }

  pinch(identifier, x, y) {
    const [moving, resting] = [this.pointers.get(identifier), [...this.pointers].find(([each]) => each !== identifier)[1]];
    const before = Math.hypot(moving.x - resting.x, moving.y - resting.y);
    const after = Math.hypot(x - resting.x, y - resting.y);
    if (before > 1 && after > 1) this.camera.zoomAt(after / before, (x + resting.x) / 2, (y + resting.y) / 2);
    this.camera.move((x - moving.x) / 2, (y - moving.y) / 2);
  }

  hover(what, x = 0, y = 0) {
    const same = what.node === this.hovered.node && what.link === this.hovered.link;
    this.hovered = what;
    this.panel.showTip(what, x, y, this.camera.width);
    this.canvas.style.cursor = what.node === null && what.link === null ? "" : "pointer";
    if (!same) this.redraw();
  }

  setUpKeys() {
    const turn = (yaw, pitch) => (this.camera.solid ? this.camera.turn(yaw, pitch) : this.camera.move(-yaw * 240, pitch * 240));
    const acts = {
      ArrowLeft: ({ shiftKey }) => (shiftKey ? this.camera.move(-30, 0) : turn(-TURN, 0)),
      ArrowRight: ({ shiftKey }) => (shiftKey ? this.camera.move(30, 0) : turn(TURN, 0)),
      ArrowUp: ({ shiftKey }) => (shiftKey ? this.camera.move(0, -30) : turn(0, TURN)),
      ArrowDown: ({ shiftKey }) => (shiftKey ? this.camera.move(0, 30) : turn(0, -TURN)),
      "+": () => this.camera.zoomAt(1.2),
      "=": () => this.camera.zoomAt(1.2),
      "-": () => this.camera.zoomAt(1 / 1.2),
      0: () => this.camera.reset(),
      n: () => this.step(1),
      p: () => this.step(-1),
      Escape: () => this.choose({ node: null, link: null }),
    };
    for (const view of Object.keys(VIEWS)) if (view !== "turned") acts[view] = () => this.glide(view);
    this.canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in acts)) return;
      event.preventDefault();
      this.stop();
      acts[event.key](event);
      this.redraw();
    });
    this.panel.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && this.panel.found.length) {
        const at = this.panel.found.indexOf(this.chosen.node);
        this.choose({ node: this.panel.found[(at + 1) % this.panel.found.length], link: null });
      }
      if (event.key === "Escape") {
        this.panel.search.value = "";
        this.panel.look();
      }
    });
  }

  // The next node that is not filtered away.
  step(by) {
    const count = this.machine.phases.length;
    let node = this.chosen.node ?? (by > 0 ? -1 : count);
    for (let tried = 0; tried < count; tried += 1) {
      node = (node + by + count) % count;
      if (!this.panel.dims(node)) break;
    }
    this.choose({ node, link: null });
  }

  setUpTools() {
    const acts = {
      closer: () => this.camera.zoomAt(1.3),
      farther: () => this.camera.zoomAt(1 / 1.3),
      reset: () => this.camera.reset(),
    };
    for (const button of document.querySelectorAll("[data-look]")) {
      const view = button.dataset.look;
      button.addEventListener("click", () => {
        if (view in VIEWS) this.glide(view);
        else acts[view]();
        this.redraw();
      });
    }
    document.getElementById("all").addEventListener("click", () => this.panel.showAll());
    for (const button of document.querySelectorAll("[data-link]")) {
      button.addEventListener("click", () => {
        this.choose({ node: null, link: Number(button.dataset.link) });
        this.canvas.scrollIntoView({ block: "center" });
      });
    }
    document.getElementById("theme").addEventListener("click", () => this.repaint());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.repaint());
    this.setUpPrinting();
  }

  repaint() {
    this.picture.colours.read();
    this.panel.paintLegend();
    this.setScale();
    this.redraw();
  }

  // On paper the picture has the colours of the light theme, and more dots.
  setUpPrinting() {
    let theme;
    addEventListener("beforeprint", () => {
      theme = root.dataset.theme;
      root.dataset.theme = "light";
      this.density = 3;
      this.repaint();
      this.draw();
    });
    addEventListener("afterprint", () => {
      if (theme === undefined) delete root.dataset.theme;
      else root.dataset.theme = theme;
      delete this.density;
      this.repaint();
    });
  }

  stop() {
    cancelAnimationFrame(this.gliding);
  }

  // Turns to a standard view, at once for those who want no motion.
  glide(view) {
    this.stop();
    const from = { yaw: this.camera.yaw, pitch: this.camera.pitch };
    const to = VIEWS[view];
    if (this.still.matches) {
      this.camera.look(view);
      this.redraw();
      return;
    }
    const began = performance.now();
    const frame = (now) => {
      const part = Math.min(1, Math.max(0, (now - began) / GLIDE_MS));
      const eased = part * part * (3 - 2 * part);
      this.camera.yaw = from.yaw + (to.yaw - from.yaw) * eased;
      this.camera.pitch = from.pitch + (to.pitch - from.pitch) * eased;
      this.camera.place();
      this.draw();
      if (part < 1) this.gliding = requestAnimationFrame(frame);
    };
    this.gliding = requestAnimationFrame(frame);
  }
}

setUpTheme();
new View(unfold(JSON.parse(await unpacked("machine"))));
