// One embedding as a scatter that zooms, moves, and lets the points travel when another embedding is
// chosen, so that the eye can follow them. What all panels share is in embeddings.js.

class Scatter {
  /** Panel number `number`, from 1, in `place`. */
  constructor(shared, place, number, shown) {
    this.shared = shared;
    this.shown = shown;          // the embedding
    this.view = null;            // {cx, cy, ux, uy}: centre and units per pixel; null shows everything
    this.current = null;         // the view in force, after fitting
    this.box = null;             // the plot's rectangle on the canvas
    this.travel = null;          // {from, start} while the points move
    this.unplaced = 0;
    const name = `scatter-${number}`;
    this.name = el("h3", {id: `${name}-name`, "aria-live": "polite"});
    this.canvas = el("canvas", {id: name, class: "scatter", tabindex: 0, role: "img",
      "aria-describedby": "scatter-help"});
    this.over = el("canvas", {class: "over", "aria-hidden": "true"});
    this.tip = el("div", {id: `${name}-tip`, class: "tip"});
    this.tip.hidden = true;
    place.append(el("div", {class: "panel"}, this.name,
      el("div", {class: "plot"}, this.canvas, this.over, this.tip)));
    this.screen = new Float32Array(2 * individuals);  // where each individual stands; NaN: nowhere
    this.radius = individuals <= 600 ? 5 : individuals <= 3000 ? 4 : individuals <= 10000 ? 3 : 2.3;
    // A fixed mixed order of drawing, so that no class lies on top of the others because of its name.
    this.order = mixedOrder(individuals);
    this.figure = makeFigure(this.canvas, (width) => shared.heightOf(width),
      (...drawing) => this.draw(...drawing), individuals > blendAbove);
    listenToPointer(this);
  }

  embedding() { return data.embeddings[this.shown]; }
  flat() { return this.embedding().dimensions < 2; }
  classOf(i) { return labelled ? data.classes[i] : 0; }
  get x() { return this.flat() ? 0 : this.shared.x; }
  get y() { return this.flat() ? 1 : this.shared.y; }

  coordinate(i, axis) {
    const e = this.embedding();
    if (axis < e.dimensions) return e.points[i * e.dimensions + axis];
    if (e.dimensions === 0) return NaN;
    return ((i * 0.6180339887498949) % 1) - 0.5;  // a spread without meaning, for a single axis
  }

  fit(box) {
    let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
    for (let i = 0; i < individuals; i++) {
      if (this.shared.hidden.has(this.classOf(i))) continue;
      const x = this.coordinate(i, this.x), y = this.coordinate(i, this.y);
      if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
      x0 = Math.min(x0, x); x1 = Math.max(x1, x);
      y0 = Math.min(y0, y); y1 = Math.max(y1, y);
    }
    if (!(x0 <= x1)) return {cx: 0, cy: 0, ux: 1 / box.width, uy: 1 / box.height};
    const spanX = x1 > x0 ? x1 - x0 : Math.abs(x0) || 1;
    const spanY = this.flat() ? 2.5 : y1 > y0 ? y1 - y0 : Math.abs(y0) || 1;
    const room = 2 * this.radius + 10;
    let ux = spanX / Math.max(1, box.width - 2 * room), uy = spanY / Math.max(1, box.height - 2 * room);
    if (this.shared.equal && !this.flat()) ux = uy = Math.max(ux, uy);
    return {cx: (x0 + x1) / 2, cy: this.flat() ? 0 : (y0 + y1) / 2, ux, uy};
  }

  toX(value) {
    return this.box.left + this.box.width / 2 + (value - this.current.cx) / this.current.ux;
  }
  toY(value) {
    return this.box.top + this.box.height / 2 - (value - this.current.cy) / this.current.uy;
  }

