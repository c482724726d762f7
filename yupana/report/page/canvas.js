// What all figures share: sharp canvases that follow their width, colours of the scheme, axes and
// markers.

let printing = false;
const figures = [];

/** Colours of the scheme in force, from the style sheet. */
function theme() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(`--${name}`).trim();
  const dark = document.documentElement.classList.contains("dark");
  return {
    dark,
    ink: get("ink"), muted: get("muted"), line: get("line"), grid: get("grid"),
    paper: get("paper"), accent: get("accent"), absent: get("absent"), sans: get("sans"),
    colors: dark ? data.style.dark : data.style.light,
  };
}

/**
 * Keeps a canvas drawn at the width of its place. The style sheet stretches it to that width, so a
 * printed page scales it without distortion; hence three pixels per unit there.
 */
function makeFigure(canvas, heightOf, draw, readsPixels = false) {
  let width = 0, queued = false;
  const figure = {
    canvas, heightOf, draw,
    redraw() {
      queued = false;
      width = canvas.parentElement.clientWidth;
      if (width === 0) return;
      const height = Math.round(heightOf(width));
      // Browsers refuse canvases of more pixels a side.
      const scale = Math.min(printing ? 3 : Math.max(1, window.devicePixelRatio || 1), 16000 / height);
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      const pen = canvas.getContext("2d", {willReadFrequently: readsPixels});
      pen.setTransform(scale, 0, 0, scale, 0, 0);
      draw(pen, width, height, scale);
    },
    /** Once per frame, however often it is asked for. */
    request() {
      if (!queued) requestAnimationFrame(figure.redraw);
      queued = true;
    },
  };
  figures.push(figure);
  figure.redraw();
  new ResizeObserver(() => {
    if (canvas.parentElement.clientWidth !== width) figure.redraw();
  }).observe(canvas.parentElement);
  return figure;
}

/** Round numbers (1, 2, 5 times a power of ten) within [low, high], about `wanted` of them. */
function ticksOf(low, high, wanted) {
  const raw = (high - low) / Math.max(1, wanted);
  if (!(raw > 0) || !Number.isFinite(raw)) return Number.isFinite(low) ? [low] : [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((s) => s * power >= raw * 0.999) * power;
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) {
    if (ticks.length > wanted + 2) return [];  // the step is lost beside the size of the values
    ticks.push(Number((k * step).toPrecision(12)));
  }
  return ticks;
}

/** All ticks of an axis with the digits that its step needs. */
function tickTexts(ticks) {
  const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : Math.abs(ticks[0] || 1);
  const size = Math.max(...ticks.map(Math.abs), step);
  if (size >= 1e6 || size < 1e-3) {
    const digits = Math.min(12, Math.max(0, Math.round(Math.log10(size / step))));
    return ticks.map((t) => t === 0 ? "0"
      : t.toExponential(digits).replace(/\.0+e/, "e").replace("e+", "e").replace(/-/g, "−"));
  }
  const digits = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  return ticks.map((t) => t.toLocaleString("en-US",
    {minimumFractionDigits: digits, maximumFractionDigits: digits}).replace("-", "−"));
}

/**
 * Grid lines, ticks and titles around `box` = {left, top, width, height}. `x` and `y` are
 * {ticks, texts, at(value) -> pixel, title}.
 */
function drawAxes(pen, look, box, x, y) {
  const right = box.left + box.width, bottom = box.top + box.height;
  pen.lineWidth = 1;
  pen.strokeStyle = look.grid;
  pen.beginPath();
  for (const t of x.ticks) {
    const at = Math.round(x.at(t)) + 0.5;
    pen.moveTo(at, box.top);
    pen.lineTo(at, bottom);
  }
  for (const t of y.ticks) {
    const at = Math.round(y.at(t)) + 0.5;
    pen.moveTo(box.left, at);
    pen.lineTo(right, at);
  }
  pen.stroke();
  setLetters(pen, look.muted, `12px ${look.sans}`, "center", "top");
  x.ticks.forEach((t, i) => pen.fillText(x.texts[i], x.at(t), bottom + 6));
  setLetters(pen, look.muted, `12px ${look.sans}`, "right", "middle");
  y.ticks.forEach((t, i) => pen.fillText(y.texts[i], box.left - 7, y.at(t)));
  setLetters(pen, look.ink, `600 13px ${look.sans}`, "center", "alphabetic");
  pen.fillText(x.title, box.left + box.width / 2, bottom + 40, box.width);
  pen.save();
  pen.translate(14, box.top + box.height / 2);
  pen.rotate(-Math.PI / 2);
  pen.fillText(y.title, 0, 0, box.height);
  pen.restore();
}

/** How the texts that follow look, and where they are from their place. */
function setLetters(pen, color, font, align, baseline) {
  Object.assign(pen, {fillStyle: color, font, textAlign: align, textBaseline: baseline});
}

/** Lines from point to point. */
function strokeLine(pen, ...points) {
  pen.beginPath();
  for (const [x, y] of points) pen.lineTo(x, y);
  pen.stroke();
}

/** Room for the widest text left of an axis. */
function widthOf(pen, look, texts) {
  pen.font = `12px ${look.sans}`;
  return Math.max(...texts.map((text) => pen.measureText(text).width), 0);
}

/** The marker of a class around (x, y), of the area of a disc of that radius. */
function drawMarker(pen, look, style, x, y, radius) {
  const outline = style ? data.style.outlines[style.shape] : [];
  if (style && style.hollow) radius *= 0.86;  // the line around it has width
  const color = style ? look.colors[style.color] : data.style.none;
  pen.beginPath();
  if (outline.length === 0) pen.arc(x, y, radius, 0, 2 * Math.PI);
  for (const [dx, dy] of outline) pen.lineTo(x + dx * radius, y + dy * radius);
  pen.closePath();
  if (style && style.hollow) {
    pen.fillStyle = look.paper;
    pen.fill();
    pen.lineWidth = Math.max(1, radius * 0.42);
    pen.strokeStyle = color;
  } else {
    pen.fillStyle = color;
    pen.fill();
    pen.lineWidth = 1;
    pen.strokeStyle = look.paper;
  }
  if (radius > 3 || (style && style.hollow)) pen.stroke();
}
