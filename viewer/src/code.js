// Numbers out of the text of the page: see src/io/view/view_code.h for how they went in.
const VALUE = new Int8Array(128).fill(-1);
[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].forEach((c, i) => {
  VALUE[c.charCodeAt(0)] = i;
});

// Whole numbers written as differences of an order, zigzag, five bits a digit; to(i, x) takes them.
export function decodeColumn(text, n, order, to) {
  let at = 0,
    a = 0,
    b = 0,
    c = 0; // the three numbers before
  for (let i = 0; i < n; i++) {
    let zigzag = 0,
      scale = 1,
      digit;
    do {
      digit = VALUE[text.charCodeAt(at++)];
      zigzag += (digit & 31) * scale;
      scale *= 32;
    } while (digit & 32);
    let x = zigzag % 2 ? -(zigzag + 1) / 2 : zigzag / 2;
    if (order === 1) x += a;
    else if (order === 2) x += 2 * a - b;
    else if (order === 3) x += 3 * a - 3 * b + c;
    c = b;
    b = a;
    a = x;
    to(i, x);
  }
}

export function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export const doublesOf = (base64) => new Float64Array(bytesOf(base64).buffer);

// Single precision about an origin, back to doubles.
export function samplesOf([origin, base64]) {
  return Float64Array.from(new Float32Array(bytesOf(base64).buffer), (v) => v + origin);
}
