// A floor that reaches far and fades: lines at every unit, stronger at every ten.
import * as THREE from 'three';

const vertex = `
  varying vec3 world;
  void main() {
    vec4 p = modelMatrix * vec4(position, 1.0);
    world = p.xyz;
    gl_Position = projectionMatrix * viewMatrix * p;
  }`;
const fragment = `
  uniform vec3 first, second, centre, ink;
  uniform float cell, reach, strength;
  varying vec3 world;
  float lines(vec2 at, float width) {
    vec2 w = fwidth(at);
    vec2 d = abs(fract(at - 0.5) - 0.5) / max(w, vec2(1e-6));
    vec2 seen = clamp(width - d, 0.0, 1.0) * (1.0 - smoothstep(0.15, 0.5, w));
    return max(seen.x, seen.y);
  }
  void main() {
    vec2 at = vec2(dot(world, first), dot(world, second)) / cell;
    float fade = 1.0 - smoothstep(0.25, 1.0, length(world - centre) / reach);
    float a = max(0.45 * lines(at, 1.0), lines(at / 5.0, 1.15));
    gl_FragColor = vec4(ink, a * fade * strength);
    #include <colorspace_fragment>
  }`;

export class Grid extends THREE.Group {
  constructor(up, level, cell, reach) {
    super();
    const first = Math.abs(up.x) > 0.5 ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(1, 0, 0);
    const second = new THREE.Vector3().crossVectors(up, first);
    this.up0 = up;
    this.level = level;
    this.lines = new THREE.Mesh(
      new THREE.PlaneGeometry(2.2 * reach, 2.2 * reach),
      new THREE.ShaderMaterial({
        vertexShader: vertex,
        fragmentShader: fragment,
        transparent: true,
        depthWrite: false,
        side: THREE.DoubleSide,
        uniforms: {
          first: { value: first },
          second: { value: second },
          centre: { value: new THREE.Vector3() },
          ink: { value: new THREE.Color() },
          cell: { value: cell },
          reach: { value: reach },
          strength: { value: 1 },
        },
      }),
    );
    this.shade = new THREE.Mesh(
      new THREE.PlaneGeometry(2.2 * reach, 2.2 * reach),
      new THREE.ShadowMaterial({ opacity: 0.2, depthWrite: false }),
    );
    this.shade.receiveShadow = true;
    this.lines.raycast = this.shade.raycast = () => {};
    this.lines.renderOrder = -2;
    this.shade.renderOrder = -1;
    this.add(this.lines, this.shade);
    this.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
  }

  // The floor goes with the point that the camera looks at.
  centre(target) {
    this.position.copy(target).addScaledVector(this.up0, this.level - target.dot(this.up0));
    this.lines.material.uniforms.centre.value.copy(this.position);
  }

  colours(ink, strength, shade) {
    this.lines.material.uniforms.ink.value.set(ink);
    this.lines.material.uniforms.strength.value = strength;
    this.shade.material.opacity = shade;
  }
}

// 1, 2 or 5 times a power of ten, near a length.
export function roundLength(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  const lead = length / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}
