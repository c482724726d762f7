// Pointer, wheel and keys that move a scatter.

function listenToPointer(scatter) {
  const canvas = scatter.canvas;
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
      scatter.move(x - held[0], y - held[1]);
      held = [x, y];
      scatter.hover(-1);
    } else {
      scatter.hover(scatter.nearest(x, y), x, y);
    }
  });
  const release = () => { held = null; canvas.classList.remove("dragging"); };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => scatter.hover(-1));
  canvas.addEventListener("dblclick", (event) => scatter.zoom(0.5, ...at(event)));
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;  // a bare wheel scrolls the page
    event.preventDefault();
    scatter.hover(-1);
    scatter.zoom(Math.exp(Math.sign(event.deltaY) * 0.2), ...at(event));
  }, {passive: false});
  const keys = {
    ArrowLeft: () => scatter.move(40, 0), ArrowRight: () => scatter.move(-40, 0),
    ArrowUp: () => scatter.move(0, 40), ArrowDown: () => scatter.move(0, -40),
    "+": () => scatter.zoom(0.7), "=": () => scatter.zoom(0.7), "-": () => scatter.zoom(1.4),
    0: () => scatter.refit(),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
}
