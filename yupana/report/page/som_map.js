// Maps of neurons: every panel on a canvas of its own, one neuron marked in all of them.

const data = JSON.parse(document.getElementById("data").textContent);
const id = (name) => document.getElementById(name);
const neurons = data.rows * data.cols, halfRoot3 = Math.sqrt(3) / 2;
let marked = -1;

/** A number for reading: four significant digits, a true minus sign. */
function shown(value) {
  if (value === null) return "–";
  const size = Math.abs(value);
  const text = Number.isInteger(value) && size < 1e9 ? value.toLocaleString("en-US")
    : size >= 1e6 || (size > 0 && size < 1e-4) ? value.toExponential(3)
    : value.toLocaleString("en-US", {maximumSignificantDigits: 4});
  return text.replace(/-/g, "−");
}

const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
const scale = data.colors.map(rgb);

function colorAt(part) {
  const at = Math.min(1, Math.max(0, part)) * (scale.length - 1);
  const k = Math.min(scale.length - 2, Math.floor(at));
  return scale[k].map((low, c) => Math.round(low + (scale[k + 1][c] - low) * (at - k)));
}

function theme() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(`--${name}`).trim();
  const dark = document.documentElement.classList.contains("dark");
  return {ink: get("ink"), muted: get("muted"), absent: get("absent"), sans: get("sans"),
    groups: dark ? data.darkGroupColors : data.groupColors};
}

/** The colours of groups, then the same half way to white, and so on: as the pictures have them. */
function groupColor(g, look) {
  const own = look.groups[g % look.groups.length];
  if (Math.floor(g / look.groups.length) % 2 === 0) return own;
  return "#" + rgb(own).map((part) => Math.round(255 - 0.5 * (255 - part)).toString(16)
    .padStart(2, "0")).join("");
}

/** Cells of a panel of that width: as the pictures beside this page have them. */
function cellsOf(width) {
  const wide = data.cols + (data.hexagonal && data.rows > 1 ? 0.5 : 0);
  const tall = data.hexagonal ? (data.rows - 1) * halfRoot3 + 1 / halfRoot3 : data.rows;
  const size = Math.min(width / wide, 320 / tall, 60);
  const center = (i) => {
    const row = Math.floor(i / data.cols), col = i % data.cols;
    return data.hexagonal
      ? [size * (col + (row % 2 === 1 ? 1 : 0.5)), size * (row * halfRoot3 + 0.5 / halfRoot3)]
      : [size * (col + 0.5), size * (row + 0.5)];
  };
  const path = (pen, i, side) => {
    const [x, y] = center(i), half = side / 2, up = half / halfRoot3;
    const corners = data.hexagonal
      ? [[0, -up], [half, -up / 2], [half, up / 2], [0, up], [-half, up / 2], [-half, -up / 2]]
      : [[-half, -half], [half, -half], [half, half], [-half, half]];
    pen.beginPath();
    for (const [dx, dy] of corners) pen.lineTo(x + dx, y + dy);
    pen.closePath();
  };
  /** The neuron at a point; -1 outside. */
  const at = (x, y) => {
    const guess = data.hexagonal ? Math.floor((y / size - 0.5 / halfRoot3) / halfRoot3 + 0.5)
      : Math.floor(y / size);
    let best = -1, least = size * size * 0.5;
    for (let row = guess - 1; row <= guess + 1; row++) {
      if (row < 0 || row >= data.rows) continue;
      const col = Math.floor(x / size - (data.hexagonal && row % 2 === 1 ? 0.5 : 0));
      for (const c of [col - 1, col, col + 1]) {
        if (c < 0 || c >= data.cols) continue;
        const i = row * data.cols + c, [cx, cy] = center(i);
        const square = (x - cx) ** 2 + (y - cy) ** 2;
        if (square < least) { best = i; least = square; }
      }
    }
    return best;
  };
  return {size, width: size * wide, height: size * tall, center, path, at};
}

class Panel {
  constructor(panel) {
    this.panel = panel;
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    const finite = panel.values.filter((v) => v !== null);
    this.low = finite.reduce((a, b) => Math.min(a, b), Infinity);
    this.high = finite.reduce((a, b) => Math.max(a, b), -Infinity);
    this.canvas.setAttribute("aria-label", panel.names ? `${panel.name} of the neurons`
      : `${panel.name}: from ${shown(finite.length ? this.low : null)} to ` +
        `${shown(finite.length ? this.high : null)}`);
    const title = document.createElement("h3"), plot = document.createElement("div");
    title.textContent = panel.name;
    plot.className = "plot";
    plot.append(this.canvas);
    const box = document.createElement("div");
    box.append(title, plot);
    id("panels").append(box);
    this.canvas.addEventListener("pointermove", (event) => {
      const place = this.canvas.getBoundingClientRect();
      mark(this.cells.at(event.clientX - place.left, event.clientY - place.top));
    });
    this.canvas.addEventListener("pointerleave", () => mark(-1));
  }

  colorOf(i, look) {
    const value = this.panel.values[i];
    if (this.panel.names) return value < 0 ? look.absent : groupColor(value, look);
    if (value === null) return look.absent;
    const span = this.high - this.low;
    return `rgb(${colorAt(span > 0 ? (value - this.low) / span : 0).join(" ")})`;
  }