  place(box) {
    this.box = box;
    this.current = this.view || this.fit(box);
    this.unplaced = 0;
    const now = performance.now();
    const part = this.travel ? Math.min(1, (now - this.travel.start) / 550) : 1;
    const eased = part < 0.5 ? 4 * part ** 3 : 1 - (2 - 2 * part) ** 3 / 2;
    for (let i = 0; i < individuals; i++) {
      const x = this.toX(this.coordinate(i, this.x)), y = this.toY(this.coordinate(i, this.y));
      if (!Number.isFinite(x) || !Number.isFinite(y)) this.unplaced++;
      this.screen[2 * i] = x;
      this.screen[2 * i + 1] = y;
      if (part === 1) continue;
      const fromX = this.travel.from[2 * i], fromY = this.travel.from[2 * i + 1];
      this.screen[2 * i] = fromX + (x - fromX) * eased;
      this.screen[2 * i + 1] = fromY + (y - fromY) * eased;
    }
    if (part >= 1) this.travel = null;
  }

  axisTitle(axis) {
    const share = this.embedding().share[axis];
    const explained = share === null || share === undefined ? "" : `  (${percent(share)} explained)`;
    if (axis < this.embedding().dimensions) return `${axisName(axis)}${explained}`;
    return this.embedding().dimensions === 1 ? "one axis only: height has no meaning" : "";
  }

  draw(pen, width, height, scale) {
    const look = theme();
    pen.fillStyle = look.paper;
    pen.fillRect(0, 0, width, height);
    if (this.embedding().dimensions === 0 || individuals === 0) {
      this.current = null;
      this.screen.fill(NaN);
      pen.fillStyle = look.muted;
      pen.font = `14px ${look.sans}`;
      pen.textAlign = "center";
      pen.fillText("No dimension to draw: all these distances are equal or zero.",
        width / 2, height / 2, width);
      return;
    }
    const box = {left: 66, top: 10, width: width - 78, height: height - 62};
    this.place(box);
    this.drawFrame(pen, look, box);
    pen.save();
    pen.beginPath();
    pen.rect(box.left, box.top, box.width, box.height);
    pen.clip();
    this.drawPoints(pen, look, box, scale);
    this.drawArrows(pen, look, box);
    pen.restore();
    this.drawOver();
    if (this.travel) this.figure.request();
  }

  drawFrame(pen, look, box) {
    const {cx, cy, ux, uy} = this.current;
    const reachX = ux * box.width / 2, reachY = uy * box.height / 2;
    const x = {at: (value) => this.toX(value), title: this.axisTitle(this.x)};
    const y = {at: (value) => this.toY(value), title: this.axisTitle(this.y)};
    x.ticks = ticksOf(cx - reachX, cx + reachX, box.width / 90);
    y.ticks = this.flat() ? [] : ticksOf(cy - reachY, cy + reachY, box.height / 75);
    x.texts = tickTexts(x.ticks);
    y.texts = tickTexts(y.ticks);
    drawAxes(pen, look, box, x, y);
    pen.strokeStyle = look.line;
    pen.strokeRect(box.left + 0.5, box.top + 0.5, box.width - 1, box.height - 1);
  }

  /** The marker of each class, drawn once. */
  stamps(look, scale) {
    const size = Math.ceil(2 * (1.7 * this.radius + 1.5));
    const styles = labelled ? data.style.classes : [{color: 0, shape: 0}];
    const make = (style) => {
      const stamp = document.createElement("canvas");
      stamp.width = stamp.height = Math.ceil(size * scale);
      const pen = stamp.getContext("2d", {willReadFrequently: individuals > blendAbove});
      pen.scale(scale, scale);
      drawMarker(pen, look, style, size / 2, size / 2, style ? this.radius : this.radius * 0.8);
      return stamp;
    };
    return {size, none: make(null), of: styles.map(make)};
  }

  opacity(c) {
    if (this.shared.emphasis !== null && this.shared.emphasis !== c) return 0.1;
    return individuals > 8000 ? 0.75 : 0.92;
  }

  /** Calls draw(x, y, class) for each individual to be drawn, in the order of drawing. */
  forVisible(box, size, draw) {
    for (const i of this.order) {
      const x = this.screen[2 * i], y = this.screen[2 * i + 1], c = this.classOf(i);
      // Not (inside) rather than outside: NaN must be left out too.
      if (!(x > box.left - size && x < box.left + box.width + size && y > box.top - size &&
            y < box.top + box.height + size) || this.shared.hidden.has(c)) continue;
      draw(x, y, c);
    }
  }

