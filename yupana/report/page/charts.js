// The histograms of distances and the curve of edges kept against alpha.

function startHistograms(histograms) {
  for (const histogram of histograms) {
    const canvas = el("canvas", {role: "img"});
    id("histogram-list").append(
      el("div", {}, el("h3", {}, ...withPowers(nameAndUnit(histogram))), el("div", {class: "plot"}, canvas)));
    const pairs = histogram.counts.reduce((sum, value) => sum + value, 0);
    canvas.setAttribute("aria-label",
      `Histogram of ${histogram.name}: ${plural(pairs, "pair", "pairs")} between ${shown(histogram.low)} and ` +
      `${shown(histogram.high)}; the table below holds the counts.`);
    makeFigure(canvas, () => 240, (pen, width, height) => drawHistogram(pen, width, height, histogram));
  }
  id("histogram-table").append(...histograms.map((histogram) => {
    const bin = (histogram.high - histogram.low) / histogram.counts.length;
    return table(histogram.name, [`${nameAndUnit(histogram)}, from`, "to", "pairs"], histogram.counts.map((value, k) => [
      shown(histogram.low + k * bin, 5), shown(histogram.low + (k + 1) * bin, 5), count(value)]));
  }));
}

function drawHistogram(pen, width, height, {name, unit, low, high, counts}) {
  const look = theme(), span = high > low ? high - low : 1, most = Math.max(...counts, 1);
  const y = {ticks: ticksOf(0, most, 4).filter(Number.isInteger), title: "pairs"};
  y.texts = y.ticks.map(count);
  const left = 34 + widthOf(pen, look, y.texts);
  const box = {left, top: 12, width: width - left - 14, height: height - 64};
  const x = {ticks: ticksOf(low, low + span, box.width / 80), title: nameAndUnit({name, unit})};
  x.texts = tickTexts(x.ticks);
  x.at = (value) => box.left + (value - low) / span * box.width;
  y.at = (value) => box.top + box.height * (1 - value / (most * 1.04));
  pen.clearRect(0, 0, width, height);
  drawAxes(pen, look, box, x, y);
  pen.fillStyle = look.accent;
  const bin = box.width / counts.length, gap = bin > 4 ? 1 : 0;
  counts.forEach((value, k) => {
    // A lone pair must be seen: no bar is lower than one pixel.
    if (value > 0) {
      const tall = Math.max(1, box.top + box.height - y.at(value));
      pen.fillRect(box.left + k * bin + gap / 2, box.top + box.height - tall, Math.max(bin - gap, 0.7), tall);
    }
  });
  pen.fillStyle = look.muted;
  pen.fillRect(box.left, box.top + box.height, box.width, 1);
}

function startScree() {
  const canvas = id("scree-plot");
  canvas.setAttribute("aria-label", "Share of each axis: " +
    data.scree.map((share, k) => `${axisName(k)} ${percent(share)}`).join(", ") + ".");
  makeFigure(canvas, () => 260, (pen, width, height) => {
    const look = theme(), shares = data.scree, most = Math.max(...shares, 1e-12);
    const y = {ticks: ticksOf(0, most, 4), title: "share"};
    y.texts = tickTexts(y.ticks.map((t) => 100 * t)).map((text) => `${text} %`);
    const left = 34 + widthOf(pen, look, y.texts);
    const box = {left, top: 12, width: width - left - 14, height: height - 64};
    const bin = box.width / shares.length, each = Math.ceil(46 / bin);
    const x = {ticks: shares.map((_, k) => k).filter((k) => k % each === 0), at: (k) => box.left + (k + 0.5) * bin,
      title: "axis"};
    x.texts = x.ticks.map(axisName);
    y.at = (share) => box.top + box.height * (1 - share / (most * 1.04));
    pen.clearRect(0, 0, width, height);
    drawAxes(pen, look, box, {...x, ticks: []}, y);
    pen.fillStyle = look.accent;
    shares.forEach((share, k) => {
      if (share > 0) pen.fillRect(box.left + (k + 0.15) * bin, y.at(share), 0.7 * bin, box.top + box.height - y.at(share));
    });
    setLetters(pen, look.muted, `12px ${look.sans}`, "center", "top");
    x.ticks.forEach((k, i) => pen.fillText(x.texts[i], x.at(k), box.top + box.height + 6));
  });
}

