// The classes beside the view.

/** The bar of a covariate's colours with its name and numbers. */
function makeScale() {
  const {name, low, high, values} = data.covariate;
  const bar = el("div", {class: "bar", role: "img", "aria-label": `${name} from ${shown(low, 4)} to ${shown(high, 4)}`});
  bar.style.background = `linear-gradient(to top, ${data.style.classes.map(({color}) => data.style.light[color]).join(", ")})`;
  const numbers = [high, (low + high) / 2, low].map((value) => el("span", {}, shown(value, 4)));
  const none = values.filter((value) => value === null).length;
  id("legend").append(el("div", {class: "scale"}, el("b", {}, name), el("div", {class: "range"}, bar, el("div", {}, ...numbers)),
    ...(none > 0 ? [el("span", {class: "count"}, `no value: ${count(none)}, grey`)] : [])));
  id("legend").setAttribute("aria-label", "Scale of colours");
  id("legend").hidden = false;
}

/** A button per class: click hides or shows it, pointing at it fades the others. */
function makeLegend(view) {
  if (!labelled) return;
  if (data.covariate) { makeScale(); return; }
  const counts = new Map();
  for (const c of data.classes) counts.set(c, (counts.get(c) || 0) + 1);
  const classes = data.classNames.map((name, c) => ({c, name, style: data.style.classes[c]}));
  if (counts.has(-1)) classes.push({c: -1, name: "no label", style: null});
  const buttons = [];
  const icons = [];
  const update = () => {
    buttons.forEach((button, k) =>
      button.setAttribute("aria-pressed", String(!view.hidden.has(classes[k].c))));
    view.request();
  };
  const emphasize = (c) => { view.emphasis = c; view.request(); };
  for (const {c, name, style} of classes) {
    const icon = el("canvas", {"aria-hidden": "true"});
    icons.push([icon, style]);
    const button = el("button", {
      type: "button", title: name,
      click: () => { if (!view.hidden.delete(c)) view.hidden.add(c); update(); },
      pointerenter: () => emphasize(c), pointerleave: () => emphasize(null),
      focus: () => { if (button.matches(":focus-visible")) emphasize(c); }, blur: () => emphasize(null),
    }, icon, el("span", {class: "name"}, name),
    el("span", {class: "count"}, count(counts.get(c) || 0)));
    buttons.push(button);
  }
  const all = el("button", {type: "button", class: "plain", click: () => { view.hidden.clear(); update(); }}, "All");
  const none = el("button", {type: "button", class: "plain",
    click: () => { for (const {c} of classes) view.hidden.add(c); update(); }}, "None");
  id("legend").append(el("div", {class: "inner"}, el("div", {class: "all"}, all, none),
    el("ul", {}, ...buttons.map((button) => el("li", {}, button)))));
  id("legend").hidden = false;
  const drawIcons = () => {
    const look = theme(), scale = Math.max(2, window.devicePixelRatio || 1);
    for (const [icon, style] of icons) {
      icon.width = icon.height = 18 * scale;
      const pen = icon.getContext("2d");
      pen.scale(scale, scale);
      drawMarker(pen, look, style, 9, 9, 5.4);
    }
  };
  figures.push({redraw: drawIcons});
  drawIcons();
  update();
}