  drawPoints(pen, look, box, scale) {
    if (pen instanceof SvgPen) {
      this.forVisible(box, 2 * this.radius, (x, y, c) => {
        pen.globalAlpha = this.opacity(c);
        drawMarker(pen, look, c < 0 ? null : labelled ? data.style.classes[c] : {color: 0, shape: 0}, x, y,
          c < 0 ? this.radius * 0.8 : this.radius);
      });
      pen.globalAlpha = 1;
      return;
    }
    const {size, none, of} = this.stamps(look, scale);
    if (individuals > blendAbove) {
      this.blendPoints(pen, box, scale, size, [none, ...of]);
      return;
    }
    this.forVisible(box, size, (x, y, c) => {
      pen.globalAlpha = this.opacity(c);
      pen.drawImage(c < 0 ? none : of[c], x - size / 2, y - size / 2, size, size);
    });
    pen.globalAlpha = 1;
  }

  /** From the middle of all points; the longest arrow takes a third of the plot. */
  drawArrows(pen, look, box) {
    const ends = this.flat() ? [] : data.arrows.map(({name, along}) => [name, along[this.x] || 0, along[this.y] || 0]);
    const longest = Math.max(...ends.map(([, x, y]) => Math.hypot(x, y)), 0);
    if (longest === 0) return;
    const unit = Math.min(box.width, box.height) / 3 / longest;
    pen.strokeStyle = pen.fillStyle = look.ink;
    pen.lineWidth = 1;
    pen.font = `11px ${look.sans}`;
    pen.textBaseline = "middle";
    const fromX = this.toX(0), fromY = this.toY(0);
    const tips = ends.map(([name, x, y]) => ({name, x: fromX + x * unit, y: fromY - y * unit}));
    for (const {x, y} of tips) {
      const angle = Math.atan2(y - fromY, x - fromX);
      pen.beginPath();
      pen.moveTo(fromX, fromY);
      pen.lineTo(x, y);
      for (const turn of [2.7, -2.7]) {
        pen.moveTo(x, y);
        pen.lineTo(x + 7 * Math.cos(angle + turn), y + 7 * Math.sin(angle + turn));
      }
      pen.stroke();
    }
    pen.textAlign = "left";
    this.drawNames(pen, tips.sort((a, b) => a.y - b.y), fromX);
  }

  /** From above; below those of other arrows where they would overlap. */
  drawNames(pen, tips, middle) {
    const line = 13, placed = [];
    for (const {name, x, y} of tips) {
      const text = shorten(pen, name, 140), width = pen.measureText(text).width;
      const from = x < middle ? x - 4 - width : x + 4;
      let at = y;
      for (const other of placed) {
        if (from < other.to && other.from < from + width && Math.abs(at - other.y) < line) at = other.y + line;
      }
      pen.fillText(text, from, at);
      placed.push({from, to: from + width, y: at});
      placed.sort((a, b) => a.y - b.y);
    }
  }

  /** `stamps` start with that of class -1. */
  blendPoints(pen, box, scale, size, stamps) {
    const left = Math.round(box.left * scale) + 1, top = Math.round(box.top * scale) + 1;
    const image = pen.getImageData(left, top, Math.round(box.width * scale) - 2,
      Math.round(box.height * scale) - 2);
    const dots = stamps.map((stamp, k) => dotsOf(stamp, this.opacity(k - 1)));
    this.forVisible(box, size, (x, y, c) =>
      blendDots(image, dots[c + 1], Math.round(x * scale) - left, Math.round(y * scale) - top));
    pen.putImageData(image, left, top);
  }

