// Each figure as a file for papers: the drawing of the canvas again, in the light scheme, at the
// width of one column (85 mm) or of two (180 mm), where the letters of 12 pixels are 9 points high.

// Cut in two, as the page itself has no addresses: a name of SVG's, and a place in its own file.
const svgName = "http:" + "//www.w3.org/2000/svg", ownPlace = (name) => `url${"("}#${name})`;

/** What the figures use of a canvas' context, written down as SVG. */
class SvgPen {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.parts = [];
    this.clips = 0;
    this.state = {fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, lineJoin: "miter", font: "10px sans-serif",
      textAlign: "left", textBaseline: "alphabetic", globalAlpha: 1, dash: [], transform: "", clip: ""};
    this.saved = [];
    this.path = "";
    this.ruler = document.createElement("canvas").getContext("2d");
    for (const key of ["fillStyle", "strokeStyle", "lineWidth", "lineJoin", "font", "textAlign", "textBaseline",
      "globalAlpha"]) {
      Object.defineProperty(this, key, {get: () => this.state[key], set: (value) => { this.state[key] = value; }});
    }
  }

  save() { this.saved.push({...this.state}); }
  restore() { this.state = this.saved.pop(); }
  translate(x, y) { this.state.transform += `translate(${digits(x)} ${digits(y)})`; }
  rotate(angle) { this.state.transform += `rotate(${digits(angle * 180 / Math.PI)})`; }
  setLineDash(dash) { this.state.dash = dash; }
  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${digits(x)} ${digits(y)}`; }
  lineTo(x, y) { this.path += `${this.path === "" ? "M" : "L"}${digits(x)} ${digits(y)}`; }
  closePath() { this.path += "Z"; }
  rect(x, y, width, height) { this.path += `M${digits(x)} ${digits(y)}h${digits(width)}v${digits(height)}h${digits(-width)}Z`; }
  /** Whole circles alone are drawn. */
  arc(x, y, r) {
    this.path += `M${digits(x - r)} ${digits(y)}a${digits(r)} ${digits(r)} 0 1 0 ${digits(2 * r)} 0` +
      `a${digits(r)} ${digits(r)} 0 1 0 ${digits(-2 * r)} 0Z`;
  }
  clip() {
    this.state.clip = `c${++this.clips}`;
    this.parts.push(`<clipPath id="${this.state.clip}"><path d="${this.path}"/></clipPath>`);
  }

  put(element) {
    const {transform, clip, globalAlpha} = this.state;
    const more = (transform && ` transform="${transform}"`) + (globalAlpha < 1 ? ` opacity="${digits(globalAlpha)}"` : "");
    const drawn = element.replace(/^<(\w+)/, `<$1${more}`);
    this.parts.push(clip ? `<g clip-path="${ownPlace(clip)}">${drawn}</g>` : drawn);
  }

  line() {
    const {strokeStyle, lineWidth, lineJoin, dash} = this.state;
    return `fill="none" stroke="${strokeStyle}" stroke-width="${digits(lineWidth)}"` +
      (lineJoin === "miter" ? "" : ` stroke-linejoin="${lineJoin}"`) +
      (dash.length > 0 ? ` stroke-dasharray="${dash.join(" ")}"` : "");
  }
  fill() { this.put(`<path d="${this.path}" fill="${this.state.fillStyle}"/>`); }
  stroke() { this.put(`<path d="${this.path}" ${this.line()}/>`); }
  fillRect(x, y, width, height) {
    this.put(`<rect x="${digits(x)}" y="${digits(y)}" width="${digits(width)}" height="${digits(height)}" fill="${this.state.fillStyle}"/>`);
  }
  strokeRect(x, y, width, height) {
    this.put(`<rect x="${digits(x)}" y="${digits(y)}" width="${digits(width)}" height="${digits(height)}" ${this.line()}/>`);
  }
  clearRect() {}
  drawImage(image, x, y, width, height) {
    this.put(`<image x="${digits(x)}" y="${digits(y)}" width="${digits(width)}" height="${digits(height)}" ` +
      `preserveAspectRatio="none" style="image-rendering:pixelated" href="${image.toDataURL()}"/>`);
  }

  measureText(text) {
    this.ruler.font = this.state.font;
    return this.ruler.measureText(text);
  }
  fillText(text, x, y, room = Infinity) {
    const [, weight, size, family] = this.state.font.match(/^(?:(\d+) )?([\d.]+)px (.*)$/);
    const anchor = {left: "start", center: "middle", right: "end"}[this.state.textAlign];
    const down = {alphabetic: 0, middle: 0.35, top: 0.8}[this.state.textBaseline] * size;
    const tight = this.measureText(text).width > room ? ` textLength="${digits(room)}" lengthAdjust="spacingAndGlyphs"` : "";
    this.put(`<text x="${digits(x)}" y="${digits(y + down)}" font-family="${escapedXml(family)}" font-size="${size}"` +
      `${weight ? ` font-weight="${weight}"` : ""} text-anchor="${anchor}" fill="${this.state.fillStyle}"${tight}>` +
      `${escapedXml(text)}</text>`);
  }

  /** The file, so wide on paper. */
  text(millimetres) {
    return `<svg xmlns="${svgName}" width="${millimetres}mm" ` +
      `height="${digits(millimetres * this.height / this.width)}mm" viewBox="0 0 ${this.width} ${this.height}">\n` +
      `<rect width="100%" height="100%" fill="#fff"/>\n${this.parts.join("\n")}\n</svg>\n`;
  }
}

const digits = (value) => String(Math.round(value * 100) / 100);
/** XML has no place for the control characters that a name may hold. */
const escapedXml = (text) => String(text).replace(/[\u0000-\u001f\ufffe\uffff]/g, "\ufffd")
  .replace(/[<>&"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** Draws a figure with `make(width, height)`'s pen in the light scheme; then the page's again. */
function drawnForPaper(figure, millimetres, make) {
  const root = document.documentElement, dark = root.classList.contains("dark");
  const width = Math.round(millimetres * 96 / 25.4), height = Math.round(figure.heightOf(width));
  root.classList.remove("dark");
  try {
    const [pen, scale] = make(width, height);
    figure.draw(pen, width, height, scale);
    return pen;
  } finally {
    root.classList.toggle("dark", dark);
    figure.redraw();
  }
}

const svgOf = (figure, millimetres) =>
  drawnForPaper(figure, millimetres, (width, height) => [new SvgPen(width, height), 1]).text(millimetres);

/** At 300 dots an inch. */
function pngOf(figure, millimetres, take) {
  const canvas = document.createElement("canvas"), scale = 300 / 96;
  drawnForPaper(figure, millimetres, (width, height) => {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, width, height);
    return [pen, scale];
  });
  canvas.toBlob(take, "image/png");
}

/** Buttons below each figure that is drawn on a canvas. */
function offerFiles() {
  const save = (url, name) => el("a", {href: url, download: name}).click();
  figures.filter(({canvas}) => canvas).forEach((figure, k) => {
    const name = `${data.title.replace(/[^\w.-]+/g, "_") || "figure"}.${figure.canvas.id || `histogram-${k}`}`;
    const width = el("select", {"aria-label": "Width on paper"},
      el("option", {value: 85}, "85 mm"), el("option", {value: 180}, "180 mm"));
    width.value = "180";
    figure.canvas.parentElement.after(el("p", {class: "save screen-only"}, "Save as ",
      el("button", {type: "button", class: "plain", click: () =>
        save(URL.createObjectURL(new Blob([svgOf(figure, Number(width.value))], {type: "image/svg+xml"})), `${name}.svg`)}, "SVG"),
      el("button", {type: "button", class: "plain", click: () =>
        pngOf(figure, Number(width.value), (blob) => save(URL.createObjectURL(blob), `${name}.png`))}, "PNG"),
      width));
  });
}
