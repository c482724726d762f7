// The tree as a rectangular dendrogram: root on the left, individuals in rows on the right.

const mostRows = 600;      // names of ten pixels can be read; more would scroll without end
const printedRows = 56;    // fit one page
const rowHeight = 12;

/** Children, heights and sizes of all clusters, 0 .. n - 1 being the individuals. */
function decodeTree(tree) {
  const children = new Int32Array(bytesOf(tree.children).buffer);
  const joined = new Float32Array(bytesOf(tree.heights).buffer);
  const tips = new Float32Array(bytesOf(tree.tips).buffer), support = new Float32Array(bytesOf(tree.support).buffer);
  const n = joined.length + 1, size = new Int32Array(2 * n - 1).fill(1);
  const common = new Int32Array(2 * n - 1);  // the class of all individuals; -3: they differ
  for (let i = 0; i < n; i++) common[i] = labelled ? data.classes[i] : -2;
  for (let k = 0; k < n - 1; k++) {
    const left = children[2 * k], right = children[2 * k + 1];
    size[n + k] = size[left] + size[right];
    common[n + k] = common[left] === common[right] ? common[left] : -3;
  }
  let top = 0;
  for (const height of joined) if (Number.isFinite(height)) top = Math.max(top, height);
  return {...tree, n, size, common, top, height: (c) => c >= n ? joined[c - n] : tips.length > 0 ? tips[c] : 0,
    hasTips: tips.length > 0, hasSupport: support.length > 0, support: (c) => c >= n && support.length > 0 ? support[c - n] : NaN,
    left: (c) => children[2 * (c - n)], right: (c) => children[2 * (c - n) + 1],
    apart: joined.reduce((sum, height) => sum + (Number.isFinite(height) ? 0 : 1), 0)};
}

/** Individuals of a cluster. */
function leavesOf(tree, cluster) {
  const leaves = [], stack = [cluster];
  while (stack.length > 0) {
    const c = stack.pop();
    if (c < tree.n) leaves.push(c);
    else stack.push(tree.right(c), tree.left(c));
  }
  return leaves;
}

/**
 * Clusters of at most `wanted` rows from top to bottom, and the row of every cluster drawn. Opens
 * the highest merges: the cut of the tree into so many clusters.
 */
function layOut(tree, wanted) {
  const lowest = 2 * tree.n - Math.min(wanted, tree.n);  // clusters from here on are opened
  const rows = [], at = new Map(), stack = [2 * tree.n - 2];
  while (stack.length > 0) {
    const c = stack.pop();
    if (c < 0) {
      at.set(~c, (at.get(tree.left(~c)) + at.get(tree.right(~c))) / 2);
    } else if (c < tree.n || c < lowest) {
      at.set(c, rows.length + 0.5);
      rows.push(c);
    } else {
      stack.push(~c, tree.right(c), tree.left(c));
    }
  }
  return {rows, at};
}

/** Mean of the covariate over the individuals that have it. */
function meanOf(leaves) {
  const values = leaves.map((i) => data.covariate.values[i]).filter((value) => value !== null);
  return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : NaN;
}