  /** Rings around the individual under the pointer and those searched for, above the points. */
  drawOver() {
    const look = theme(), scale = this.canvas.width / this.canvas.parentElement.clientWidth;
    this.over.width = this.canvas.width;
    this.over.height = this.canvas.height;
    if (!this.box) return;
    const pen = this.over.getContext("2d");
    pen.scale(scale, scale);
    pen.beginPath();
    pen.rect(this.box.left, this.box.top, this.box.width, this.box.height);
    pen.clip();
    const {found, hovered} = this.shared, few = found.length <= 12;
    pen.font = `600 12px ${look.sans}`;
    pen.textBaseline = "middle";
    for (const i of hovered >= 0 ? [...found, hovered] : found) {
      const x = this.screen[2 * i], y = this.screen[2 * i + 1];
      if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
      pen.beginPath();
      pen.arc(x, y, this.radius + 5, 0, 2 * Math.PI);
      pen.lineWidth = 2;
      pen.strokeStyle = look.ink;
      pen.stroke();
      if (!few || i === hovered) continue;
      const name = data.individuals[i].slice(0, 40);
      pen.lineWidth = 4;
      pen.strokeStyle = look.paper;
      pen.strokeText(name, x + this.radius + 9, y);
      pen.fillStyle = look.ink;
      pen.fillText(name, x + this.radius + 9, y);
    }
  }

  refit() { this.view = null; this.figure.request(); }

  /** Title and label of what is shown. */
  describe() {
    const e = this.embedding();
    this.name.replaceChildren(...withPowers(nameAndUnit(e)));
    const who = plural(individuals, "individual", "individuals");
    this.canvas.setAttribute("aria-label", e.dimensions === 0 ? `${e.name}: no dimension to draw.`
      : `Scatter of ${who}, ${e.name}: ${this.axisTitle(this.x)} across, ${this.axisTitle(this.y)} up.`);
    this.figure.redraw();
  }

  /** Called before a change; what it returns, after it: the points travel from here to there. */
  startTravel() {
    const from = this.screen.slice();
    return () => {
      this.view = null;
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches || individuals > 12000;
      this.travel = still || this.current === null ? null : {from, start: performance.now()};
      this.hover(-1);
      this.describe();
    };
  }

  hover(i, x, y) {
    this.shared.hover(i);
    if (i < 0) { this.tip.hidden = true; return; }
    const lines = [data.individuals[i]];
    if (labelled) lines.push(className(i));
    const e = this.embedding();
    for (const axis of this.x === this.y ? [this.x] : [this.x, this.y]) {
      if (axis < e.dimensions) lines.push(`${axisName(axis)} = ${shown(this.coordinate(i, axis), 4)}`);
    }
    showTip(this.tip, x, y, lines);
  }

  nearest(x, y) {
    let best = -1, reach = (this.radius + 8) ** 2;
    for (let i = 0; i < individuals; i++) {
      const dx = this.screen[2 * i] - x, dy = this.screen[2 * i + 1] - y, far = dx * dx + dy * dy;
      if (far < reach && !this.shared.hidden.has(this.classOf(i))) { best = i; reach = far; }
    }
    return best;
  }

  zoom(factor, x, y) {
    if (!this.current) return;
    const box = this.box;
    const atX = x === undefined ? 0 : x - box.left - box.width / 2;
    const atY = y === undefined ? 0 : y - box.top - box.height / 2;
    const {cx, cy, ux, uy} = this.current;
    this.view = {cx: cx + atX * ux * (1 - factor), cy: cy - atY * uy * (1 - factor),
      ux: ux * factor, uy: uy * factor};
    this.current = this.view;
    this.figure.request();
  }

  move(dx, dy) {
    if (!this.current) return;
    const {cx, cy, ux, uy} = this.current;
    this.view = {cx: cx - dx * ux, cy: cy + dy * uy, ux, uy};
    this.current = this.view;
    this.figure.request();
  }
}

/** The numbers 0 .. size - 1 in a fixed order that has nothing to do with their own. */
function mixedOrder(size) {
  const order = Uint32Array.from({length: size}, (_, i) => i);
  let seed = 1;
  for (let i = size - 1; i > 0; i--) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const j = Math.floor(seed / 4294967296 * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}
