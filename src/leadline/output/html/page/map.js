// A machine that can be turned: the picture, and what a reader does with it.
const TURN = Math.PI / 24;
const PIXELS = 0.008;

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
    this.panel = new Panel(machine, this.words, this.picture.colours, () => this.redraw());
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
      share: (link) => (most ? (this.machine.links[link][measure] || null) && this.machine.links[link][measure] / most : null),
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
      this.pointer = { x, y, startX: x, startY: y, moved: false };
    });
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    canvas.addEventListener("pointerup", (event) => {
      const clicked = this.pointer && !this.pointer.moved;
      this.pointer = null;
      if (clicked) this.choose(this.pick(...this.locate(event), event.pointerType === "touch" ? 12 : 2));
    });
    canvas.addEventListener("pointercancel", () => (this.pointer = null));
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
    const { pointer } = this;
    if (!pointer) {
      if (event.pointerType !== "touch") this.hover(this.pick(x, y, 2), x, y);
      return;
    }
    const [dx, dy] = [x - pointer.x, y - pointer.y];
    if (Math.hypot(x - pointer.startX, y - pointer.startY) > 4) pointer.moved = true;
    if (!pointer.moved) return;
    this.hover({ node: null, link: null });
    if (this.camera.solid && !event.shiftKey && !(event.buttons & 6)) this.camera.turn(dx * PIXELS, -dy * PIXELS);
    else this.camera.move(dx, dy);
    [pointer.x, pointer.y] = [x, y];
    this.redraw();
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
      Escape: () => this.choose({ node: null, link: null }),
    };
    for (const view of Object.keys(VIEWS)) if (view !== "turned") acts[view] = () => this.camera.look(view);
    this.canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in acts)) return;
      event.preventDefault();
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

  setUpTools() {
    const acts = {
      closer: () => this.camera.zoomAt(1.3),
      farther: () => this.camera.zoomAt(1 / 1.3),
      reset: () => this.camera.reset(),
    };
    for (const button of document.querySelectorAll("[data-look]")) {
      const view = button.dataset.look;
      button.addEventListener("click", () => {
        if (view in VIEWS) this.camera.look(view);
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
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.repaint());
    // On paper the picture has the colours of the light theme.
    matchMedia("print").addEventListener("change", () => {
      this.repaint();
      this.draw();
    });
  }

  repaint() {
    this.picture.colours.read();
    this.panel.paintLegend();
    this.setScale();
    this.redraw();
  }
}

new View(unfold(JSON.parse(await unpacked("machine"))));
