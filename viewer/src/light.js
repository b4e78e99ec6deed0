// A small studio drawn into a picture of the surroundings: soft sky, warm floor, two bright panels. Small enough
// to be made at once also where pictures are made without a graphics card.
import * as THREE from 'three';

const WIDTH = 128,
  HEIGHT = 64;

// Colour of the studio in a direction: longitude 0..1, latitude −1 (below) to 1 (above).
function studio(longitude, latitude) {
  const sky = Math.min(Math.max((latitude + 0.15) / 0.5, 0), 1);
  const base = [0.36, 0.35, 0.33].map((floor, i) => floor + ([0.86, 0.9, 0.97][i] - floor) * sky);
  const panel = (at, width, low, high, power) => {
    const away = Math.abs(((longitude - at + 1.5) % 1) - 0.5) / width;
    return away < 1 && latitude > low && latitude < high ? power * (1 - away * away) : 0;
  };
  const glow = panel(0.12, 0.07, 0.1, 0.75, 5) + panel(0.62, 0.05, 0.2, 0.6, 3) + (latitude > 0.88 ? 2.2 : 0);
  return base.map((c) => c * 0.8 + glow);
}

export function environment(renderer) {
  const data = new Uint16Array(4 * WIDTH * HEIGHT);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const colour = [...studio((x + 0.5) / WIDTH, Math.sin(((y + 0.5) / HEIGHT - 0.5) * Math.PI)), 1];
      colour.forEach((c, i) => {
        data[4 * (y * WIDTH + x) + i] = THREE.DataUtils.toHalfFloat(c);
      });
    }
  }
  const texture = new THREE.DataTexture(
    data,
    WIDTH,
    HEIGHT,
    THREE.RGBAFormat,
    THREE.HalfFloatType,
    THREE.EquirectangularReflectionMapping,
  );
  texture.magFilter = texture.minFilter = THREE.LinearFilter;
  texture.needsUpdate = true;
  const maker = new THREE.PMREMGenerator(renderer);
  const map = maker.fromEquirectangular(texture).texture;
  maker.dispose();
  texture.dispose();
  return map;
}
