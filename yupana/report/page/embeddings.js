// The embeddings: up to two panels side by side, with what they share: axes, scales, hidden classes,
// the individuals pointed at and searched for.

class Embeddings {
  constructor() {
    this.x = 0;                // the axes shown
    this.y = 1;
    this.equal = true;         // one scale on both axes
    this.hidden = new Set();   // classes
    this.emphasis = null;      // the class pointed at in the legend
    this.hovered = -1;
    this.found = [];
    this.panels = [];
    const shown = data.sideBySide.slice(0, data.embeddings.length);
    id("panels").classList.toggle("pair", shown.length > 1);
    id("compared").hidden = shown.length < 2;
    if (data.embeddingNote) id("embedding-note").textContent = data.embeddingNote;
    shown.forEach((embedding, k) =>
      this.panels.push(new Scatter(this, id("panels"), k + 1, embedding)));
    this.listenToControls();
    makeLegend(this);
    this.fillAxes();
    for (const panel of this.panels) panel.describe();
    this.describe();
  }

  heightOf(width) {
    return Math.min(640, Math.max(320, width * (data.embeddings.length > 1 ? 0.9 : 0.68)));
  }

  request() { for (const panel of this.panels) panel.figure.request(); }

  /** Marks an individual in every panel. */
  hover(i) {
    if (i === this.hovered) return;
    this.hovered = i;
    for (const panel of this.panels) panel.drawOver();
  }

  describe() {
    const notes = [];
    const unplaced = this.panels.map((panel) => panel.unplaced).filter((number) => number > 0);
    for (const number of unplaced) {
      notes.push(`${plural(number, "individual has", "individuals have")} no coordinates here.`);
    }
    if (this.panels.some((panel) => !panel.flat())) {
      notes.push(this.equal ? "Both axes of a panel have the same scale." : "The axes have different scales.");
    }
    if (this.panels.length > 1) notes.push("An individual pointed at is marked in both panels.");
    id("scatter-note").textContent = notes.join(" ");
  }

  /** Lets the points of the panels travel to where `change` puts them. */
  travelTo(change, panels = this.panels) {
    const travels = panels.map((panel) => panel.startTravel());
    change();
    for (const travel of travels) travel();
    this.describe();
  }

  /** The axes that every panel has; a panel of a single axis takes no part. */
  fillAxes() {
    const wide = this.panels.filter((panel) => !panel.flat());
    const axes = Math.min(...wide.map((panel) => panel.embedding().dimensions));
    for (const [key, select] of [["x", id("axis-x")], ["y", id("axis-y")]]) {
      select.parentElement.hidden = wide.length === 0;
      if (wide.length === 0) continue;
      const names = Array.from({length: axes}, (_, k) => axisName(k));
      select.replaceChildren(...names.map((name, k) => el("option", {value: k}, name)));
      if (this[key] >= axes) this[key] = key === "x" ? 0 : 1;
      select.value = String(this[key]);
    }
    id("equal").parentElement.hidden = wide.length === 0;
  }

  /** Which embedding a panel shows, where there are more than panels or two to exchange. */
  addChoices() {
    if (data.embeddings.length < 2) return;
    this.panels.forEach((panel, k) => {
      const options = data.embeddings.map((e, i) => el("option", {value: i}, e.name));
      const select = el("select", {id: `embedding-${k + 1}`, change: () =>
        this.travelTo(() => { panel.shown = Number(select.value); this.fillAxes(); })}, ...options);
      select.value = String(panel.shown);
      id("embedding-choices").append(el("label", {}, k === 0 ? "Left" : "Right", select));
    });
  }

  listenToControls() {
    this.addChoices();
    for (const [key, name] of [["x", "axis-x"], ["y", "axis-y"]]) {
      id(name).addEventListener("change", (event) => this.travelTo(() => {
        this[key] = Number(event.target.value);
      }));
    }
    id("equal").addEventListener("change", (event) => this.travelTo(() => {
      this.equal = event.target.checked;
    }));
    id("find").addEventListener("input", (event) => {
      this.found = find(event.target.value);
      for (const panel of this.panels) panel.drawOver();
    });
    const all = (act) => () => this.panels.forEach(act);
    id("zoom-in").addEventListener("click", all((panel) => panel.zoom(0.7)));
    id("zoom-out").addEventListener("click", all((panel) => panel.zoom(1.4)));
    id("zoom-reset").addEventListener("click", all((panel) => panel.refit()));
    for (const e of data.embeddings) {
      id("coordinates").append(el("a", {class: "button", href: "#",
        download: `${e.name.replace(/[^\w.-]+/g, "_")}.tsv`,
        click: (event) => { event.currentTarget.href = fileUrl(coordinatesText(e)); }}, ...withPowers(e.name)));
    }
  }
}

/** Individuals whose name holds the text; says what it found. */
function find(text) {
  const wanted = text.trim().toLowerCase(), found = [];
  if (wanted === "") { id("found").textContent = ""; return found; }
  data.individuals.forEach((name, i) => { if (name.toLowerCase().includes(wanted)) found.push(i); });
  const names = found.slice(0, 8).map(nameAndClass).join(", ") + (found.length > 8 ? ", …" : "");
  id("found").textContent = found.length === 0 ? "No individual has such a name."
    : `${plural(found.length, "individual", "individuals")}: ${names}`;
  return found;
}

function coordinatesText(e) {
  const axes = Array.from({length: e.dimensions}, (_, k) => axisName(k));
  const lines = [["individual", ...(labelled ? [data.covariate ? data.covariate.name : "label"] : []), ...axes].join("\t")];
  data.individuals.forEach((name, i) => lines.push([name, ...(labelled ? [className(i)] : []),
    ...axes.map((_, k) => Number(e.points[i * e.dimensions + k].toPrecision(7)))].join("\t")));
  return lines.join("\n") + "\n";
}
