// Puts the report together: words and tables, then the figures that have data.

function startScheme() {
  const root = document.documentElement, button = id("scheme");
  const set = (dark) => {
    root.classList.toggle("dark", dark);
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", dark ? "Light colours" : "Dark colours");
    button.setAttribute("aria-pressed", String(dark));
    for (const figure of figures) figure.redraw();
  };
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", (event) => { if (!printing) set(event.matches); });
  button.addEventListener("click", () => set(!root.classList.contains("dark")));
  let before = false;
  addEventListener("beforeprint", () => {
    before = root.classList.contains("dark");
    printing = true;
    set(false);
  });
  addEventListener("afterprint", () => { printing = false; set(before); });
  set(root.classList.contains("dark"));
}

function showWords() {
  const facts = [plural(individuals, "individual", "individuals")];
  if (data.covariate) facts.push(`coloured by ${data.covariate.name}`);
  else if (labelled) facts.push(plural(data.classNames.length, "class", "classes"));
  if (runAlphas.length > 0) facts.push(`α = ${runAlphas.map((alpha) => shown(alpha, 6)).join(", ")}`);
  id("facts").textContent = facts.join("  ·  ");
  id("finding-list").append(...data.findings.map((text) => el("li", {}, text)));
  id("findings").hidden = data.findings.length === 0;
  id("notices").append(...data.notices.map((text) => el("p", {class: "notice", role: "note"},
    el("b", {}, "⚠ Notice"), el("span", {}, text))));
  id("notices").hidden = data.notices.length === 0;
}

function showScores() {
  const keys = ["silhouette", "rand", "neighbor"];
  const cell = (value, k) => el("td", {}, value === null ? "–"
    : k === 2 ? percent(value) : value.toFixed(3).replace("-", "−"));
  id("score-table").append(table("Agreement with the labels",
    ["Distances", "Silhouette", "Adjusted Rand index", "Nearest neighbour"],
    data.scores.map((row) => [row.name, ...keys.map((key, k) => cell(row[key], k))])));
  id("score-note").hidden = data.scores.length < 2;
}

function showTables() {
  id("tables").append(...data.tables.map(({title, note, head, rows}) => el("section", {class: "card"},
    el("h2", {}, title), el("p", {}, note), el("div", {class: "scroll"}, table(title, head, rows)))));
}

function showSummary() {
  const rows = (caption, list) => el("table", {}, el("caption", {class: "unseen"}, caption),
    el("tbody", {}, ...list.map(([name, value]) => el("tr", {},
      el("th", {scope: "row"}, name), el("td", {}, value)))));
  const isTime = ([name]) => name.startsWith("time: ");
  id("summary-table").append(rows("Summary of the run", data.summary.filter((row) => !isTime(row))));
  const times = data.summary.filter(isTime).map(([name, value]) => [name.slice(6), value]);
  id("times").hidden = times.length === 0;
  id("time-table").append(rows("Time of each stage", times));
  const links = data.newick.map(([name, tree]) => el("a", {
    class: "button", href: fileUrl(tree), download: `${name.replace(/[^\w.-]+/g, "_") || "tree"}.nwk`,
  }, name || "tree"));
  id("tree-links").append(...links);
  id("trees").hidden = links.length === 0;
}

function showShares() {
  const most = Math.max(...data.embeddings.map((e) => e.dimensions));
  const axes = Array.from({length: most}, (_, k) => axisName(k));
  id("shares").append(table("Explained share of each axis", ["Embedding", ...axes],
    data.embeddings.map((e) => [e.name,
      ...axes.map((_, k) => k < e.dimensions ? percent(e.share[k]) : "–")])));
}

/** Shows a part and fills it, in this order: a hidden canvas has no width. */
function open(name, present, ...fill) {
  id(name).hidden = !present;
  if (present) for (const step of fill) step();
}

const filled = data.histograms.filter((histogram) =>
  histogram.counts.length > 0 && histogram.low !== null && histogram.high !== null);
const curve = data.alphas.map((alpha, k) => [alpha, data.keptEdges[k]])
  .filter(([alpha]) => alpha !== null).sort((a, b) => a[0] - b[0]);
showWords();
open("embedding", data.embeddings.length > 0, () => new Embeddings(), showShares);
open("scree", data.scree.length > 0, startScree);
open("heat", data.heatMaps.some((map) => map.size > 0), startHeatMap);
open("dendrogram", data.trees.length > 0 && individuals > 1, () => startTrees(data.trees));
open("histograms", filled.length > 0, () => startHistograms(filled));
open("retention", curve.length > 0, () => startRetention(curve));
showTables();
open("scores", data.scores.length > 0, showScores);
open("summary", data.summary.length > 0 || data.newick.length > 0, showSummary);
offerFiles();
startScheme();
