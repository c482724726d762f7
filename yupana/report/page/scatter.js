// The embeddings: a scatter that zooms, moves, hides classes, finds individuals, and lets the
// points travel when another embedding is chosen, so that the eye can follow them.

function startScatter() {
  const state = {
    shown: 0, x: 0, y: 1, equal: true, hidden: new Set(), emphasis: null,
    view: null,      // {cx, cy, ux, uy}: centre and units per pixel; null shows everything
    box: null,       // the plot's rectangle on the canvas
    hover: -1, found: [],
  };
  const canvas = id("scatter"), over = id("scatter-over"), tip = id("scatter-tip");
  const screen = new Float32Array(2 * individuals);  // where each individual stands, NaN: nowhere
  const radius = individuals <= 600 ? 5 : individuals <= 3000 ? 4 : individuals <= 10000 ? 3 : 2.3;
  // A fixed mixed order of drawing, so that no class lies on top of the others because of its name.
  const order = mixedOrder(individuals);
  let current = null;      // the view in force, after fitting
  let travel = null;       // {from, start} while the points move
  let unplaced = 0;

  const embedding = () => data.embeddings[state.shown];
  const flat = () => embedding().dimensions < 2;
  const classOf = (i) => labelled ? data.classes[i] : 0;

  function coordinate(i, axis) {
    const e = embedding();
    if (axis < e.dimensions) return e.points[i * e.dimensions + axis];
    if (e.dimensions === 0) return NaN;
    return ((i * 0.6180339887498949) % 1) - 0.5;  // a spread without meaning, for a single axis
  }

  function fit(box) {
    let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
    for (let i = 0; i < individuals; i++) {
      if (state.hidden.has(classOf(i))) continue;
      const x = coordinate(i, state.x), y = coordinate(i, state.y);
      if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
      x0 = Math.min(x0, x); x1 = Math.max(x1, x);
      y0 = Math.min(y0, y); y1 = Math.max(y1, y);
    }
    if (!(x0 <= x1)) return {cx: 0, cy: 0, ux: 1 / box.width, uy: 1 / box.height};
    const spanX = x1 > x0 ? x1 - x0 : Math.abs(x0) || 1;
    const spanY = flat() ? 2.5 : y1 > y0 ? y1 - y0 : Math.abs(y0) || 1;
    const room = 2 * radius + 10;
    let ux = spanX / Math.max(1, box.width - 2 * room), uy = spanY / Math.max(1, box.height - 2 * room);
    if (state.equal && !flat()) ux = uy = Math.max(ux, uy);
    return {cx: (x0 + x1) / 2, cy: flat() ? 0 : (y0 + y1) / 2, ux, uy};
  }

  const toX = (value) => state.box.left + state.box.width / 2 + (value - current.cx) / current.ux;
  const toY = (value) => state.box.top + state.box.height / 2 - (value - current.cy) / current.uy;

  function place(box) {
    state.box = box;
    current = state.view || fit(box);
    unplaced = 0;
    const now = performance.now();
    const part = travel ? Math.min(1, (now - travel.start) / 550) : 1;
    const eased = part < 0.5 ? 4 * part ** 3 : 1 - (2 - 2 * part) ** 3 / 2;
    for (let i = 0; i < individuals; i++) {
      const x = toX(coordinate(i, state.x)), y = toY(coordinate(i, state.y));
      if (!Number.isFinite(x) || !Number.isFinite(y)) unplaced++;
      const fromX = travel ? travel.from[2 * i] : x, fromY = travel ? travel.from[2 * i + 1] : y;
      screen[2 * i] = part < 1 ? fromX + (x - fromX) * eased : x;
      screen[2 * i + 1] = part < 1 ? fromY + (y - fromY) * eased : y;
    }
    if (part >= 1) travel = null;
  }

  const share = (axis) => {
    const value = embedding().share[axis];
    return value === null || value === undefined ? "" : `  (${percent(value)} explained)`;
  };
  function axisTitle(axis) {
    if (axis < embedding().dimensions) return `PC${axis + 1}${share(axis)}`;
    return embedding().dimensions === 1 ? "one axis only: height has no meaning" : "";
  }

  function draw(pen, width, height, scale) {
    const look = theme();
    pen.clearRect(0, 0, width, height);
    if (embedding().dimensions === 0 || individuals === 0) {
      current = null;
      screen.fill(NaN);
      pen.fillStyle = look.muted;
      pen.font = `14px ${look.sans}`;
      pen.textAlign = "center";
      pen.fillText("No dimension to draw: all these distances are equal or zero.", width / 2, height / 2, width);
      return;
    }
    const box = {left: 66, top: 10, width: width - 78, height: height - 62};
    place(box);
    drawFrame(pen, look, box);
    pen.save();
    pen.beginPath();
    pen.rect(box.left, box.top, box.width, box.height);
    pen.clip();
    drawPoints(pen, look, box, scale);
    pen.restore();
    drawOver();
    if (travel) figure.request();
  }

  function drawFrame(pen, look, box) {
    const reachX = current.ux * box.width / 2, reachY = current.uy * box.height / 2;
    const x = {ticks: ticksOf(current.cx - reachX, current.cx + reachX, box.width / 110), at: toX,
      title: axisTitle(state.x)};
    const y = {ticks: flat() ? [] : ticksOf(current.cy - reachY, current.cy + reachY, box.height / 80),
      at: toY, title: axisTitle(state.y)};
    x.texts = tickTexts(x.ticks);
    y.texts = tickTexts(y.ticks);
    drawAxes(pen, look, box, x, y);
    pen.strokeStyle = look.line;
    pen.strokeRect(box.left + 0.5, box.top + 0.5, box.width - 1, box.height - 1);
  }

  /** Each class is drawn once and stamped: thirty thousand stamps take a few milliseconds. */
  function stamps(look, scale) {
    const size = Math.ceil(2 * (1.7 * radius + 1.5)), styles = labelled ? data.style.classes : [{color: 0, shape: 0}];
    const make = (style) => {
      const stamp = document.createElement("canvas");
      stamp.width = stamp.height = Math.ceil(size * scale);
      const pen = stamp.getContext("2d");
      pen.scale(scale, scale);
      drawMarker(pen, look, style, size / 2, size / 2, style ? radius : radius * 0.8);
      return stamp;
    };
    return {size, none: make(null), of: styles.map(make)};
  }

  function drawPoints(pen, look, box, scale) {
    const {size, none, of} = stamps(look, scale);
    const base = individuals > 8000 ? 0.75 : 0.92;
    for (const i of order) {
      const x = screen[2 * i], y = screen[2 * i + 1], c = classOf(i);
      // Not (inside) rather than outside: NaN must be left out too.
      if (!(x > box.left - size && x < box.left + box.width + size && y > box.top - size &&
            y < box.top + box.height + size) || state.hidden.has(c)) continue;
      pen.globalAlpha = state.emphasis !== null && state.emphasis !== c ? 0.1 : base;
      pen.drawImage(c < 0 ? none : of[c], x - size / 2, y - size / 2, size, size);
    }
    pen.globalAlpha = 1;
  }

  /** Rings around the individual under the pointer and those searched for, above the points. */
  function drawOver() {
    const look = theme(), scale = canvas.width / canvas.parentElement.clientWidth;
    over.width = canvas.width;
    over.height = canvas.height;
    if (!state.box) return;
    const pen = over.getContext("2d");
    pen.scale(scale, scale);
    pen.beginPath();
    pen.rect(state.box.left, state.box.top, state.box.width, state.box.height);
    pen.clip();
    const few = state.found.length <= 12;
    pen.font = `600 12px ${look.sans}`;
    pen.textBaseline = "middle";
    for (const i of state.hover >= 0 ? [...state.found, state.hover] : state.found) {
      const x = screen[2 * i], y = screen[2 * i + 1];
      if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
      pen.beginPath();
      pen.arc(x, y, radius + 5, 0, 2 * Math.PI);
      pen.lineWidth = 2;
      pen.strokeStyle = look.ink;
      pen.stroke();
      if (!few || i === state.hover) continue;
      const name = data.individuals[i].slice(0, 40);
      pen.lineWidth = 4;
      pen.strokeStyle = look.paper;
      pen.strokeText(name, x + radius + 9, y);
      pen.fillStyle = look.ink;
      pen.fillText(name, x + radius + 9, y);
    }
  }

  const figure = makeFigure(canvas, (width) => Math.min(640, Math.max(320, width * 0.68)), draw);
  const refit = () => { state.view = null; figure.request(); };

  function describe() {
    const e = embedding();
    id("embedding-name").textContent = e.name;
    canvas.setAttribute("aria-label", e.dimensions === 0 ? `${e.name}: no dimension to draw.`
      : `Scatter of ${plural(individuals, "individual", "individuals")}, ${e.name}: ${axisTitle(state.x)}` +
        ` across, ${axisTitle(state.y)} up.`);
    figure.redraw();
    const notes = [];
    if (unplaced > 0) notes.push(`${plural(unplaced, "individual has", "individuals have")} no coordinates here.`);
    if (!flat()) notes.push(state.equal ? "Both axes have the same scale." : "The axes have different scales.");
    id("scatter-note").textContent = notes.join(" ");
  }

  function travelTo(change) {
    const from = screen.slice();
    change();
    state.view = null;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches || individuals > 12000;
    travel = still || current === null ? null : {from, start: performance.now()};
    hover(-1);
    describe();
  }

  function fillAxes() {
    const names = Array.from({length: Math.max(1, embedding().dimensions)}, (_, k) => `PC${k + 1}`);
    for (const [key, select] of [["x", id("axis-x")], ["y", id("axis-y")]]) {
      select.replaceChildren(...names.map((name, k) => el("option", {value: k}, name)));
      if (!flat() && state[key] >= names.length) state[key] = key === "x" ? 0 : 1;
      if (flat()) state[key] = key === "x" ? 0 : 1;
      select.value = String(state[key]);
      select.parentElement.hidden = flat();
    }
    id("equal").parentElement.hidden = flat();
  }

  function hover(i, x, y) {
    if (i !== state.hover) { state.hover = i; drawOver(); }
    if (i < 0) { tip.hidden = true; return; }
    const lines = [data.individuals[i]];
    if (labelled) lines.push(className(i));
    const e = embedding();
    for (const axis of state.x === state.y ? [state.x] : [state.x, state.y]) {
      if (axis < e.dimensions) lines.push(`PC${axis + 1} = ${shown(coordinate(i, axis), 4)}`);
    }
    showTip(tip, x, y, lines);
  }

  function nearest(x, y) {
    let best = -1, reach = (radius + 8) ** 2;
    for (let i = 0; i < individuals; i++) {
      const dx = screen[2 * i] - x, dy = screen[2 * i + 1] - y, far = dx * dx + dy * dy;
      if (far < reach && !state.hidden.has(classOf(i))) { best = i; reach = far; }
    }
    return best;
  }

  function zoom(factor, x, y) {
    if (!current) return;
    const box = state.box;
    const atX = x === undefined ? 0 : x - box.left - box.width / 2;
    const atY = y === undefined ? 0 : y - box.top - box.height / 2;
    state.view = {
      cx: current.cx + atX * current.ux * (1 - factor), cy: current.cy - atY * current.uy * (1 - factor),
      ux: current.ux * factor, uy: current.uy * factor,
    };
    figure.request();
  }

  function move(dx, dy) {
    if (!current) return;
    state.view = {...current, cx: current.cx - dx * current.ux, cy: current.cy + dy * current.uy};
    current = state.view;
    figure.request();
  }

  listenScatter({canvas, state, figure, hover, nearest, zoom, move, refit});
  const choose = (i) => travelTo(() => { state.shown = i; fillAxes(); });
  makeSwitch(id("embedding-switch"), "Distances shown", data.embeddings.map((e) => e.name), choose);
  for (const [key, name] of [["x", "axis-x"], ["y", "axis-y"]]) {
    id(name).addEventListener("change", (event) => travelTo(() => { state[key] = Number(event.target.value); }));
  }
  id("equal").addEventListener("change", (event) => travelTo(() => { state.equal = event.target.checked; }));
  id("find").addEventListener("input", (event) => { state.found = find(event.target.value); drawOver(); });
  id("coordinates").addEventListener("click", (event) => {
    event.currentTarget.href = fileUrl(coordinatesText(embedding()));
    event.currentTarget.download = `${embedding().name.replace(/[^\w.-]+/g, "_")}.tsv`;
  });
  makeLegend(state, figure);
  fillAxes();
  describe();
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

/** Individuals whose name holds the text; says what it found. */
function find(text) {
  const wanted = text.trim().toLowerCase(), found = [];
  if (wanted === "") { id("found").textContent = ""; return found; }
  data.individuals.forEach((name, i) => { if (name.toLowerCase().includes(wanted)) found.push(i); });
  const names = found.slice(0, 8).map((i) => labelled ? `${data.individuals[i]} (${className(i)})` : data.individuals[i]);
  id("found").textContent = found.length === 0 ? "No individual has such a name."
    : `${plural(found.length, "individual", "individuals")}: ${names.join(", ")}${found.length > 8 ? ", …" : ""}`;
  return found;
}

function coordinatesText(e) {
  const axes = Array.from({length: e.dimensions}, (_, k) => `PC${k + 1}`);
  const lines = [["individual", ...(labelled ? ["label"] : []), ...axes].join("\t")];
  data.individuals.forEach((name, i) => lines.push([name, ...(labelled ? [className(i)] : []),
    ...axes.map((_, k) => Number(e.points[i * e.dimensions + k].toPrecision(7)))].join("\t")));
  return lines.join("\n") + "\n";
}

function listenScatter({canvas, state, figure, hover, nearest, zoom, move, refit}) {
  const at = (event) => {
    const rect = canvas.getBoundingClientRect();
    return [event.clientX - rect.left, event.clientY - rect.top];
  };
  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch" || event.button !== 0) return;
    held = at(event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = at(event);
    if (held) {
      canvas.classList.add("dragging");
      move(x - held[0], y - held[1]);
      held = [x, y];
      hover(-1);
    } else {
      hover(nearest(x, y), x, y);
    }
  });
  const release = () => { held = null; canvas.classList.remove("dragging"); };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => hover(-1));
  canvas.addEventListener("dblclick", (event) => zoom(0.5, ...at(event)));
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;  // a bare wheel scrolls the page
    event.preventDefault();
    hover(-1);
    zoom(Math.exp(Math.sign(event.deltaY) * 0.2), ...at(event));
  }, {passive: false});
  const keys = {
    ArrowLeft: () => move(40, 0), ArrowRight: () => move(-40, 0), ArrowUp: () => move(0, 40),
    ArrowDown: () => move(0, -40), "+": () => zoom(0.7), "=": () => zoom(0.7), "-": () => zoom(1.4), 0: refit,
  };
  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  id("zoom-in").addEventListener("click", () => zoom(0.7));
  id("zoom-out").addEventListener("click", () => zoom(1.4));
  id("zoom-reset").addEventListener("click", refit);
}
