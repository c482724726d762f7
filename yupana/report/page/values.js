// The report's data, how numbers are written, and small builders of page elements. Text from the
// data only ever becomes text nodes, never markup.

const data = JSON.parse(document.getElementById("data").textContent);
const individuals = data.individuals.length;
const labelled = data.classNames.length > 0;
const id = (name) => document.getElementById(name);

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Axis k of the embeddings: of classical scaling a principal coordinate. */
const axisName = (k) => `${data.axis} ${k + 1}`;

/** "distance d (mm)"; the name alone without a unit. */
const nameAndUnit = ({name, unit}) => unit ? `${name} (${unit})` : name;

/** The powers of this run. */
const runAlphas = data.runAlphas.filter((alpha) => alpha !== null);

for (const embedding of data.embeddings) {
  embedding.points = new Float32Array(bytesOf(embedding.points).buffer);
}

/** A number for reading: `digits` significant digits, a true minus sign. */
function shown(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  let text;
  if (size >= 1e6 || (size > 0 && size < 1e-4)) {
    text = value.toExponential(digits - 1).replace("e+", "e");
  } else if (size >= 10 ** digits) {
    text = Math.round(value).toLocaleString("en-US");
  } else {
    text = String(Number(value.toPrecision(digits)));
  }
  return text.replace(/-/g, "−");
}

const count = (value) => value.toLocaleString("en-US");
const plural = (value, one, many) => `${count(value)} ${value === 1 ? one : many}`;
/** Never 0 % or 100 % of what is not. */
const percent = (share) => share === null || share === undefined ? "–"
  : share > 0 && share < 0.0005 ? "< 0.1 %" : share < 1 && share >= 0.9995 ? "> 99.9 %"
  : `${(100 * share).toFixed(1).replace("-", "−")} %`;

function className(individual) {
  if (!labelled) return "";
  const c = data.classes[individual];
  if (data.covariate) return shown(data.covariate.values[individual], 6);
  return c < 0 ? "no label" : data.classNames[c];
}

function nameAndClass(individual) {
  const name = data.individuals[individual];
  return labelled ? `${name} (${className(individual)})` : name;
}

/** An element; children are elements or texts. */
function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Nodes of a name in which ^x, ^2.5 and ^(x) are powers. */
function withPowers(name) {
  return name.split(/(\^\([^)]*\)|\^[\p{L}\p{N}]+(?:\.\p{N}+)?)/u).map((part, k) =>
    k % 2 === 1 ? el("sup", {}, part.replace(/^\^\(?|\)$/g, "")) : part);
}

/** A table; the first cell of each row is its heading. */
function table(caption, head, rows) {
  return el("table", {},
    el("caption", {class: "unseen"}, caption),
    el("thead", {}, el("tr", {}, ...head.map((text) => el("th", {scope: "col"}, text)))),
    el("tbody", {}, ...rows.map(([first, ...rest]) => el("tr", {},
      el("th", {scope: "row"}, ...withPowers(first)),
      ...rest.map((cell) => cell instanceof Node ? cell : el("td", {}, cell))))));
}

/** Radio buttons in a row, for one of several names; nothing to choose, nothing shown. */
function makeSwitch(place, legend, names, choose, first = 0) {
  if (names.length < 2) return;
  const group = el("fieldset", {class: "switch"}, el("legend", {class: "unseen"}, legend));
  names.forEach((name, i) => {
    const input = el("input", {type: "radio", name: place.id, value: i, change: () => choose(i)});
    input.checked = i === first;
    group.append(el("label", {}, input, el("span", {}, name)));
  });
  place.append(group);
}

/** Shows a tip at (x, y) of its plot, on the side with room. */
function showTip(tip, x, y, lines) {
  tip.replaceChildren(...lines.map((line, i) => i === 0 ? el("b", {}, line) : el("div", {}, line)));
  tip.hidden = false;
  const plot = tip.parentElement;
  const left = x + 14 + tip.offsetWidth > plot.clientWidth ? x - 14 - tip.offsetWidth : x + 14;
  const top = Math.min(y + 12, plot.clientHeight - tip.offsetHeight - 4);
  tip.style.left = `${Math.max(0, left)}px`;
  tip.style.top = `${Math.max(0, top)}px`;
}

const fileUrl = (text) => "data:text/plain;charset=utf-8," + encodeURIComponent(text);