/** "NA19152, YRI", or of a collapsed cluster "12 individuals: CEU 11, JPT 1". */
function rowText(tree, cluster) {
  const leaves = leavesOf(tree, cluster);
  if (leaves.length === 1) return labelled ? `${data.individuals[cluster]}, ${className(cluster)}` : data.individuals[cluster];
  const who = plural(leaves.length, "individual", "individuals");
  if (!labelled) return `${who}: ${data.individuals[leaves[0]]}, …`;
  if (data.covariate) return `${who}: mean ${shown(meanOf(leaves), 4)}`;
  const counts = new Map();
  for (const i of leaves) counts.set(className(i), (counts.get(className(i)) || 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  return `${who}: ${sorted.map(([name, times]) => `${name} ${times}`).join(", ")}`;
}

function startTrees(encoded) {
  const trees = encoded.map(decodeTree), canvas = id("tree-plot"), tip = id("tree-tip");
  const first = Math.max(0, trees.findIndex(({hasSupport}) => hasSupport));  // not every tree has it
  let tree = trees[first], wanted = Math.min(individuals, mostRows), layout = null;
  if (individuals > mostRows) wanted = 200;

  const rowsNow = () => Math.min(wanted, printing ? printedRows : Infinity, tree.n);
  const color = (look, c) => c >= 0 ? look.colors[data.style.classes[c].color]
    : c === -1 ? data.style.none : look.ink;  // of several classes, or of none at all

  function draw(pen, width) {
    const look = theme();
    layout = layOut(tree, rowsNow());
    const {rows, at} = layout;
    const names = Math.min(width * 0.4, 260);
    const box = {left: 8, top: 44, width: width - names - 30, height: rows.length * rowHeight};
    const top = tree.top || 1, root = tree.apart > 0 ? 12 : 0;  // room for joins at no height
    const x = (height) => Number.isFinite(height)
      ? box.left + root + (1 - height / top) * (box.width - root) : box.left;
    const y = (c) => box.top + at.get(c) * rowHeight;
    pen.clearRect(0, 0, width, box.top + box.height + 8);
    drawScale(pen, look, box, x, top, names);
    for (const [c] of at) drawJoin(pen, look, c, x, y, at);
    drawSupport(pen, look, at, x, y);
    rows.forEach((c, row) => drawRow(pen, look, c, box.top + (row + 0.5) * rowHeight, x, names));
    showNote(rows.length);
  }

  function drawScale(pen, look, box, x, top, names) {
    const ticks = ticksOf(0, top, box.width / 90), texts = tickTexts(ticks);
    pen.strokeStyle = look.grid;
    pen.lineWidth = 1;
    setLetters(pen, look.muted, `12px ${look.sans}`, "center", "alphabetic");
    ticks.forEach((t, k) => {
      strokeLine(pen, [x(t), box.top - 4], [x(t), box.top + box.height]);
      pen.fillText(texts[k], x(t), box.top - 10);
    });
    setLetters(pen, look.ink, `600 13px ${look.sans}`, "left", "alphabetic");
    pen.fillText(shorten(pen, `${tree.hasTips ? "path length" : "height"}: ${nameAndUnit(tree)}`, box.width + names), box.left, box.top - 28);
  }

  function drawJoin(pen, look, c, x, y, at) {
    if (c < tree.n || !at.has(tree.left(c))) return;
    const here = x(tree.height(c));
    for (const child of [tree.left(c), tree.right(c)]) {
      pen.strokeStyle = color(look, tree.common[child]);
      pen.lineWidth = 1.3;
      pen.setLineDash(Number.isFinite(tree.height(c)) ? [] : [3, 3]);
      strokeLine(pen, [here, y(c)], [here, y(child)], [x(tree.height(child)), y(child)]);
    }
    pen.setLineDash([]);
  }

  /** Percent of the replicates, left of the join and above its branch. */
  function drawSupport(pen, look, at, x, y) {
    setLetters(pen, look.muted, `8px ${look.sans}`, "right", "alphabetic");
    for (const [c] of at) {
      if (tree.support(c) >= 50) pen.fillText(String(Math.round(tree.support(c))), x(tree.height(c)) - 2, y(c) - 2);
    }
  }

  function drawRow(pen, look, c, y, x, names) {
    const end = x(0);
    if (c < tree.n && tree.hasTips) {
      pen.strokeStyle = look.grid;
      strokeLine(pen, [x(tree.height(c)), y], [end, y]);
    }
    const leaves = c < tree.n ? [c] : leavesOf(tree, c), most = labelled ? majority(leaves) : -2;
    if (c >= tree.n) {
      pen.fillStyle = color(look, most);
      pen.beginPath();
      pen.moveTo(x(tree.height(c)), y);
      pen.lineTo(end, y - 0.4 * rowHeight);
      pen.lineTo(end, y + 0.4 * rowHeight);
      pen.fill();
    }
    if (labelled) drawMarker(pen, look, most >= 0 ? data.style.classes[most] : null, end + 8, y, 3.6);
    setLetters(pen, look.ink, `10.5px ${look.sans}`, "left", "middle");
    pen.fillText(shorten(pen, rowText(tree, c), names), end + (labelled ? 17 : 6), y + 0.5);
  }

  const figure = makeFigure(canvas, () => rowsNow() * rowHeight + 56, draw);

  function describe() {
    id("tree-name").replaceChildren(...withPowers(nameAndUnit(tree)));
    const height = {average: "the mean distance between their individuals",
      single: "the smallest distance between their individuals",
      complete: "the largest distance between their individuals"}[tree.linkage] || "their distance";
    id("tree-height").textContent = tree.hasTips
      ? "Branches have the lengths of the tree; it has no root: its left end is the last join."
      : `Two clusters are joined at the height of ${height}; everyone stands at height 0 on the right.`;
    figure.redraw();
    const drawn = layout ? layout.rows.length : 0;
    canvas.setAttribute("aria-label", `Dendrogram of ${plural(tree.n, "individual", "individuals")} in ` +
      `${plural(drawn, "row", "rows")}, ${tree.name}, ${tree.linkage}${tree.hasTips ? "" : " linkage"}.`);
  }

  function showNote(drawn) {
    const notes = [drawn < tree.n ? `${count(tree.n)} individuals in ${count(drawn)} rows.`
      : `${plural(tree.n, "individual", "individuals")}, a row each.`];
    if (tree.apart > 0) notes.push(`Dashed: ${plural(tree.apart, "join", "joins")} of clusters that no path connects, at no height.`);
    if (tree.hasSupport) notes.push("Numbers at joins are their support in percent, how many bootstrap replicates have them; of 50 or more.");
    if (data.newick.length > 0 && !tree.hasTips) notes.push("Branch lengths of the Newick text are half the differences of height.");
    id("tree-note").textContent = notes.join(" ");
  }

  canvas.addEventListener("pointermove", (event) => {
    const rect = canvas.getBoundingClientRect(), y = event.clientY - rect.top;
    const row = Math.floor((y - 44) / rowHeight);
    if (!layout || row < 0 || row >= layout.rows.length) { tip.hidden = true; return; }
    const leaves = leavesOf(tree, layout.rows[row]);
    const some = leaves.slice(0, 12).map((i) => data.individuals[i]).join(", ");
    showTip(tip, event.clientX - rect.left, y,
      leaves.length === 1 ? [data.individuals[leaves[0]], className(leaves[0])]
        : [rowText(tree, layout.rows[row]), some + (leaves.length > 12 ? ", …" : "")]);
  });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  const choices = [...new Set([25, 60, 200, mostRows].filter((rows) => rows < individuals)
    .concat(individuals <= mostRows ? [individuals] : []))];
  id("tree-rows").append(...choices.map((rows) => el("option", {value: rows}, count(rows))));
  id("tree-rows").value = String(wanted);
  id("tree-rows").addEventListener("change", (event) => { wanted = Number(event.target.value); describe(); });
  makeSwitch(id("tree-switch"), "Tree shown", trees.map(({name}) => name), (i) => { tree = trees[i]; describe(); }, first);
  describe();
}
