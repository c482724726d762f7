// Clustered distances: cells of the lower triangle, a strip of classes, a bar of colours.

// From low to high, the same in the light and the dark scheme. The lightness rises steadily
// (ColorBrewer's yellow-green-blue).
const heatColors = ["#081d58", "#253494", "#225ea8", "#1d91c0", "#41b6c4", "#7fcdbb", "#c7e9b4", "#edf8b1",
  "#ffffd9"].map((hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16)));

function heatColor(part) {
  const at = part * (heatColors.length - 1);
  const k = Math.min(heatColors.length - 2, Math.floor(at));
  return heatColors[k].map((low, c) => Math.round(low + (heatColors[k + 1][c] - low) * (at - k)));
}

/** Values, limits of the colours (most off-diagonal cells lie between), the class of each row. */
function decodeHeatMap(map) {
  const bytes = bytesOf(map.cells), codes = new Uint16Array(bytes.buffer);
  const unit = (map.high - map.low) / 65534;
  const value = (i, j) => {
    const code = i >= j ? codes[i * (i + 1) / 2 + j] : codes[j * (j + 1) / 2 + i];
    return code === 65535 ? NaN : map.low + code * unit;
  };
  const sample = [];
  for (let i = 1; i < map.size; i++) {
    for (let j = 0; j < i; j++) sample.push(value(i, j));
  }
  const sorted = Float64Array.from(sample.filter((v) => !Number.isNaN(v))).sort();
  const quantile = (q) => sorted.length > 0 ? sorted[Math.round(q * (sorted.length - 1))] : map.low;
  let low = quantile(0.005), high = quantile(0.995);
  if (!(high > low)) { low = map.low; high = map.high; }
  const first = (row) => Math.floor(row * map.individuals / map.size);
  const rows = Array.from({length: map.size}, (_, row) => map.order.slice(first(row), first(row + 1)));
  return {map, value, low, high, rows, classes: labelled ? rows.map(majority) : rows.map(() => -2)};
}

/** The most frequent class of a row's individuals; -2 without any. */
function majority(row) {
  const counts = new Map();
  for (const i of row) counts.set(data.classes[i], (counts.get(data.classes[i]) || 0) + 1);
  let best = -2, most = 0;
  for (const [c, times] of counts) if (times > most) { best = c; most = times; }
  return best;
}