function startRetention(points) {
  const canvas = id("retention-plot");
  canvas.setAttribute("aria-label", "Share of pairs whose edge is their own shortest path against alpha: " +
    points.map(([alpha, kept]) => `${percent(kept)} at ${shown(alpha)}`).join(", ") + ".");
  id("curve-note").textContent = data.curveNote;
  makeFigure(canvas, (width) => Math.min(340, Math.max(240, width * 0.4)),
    (pen, width, height) => drawRetention(pen, width, height, points));
  id("retention-table").append(table("Share of pairs whose edge is their own shortest path",
    ["α", "pairs of the full matrix", "of this run"], points.map(([alpha, kept]) =>
      [shown(alpha, 6), percent(kept), runAlphas.includes(alpha) ? "yes" : ""])));
}

function drawRetention(pen, width, height, points) {
  const look = theme(), alphas = points.map(([alpha]) => alpha);
  const low = Math.min(...alphas, ...runAlphas), high = Math.max(...alphas, ...runAlphas);
  const doubling = low > 0 && high / low > 4;  // powers of two stand at equal steps
  const scaled = (alpha) => doubling ? Math.log2(alpha) : alpha;
  const span = scaled(high) - scaled(low) || 1;
  const box = {left: 74, top: 26, width: width - 104, height: height - 78};
  const x = {at: (alpha) => box.left + (scaled(alpha) - scaled(low)) / span * box.width,
    title: doubling ? "α (logarithmic)" : "α"};
  x.ticks = doubling ? alphas : ticksOf(low, high, box.width / 90);
  if (doubling) {
    let last = -Infinity;
    x.ticks = alphas.filter((alpha) => {
      const fits = x.at(alpha) - last > 30;
      if (fits) last = x.at(alpha);
      return fits;
    });
  }
  x.texts = x.ticks.map((t) => shown(t));
  const y = {ticks: [0, 0.25, 0.5, 0.75, 1], at: (share) => box.top + box.height * (1 - share),
    title: "pairs of the full matrix"};
  y.texts = y.ticks.map((t) => `${100 * t} %`);
  pen.clearRect(0, 0, width, height);
  drawAxes(pen, look, box, x, y);
  markAlphas(pen, look, box, x, points);
  pen.strokeStyle = pen.fillStyle = look.accent;
  pen.lineWidth = 2;
  pen.lineJoin = "round";
  pen.beginPath();
  points.forEach(([alpha, kept]) => { if (kept !== null) pen.lineTo(x.at(alpha), y.at(kept)); });
  pen.stroke();
  for (const [alpha, kept] of points) {
    if (kept === null) continue;
    pen.beginPath();
    pen.arc(x.at(alpha), y.at(kept), runAlphas.includes(alpha) ? 6 : 3.5, 0, 2 * Math.PI);
    pen.fill();
  }
}

/** Every alpha of the run, with its point of the curve where the curve has one. */
function markAlphas(pen, look, box, x, points) {
  if (runAlphas.length === 0) return;
  pen.strokeStyle = look.ink;
  pen.lineWidth = 1;
  pen.setLineDash([4, 4]);
  pen.beginPath();
  for (const alpha of runAlphas) {
    pen.moveTo(x.at(alpha), box.top - 6);
    pen.lineTo(x.at(alpha), box.top + box.height);
  }
  pen.stroke();
  pen.setLineDash([]);
  const words = runAlphas.map((alpha) => {
    const here = points.find(([other, kept]) => other === alpha && kept !== null);
    return `${shown(alpha, 6)}${here ? ` (${percent(here[1])})` : ""}`;
  });
  setLetters(pen, look.ink, `600 13px ${look.sans}`, "left", "alphabetic");
  const text = shorten(pen, `This run's α on the curve:  ${words.join("   ")}`, box.width + 20);
  const wide = pen.measureText(text).width, at = runAlphas.length === 1 ? x.at(runAlphas[0]) : 0;
  pen.fillText(text, Math.min(Math.max(at - wide / 2, box.left), box.left + box.width - wide + 20), box.top - 12);
}