  draw() {
    const width = this.canvas.parentElement.clientWidth;
    if (width === 0) return;
    const bar = this.panel.names ? 0 : 70;
    this.cells = cellsOf(Math.max(60, width - 70));
    const height = Math.max(this.cells.height, 90) + 8, ratio = Math.max(1, devicePixelRatio || 1);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.height = `${height}px`;
    const pen = this.canvas.getContext("2d"), look = theme();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawCells(pen, look);
    if (bar && this.high >= this.low) this.drawBar(pen, look, Math.max(this.cells.height, 86));
    this.drawn = document.createElement("canvas");
    this.drawn.width = this.canvas.width;
    this.drawn.height = this.canvas.height;
    this.drawn.getContext("2d").drawImage(this.canvas, 0, 0);
    this.drawMark();
  }

  drawCells(pen, look) {
    const side = this.cells.size >= 7 ? this.cells.size - 1 : this.cells.size + 0.3;
    const small = this.panel.counts && this.cells.size < 30;
    pen.font = `${small ? 9.5 : 11}px ${look.sans}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    // All counts or none: cells without one must not look like the smallest.
    const fits = text => this.cells.size >= 13 && pen.measureText(text).width <= this.cells.size - 3;
    const counted = this.panel.counts && this.panel.values.every(v => v === null || fits(shown(v)));
    for (let i = 0; i < neurons; i++) {
      pen.fillStyle = this.colorOf(i, look);
      this.cells.path(pen, i, side);
      pen.fill();
      const value = this.panel.values[i];
      if (value === null || !(counted || this.panel.names)) continue;
      const text = this.panel.names ? (value < 0 ? "" : this.panel.names[value]) : shown(value);
      if (!fits(text)) continue;
      const part = this.high > this.low ? (value - this.low) / (this.high - this.low) : 0;
      const [r, g, b] = this.panel.names ? rgb(value < 0 ? "#000000" : groupColor(value, look)) : colorAt(part);
      pen.fillStyle = 0.299 * r + 0.587 * g + 0.114 * b < 140 ? "#ffffff" : "#1c2127";
      const [x, y] = this.cells.center(i);
      pen.fillText(text, x, y + 0.5);
    }
  }

  drawBar(pen, look, height) {
    const left = this.cells.width + 10;
    for (let k = 0; k < height; k++) {
      const part = this.high > this.low ? 1 - k / Math.max(1, height - 1) : 0;
      pen.fillStyle = `rgb(${colorAt(part).join(" ")})`;
      pen.fillRect(left, k, 11, 1.5);
    }
    pen.fillStyle = look.muted;
    pen.textAlign = "left";
    const ends = this.high > this.low ? [this.high, (this.high + this.low) / 2, this.low] : [this.low];
    ends.forEach((value, k) => {
      const y = ends.length > 1 ? k * height / 2 : height;
      pen.fillText(shown(value), left + 16, Math.min(height - 5, Math.max(6, y)), 44);
    });
  }

  drawMark() {
    if (!this.drawn) return;
    const pen = this.canvas.getContext("2d");
    pen.save();
    pen.resetTransform();
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.drawn, 0, 0);
    pen.restore();
    if (marked < 0) return;
    for (const [color, line] of [["#000000", 4], ["#ffffff", 2]]) {
      pen.strokeStyle = color;
      pen.lineWidth = line;
      this.cells.path(pen, marked, Math.max(4, this.cells.size - 2));
      pen.stroke();
    }
  }
}

const list = data.panels.slice();
list.splice(data.firstPlane, 0, ...data.groups);
id("maps").hidden = list.length === 0;
const panels = list.map((panel) => new Panel(panel));

function mark(neuron) {
  if (neuron === marked) return;
  marked = neuron;
  const parts = neuron < 0 ? [] : list.map((panel) => {
    const value = panel.values[neuron];
    return `${panel.name} ${panel.names ? (value < 0 ? "no sample" : panel.names[value]) : shown(value)}`;
  });
  id("neuron").textContent = neuron < 0 ? "Point at a cell."
    : `Neuron ${neuron} (row ${Math.floor(neuron / data.cols)}, column ${neuron % data.cols}): ` +
      parts.slice(0, 12).join(" · ");
  for (const panel of panels) panel.drawMark();
}

function drawAll() {
  for (const panel of panels) panel.draw();
  const look = theme();
  const entry = (name, color) => {
    const span = document.createElement("span"), swatch = document.createElement("i");
    swatch.style.background = color;
    span.append(swatch, name);
    return span;
  };
  id("legends").replaceChildren(...data.groups.map((groups) => {
    const line = document.createElement("p"), title = document.createElement("b");
    line.className = "legend-line";
    title.textContent = groups.name;
    line.append(title, ...groups.shown.map((g) => entry(groups.names[g], groupColor(g, look))));
    if (groups.hasNone) line.append(entry("no sample", look.absent));
    line.append(groups.remark);
    return line;
  }));
}

function setScheme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  id("scheme").textContent = dark ? "Light" : "Dark";
  id("scheme").setAttribute("aria-pressed", String(dark));
  drawAll();
}

id("scheme").addEventListener("click",
  () => setScheme(!document.documentElement.classList.contains("dark")));
id("neuron").textContent = "Point at a cell.";
let width = 0;
new ResizeObserver(() => {
  if (id("panels").clientWidth === width) return;
  width = id("panels").clientWidth;
  drawAll();
}).observe(id("panels"));
setScheme(document.documentElement.classList.contains("dark"));
