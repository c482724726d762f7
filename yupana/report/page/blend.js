// Very many points, blended into the pixels directly.

/** Above so many individuals: the canvas' own stamping takes some 5 µs a point without a GPU. */
const blendAbove = 5000;

/** The pixels of a stamp that are not empty: place, colour, opacity in 256ths. */
function dotsOf(stamp, opacity) {
  const side = stamp.width, middle = side >> 1;
  const pixels = stamp.getContext("2d").getImageData(0, 0, side, side).data;
  const dots = [];
  for (let v = 0; v < side; v++) {
    for (let u = 0; u < side; u++) {
      const at = 4 * (v * side + u), alpha = Math.round(pixels[at + 3] * opacity * 256 / 255);
      if (alpha > 0) dots.push(u - middle, v - middle, pixels[at], pixels[at + 1], pixels[at + 2], alpha);
    }
  }
  return Int32Array.from(dots);
}

/** Blends the dots around (x, y) into an opaque image; what lies outside is left out. */
function blendDots(image, dots, x, y) {
  const {data: out, width, height} = image;
  for (let k = 0; k < dots.length; k += 6) {
    const u = x + dots[k], v = y + dots[k + 1];
    if (u < 0 || v < 0 || u >= width || v >= height) continue;
    const at = 4 * (v * width + u), alpha = dots[k + 5];
    out[at] += (dots[k + 2] - out[at]) * alpha >> 8;
    out[at + 1] += (dots[k + 3] - out[at + 1]) * alpha >> 8;
    out[at + 2] += (dots[k + 4] - out[at + 2]) * alpha >> 8;
  }
}