function startHeatMap() {
  const maps = data.heatMaps.filter((map) => map.size > 0).map(decodeHeatMap);
  const canvas = id("heat-map"), tip = id("heat-tip");
  let shownMap = maps[0], layout = null;

  function picture(heat, look) {
    const size = heat.map.size, image = document.createElement("canvas");
    image.width = image.height = size;
    const pen = image.getContext("2d"), pixels = pen.createImageData(size, size);
    const ramp = Array.from({length: 256}, (_, k) => heatColor(k / 255));
    const absent = [1, 3, 5].map((k) => parseInt(look.absent.slice(k, k + 2), 16));
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) {
        const value = heat.value(i, j), part = (value - heat.low) / (heat.high - heat.low || 1);
        const color = Number.isNaN(value) ? absent : ramp[Math.round(255 * Math.min(1, Math.max(0, part)))];
        const to = 4 * (i * size + j);
        pixels.data[to] = color[0];
        pixels.data[to + 1] = color[1];
        pixels.data[to + 2] = color[2];
        pixels.data[to + 3] = 255;
      }
    }
    pen.putImageData(pixels, 0, 0);
    return image;
  }

  function draw(pen, width, height) {
    const look = theme(), heat = shownMap;
    const strip = heat.classes.some((c) => c > -2) ? 12 : 0;
    const names = strip && width > 560 ? 118 : 0;
    const bar = width > 560 ? 112 : 88;
    const left = names + (strip ? strip + 4 : 0), side = Math.min(width - left - bar, height - 4);
    layout = {left, top: 2, side};
    pen.clearRect(0, 0, width, height);
    pen.imageSmoothingEnabled = heat.map.size > side;
    pen.drawImage(picture(heat, look), left, 2, side, side);
    if (strip) drawStrip(pen, look, heat, {left, side, strip, names});
    if (heat.high > heat.low) drawBar(pen, look, heat, left + side + 22, 2, Math.min(side, 320));
  }

  function drawStrip(pen, look, heat, {left, side, strip, names}) {
    const cell = side / heat.map.size;
    setLetters(pen, look.ink, `12px ${look.sans}`, "right", "middle");
    for (let from = 0; from < heat.map.size;) {
      let to = from + 1;
      while (to < heat.map.size && heat.classes[to] === heat.classes[from]) to++;
      const c = heat.classes[from], y = 2 + from * cell, tall = (to - from) * cell;
      pen.fillStyle = c >= 0 ? look.colors[data.style.classes[c].color] : data.style.none;
      pen.fillRect(left - strip - 4, y, strip, tall);
      if (names && tall >= 13) {
        pen.fillStyle = look.ink;
        const name = c >= 0 ? data.classNames[c] : "no label";
        pen.fillText(shorten(pen, name, names - 8), left - strip - 10, y + tall / 2);
      }
      from = to;
    }
  }

  function drawBar(pen, look, heat, x, y, tall) {
    for (let k = 0; k < tall; k++) {
      const [r, g, b] = heatColor(1 - k / Math.max(1, tall - 1));
      pen.fillStyle = `rgb(${r} ${g} ${b})`;
      pen.fillRect(x, y + k, 14, 1.5);
    }
    pen.strokeStyle = look.line;
    pen.strokeRect(x + 0.5, y + 0.5, 13, tall - 1);
    const ticks = ticksOf(heat.low, heat.high, 5), texts = tickTexts(ticks);
    setLetters(pen, look.muted, `12px ${look.sans}`, "left", "middle");
    ticks.forEach((t, k) => {
      const at = y + tall * (1 - (t - heat.low) / (heat.high - heat.low || 1));
      pen.fillText(texts[k], x + 20, Math.min(y + tall - 6, Math.max(y + 6, at)));
      pen.fillRect(x + 14, Math.round(at), 4, 1);
    });
    pen.save();
    pen.translate(x + 32 + widthOf(pen, look, texts), y + tall / 2);
    pen.rotate(Math.PI / 2);
    setLetters(pen, look.ink, `600 12px ${look.sans}`, "center", "middle");
    pen.fillText(shorten(pen, nameAndUnit(heat.map), tall), 0, 0);
    pen.restore();
  }

  const figure = makeFigure(canvas,
    (width) => Math.min(Math.max(200, width - (width > 560 ? 246 : 104)), 700) + 4, draw);

  function describe() {
    const {map, low, high} = shownMap;
    id("heat-name").replaceChildren(...withPowers(nameAndUnit(map)));
    const cut = high < map.high || low > map.low;
    const who = plural(map.individuals, "individual", "individuals");
    canvas.setAttribute("aria-label", `Heat map of ${map.name} between ${who}, ` +
      `from ${shown(map.low)} to ${shown(map.high)}${map.unit ? " " + map.unit : ""}.`);
    const notes = [];
    if (map.individuals > map.size) {
      notes.push(`Each cell is the mean over about ${shown(map.individuals / map.size, 2)} × ` +
        `${shown(map.individuals / map.size, 2)} pairs.`);
    }
    notes.push(`Values run from ${shown(map.low)} to ${shown(map.high)}` +
      (cut ? `; colours span ${shown(low)} to ${shown(high)}, where 99 % of the cells off the ` +
        "diagonal lie." : "."));
    if (shownMap.classes.some((c) => c > -2)) {
      notes.push("The strip shows the class of each row" +
        (map.individuals > map.size ? " (the most frequent one of its individuals)." : "."));
    }
    id("heat-note").textContent = notes.join(" ");
    figure.redraw();
  }

  const nameOf = (row) => {
    const all = shownMap.rows[row];
    if (all.length === 0) return `row ${row + 1}`;
    return all.length === 1 ? nameAndClass(all[0]) : `${nameAndClass(all[0])} and ${all.length - 1} more`;
  };
  canvas.addEventListener("pointermove", (event) => {
    const rect = canvas.getBoundingClientRect();
    const x = event.clientX - rect.left, y = event.clientY - rect.top, size = shownMap.map.size;
    const i = Math.floor((y - layout.top) / layout.side * size);
    const j = Math.floor((x - layout.left) / layout.side * size);
    if (i < 0 || j < 0 || i >= size || j >= size) { tip.hidden = true; return; }
    showTip(tip, x, y, [shown(shownMap.value(i, j), 4), nameOf(i), nameOf(j)]);
  });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  makeSwitch(id("heat-switch"), "Matrix shown", maps.map(({map}) => map.name), (i) => {
    shownMap = maps[i];
    describe();
  });
  describe();
}

/** The text with its end cut off where it is wider than allowed. */
function shorten(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  let letters = Array.from(text.slice(0, 200));
  while (letters.length > 1 && pen.measureText(letters.join("") + "…").width > width) letters.pop();
  return letters.join("") + "…";
}
