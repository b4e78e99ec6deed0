// What bodies look like: the shapes a model gives, or something sensible made of its markers and joints.
import * as THREE from 'three';
import { toCreasedNormals } from 'three/examples/jsm/utils/BufferGeometryUtils.js';

const V = (p) => new THREE.Vector3(p?.[0] ?? 0, p?.[1] ?? 0, p?.[2] ?? 0);
const Z = new THREE.Vector3(0, 0, 1);

// The quaternion of a frame of the scene (w x y z) as three.js has it.
export const turnOf = (q) => (q ? new THREE.Quaternion(q[1], q[2], q[3], q[0]) : new THREE.Quaternion());
export const pointOf = V;

// A geometry is made once for all that look alike; bodies of a crowd become instances of it.
const made = new Map();
export function shared(kind, sizes, make) {
  const key = `${kind} ${sizes.map((size) => size.toPrecision(6)).join(' ')}`;
  if (!made.has(key)) made.set(key, make());
  return made.get(key);
}

// A plate in the x–y plane, a radius larger all around than a convex outline (counter-clockwise): a link of a planar
// mechanism.
const roundedGeometry = (outline, radius, thickness) =>
  shared('rounded', [...outline.flatMap((p) => [p.x, p.y]), radius, thickness], () => {
    const shape = new THREE.Shape(),
      n = outline.length;
    const normal = (i) =>
      Math.atan2(outline[i % n].x - outline[(i + 1) % n].x, outline[(i + 1) % n].y - outline[i % n].y);
    outline.forEach((p, i) => {
      const from = normal(i + n - 1);
      let to = normal(i);
      while (to < from) to += 2 * Math.PI;
      shape.absarc(p.x, p.y, radius, from, to, false);
    });
    shape.closePath();
    const bevel = Math.min(radius, thickness) * 0.12;
    const geometry = new THREE.ExtrudeGeometry(shape, {
      depth: thickness - 2 * bevel,
      bevelSize: bevel,
      bevelThickness: bevel,
      bevelOffset: -bevel,
      bevelSegments: 2,
      curveSegments: 20,
    });
    geometry.translate(0, 0, -thickness / 2 + bevel);
    return geometry;
  });

export function bar(p, q, radius, style) {
  const along = q.clone().sub(p),
    length = along.length();
  let mesh;
  if (style.planar) {
    mesh = new THREE.Mesh(
      roundedGeometry([new THREE.Vector2(0, 0), new THREE.Vector2(length, 0)], radius, style.thickness),
      style.material,
    );
    mesh.position.copy(p);
    mesh.rotation.z = Math.atan2(along.y, along.x);
  } else {
    mesh = new THREE.Mesh(
      shared(
        'capsule',
        [radius, length, style.detail],
        () => new THREE.CapsuleGeometry(radius, length, 8 * style.detail, 24 * style.detail),
      ),
      style.material,
    );
    mesh.position.copy(p).addScaledVector(along, 0.5);
    mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), length > 0 ? along.normalize() : Z);
  }
  return mesh;
}

// A cylinder about z, its edges broken so that they catch the light.
const drum = (radius, length) =>
  shared('drum', [radius, length], () => {
    const b = Math.min(radius, length) * 0.08,
      h = length / 2;
    const profile = [
      [0, -h],
      [radius - b, -h],
      [radius, -h + b],
      [radius, h - b],
      [radius - b, h],
      [0, h],
    ];
    const geometry = new THREE.LatheGeometry(
      profile.map(([x, y]) => new THREE.Vector2(x, y)),
      64,
    );
    geometry.rotateX(Math.PI / 2);
    return geometry;
  });

const boxGeometry = (x, y, z) => shared('box', [x, y, z], () => new THREE.BoxGeometry(x, y, z));

// Round things look the same however they turn: a stripe shows it.
function stripe(radius, length, style) {
  const mesh = new THREE.Mesh(boxGeometry(radius * 0.8, radius * 0.09, length * 1.012), style.dark);
  mesh.position.x = radius * 0.5;
  return mesh;
}

function box(x, y, z, material) {
  return new THREE.Mesh(boxGeometry(x, y, z), material);
}

// A line through points has no section of its own: thin bars show it.
function lineShape(points, style) {
  const at = points.map(V);
  return at
    .slice(1)
    .map((q, i) => bar(at[i], q, Math.min(style.unit * 0.45, style.barRadius(at[i].distanceTo(q))), style));
}

// 16-bit numbers, little end first, in base 64.
function words(text) {
  const raw = atob(text);
  const pair = (_, i) => raw.charCodeAt(2 * i) | (raw.charCodeAt(2 * i + 1) << 8);
  return Uint16Array.from({ length: raw.length / 2 }, pair);
}

// A surface of triangles from a file; edges sharper than 30 degrees are shown as edges.
const surfaces = new Map();
function surfaceGeometry({ low, high, vertices, triangles }) {
  const key = `${low} ${high} ${vertices.length} ${vertices.slice(0, 400)} ${triangles.slice(0, 400)}`;
  if (!surfaces.has(key)) {
    const at = Float32Array.from(
      words(vertices),
      (u, i) => low[i % 3] + (u / 65535) * (high[i % 3] - low[i % 3]),
    );
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(at, 3));
    geometry.setIndex(new THREE.BufferAttribute(words(triangles), 1));
    surfaces.set(key, toCreasedNormals(geometry, Math.PI / 6));
  }
  return surfaces.get(key);
}

// One function for each kind of shape; size as in the model (see `verge doc format`). In the plane all are plates, so
// that they lie in their layers.
const KINDS = {
  bar: ([length = 1, radius], style) => {
    const r = radius || style.barRadius(length);
    const half = new THREE.Vector3(length / 2, 0, 0);
    return [bar(half.clone().negate(), half, r, style)];
  },
  box: ([x = 1, y = x, z], style) => [box(x, y, style.planar || !z ? style.thickness : z, style.material)],
  sphere: ([radius = 1], style) => {
    if (style.planar) return KINDS.disc([radius], style);
    const { detail } = style;
    const ball = shared(
      'ball',
      [radius, detail],
      () => new THREE.SphereGeometry(radius, 48 * detail, 32 * detail),
    );
    const band = shared(
      'band',
      [radius, detail],
      () => new THREE.TorusGeometry(radius * 0.996, radius * 0.022, 8 * detail, 64 * detail),
    );
    return [
      new THREE.Mesh(ball, style.material),
      ...(style.hollow ? [] : [new THREE.Mesh(band, style.dark)]),
    ];
  },
  cylinder: ([radius = 1, length], style) => {
    const h = style.planar || !length ? style.thickness : length;
    return [new THREE.Mesh(drum(radius, h), style.material), stripe(radius, h, style)];
  },
  capsule: ([radius = 1, length = 1], style) => {
    const half = new THREE.Vector3(0, 0, length / 2);
    return [bar(half.clone().negate(), half, radius, style)];
  },
  ellipsoid: ([x = 1, y = x, z = x], style) => {
    const mesh = KINDS.sphere([1], { ...style, hollow: true })[0];
    mesh.scale.set(x, y, z);
    return [mesh];
  },
  disc: ([radius = 1, length], style) => {
    const h = style.planar ? style.thickness : length || radius * 0.12;
    return [
      new THREE.Mesh(drum(radius, h), style.material),
      ...(style.hollow ? [] : [stripe(radius, h, style)]),
    ];
  },
};

export function shapeObject(shape, style) {
  const group = new THREE.Group();
  if (shape.kind === 'lines' || shape.points) {
    group.add(...lineShape(shape.points ?? [], style));
  } else if (shape.surface) {
    group.add(new THREE.Mesh(surfaceGeometry(shape.surface), style.material));
  } else {
    const size = Array.isArray(shape.size) ? shape.size : [shape.size];
    for (const mesh of (KINDS[shape.kind] ?? KINDS.box)(size.map(Number), style)) group.add(mesh);
  }
  group.position.copy(V(shape.at?.position));
  group.quaternion.copy(turnOf(shape.at?.quaternion));
  return group;
}

// Farthest reach of the shapes of a body from its origin along each axis, for sizes and framing.
export function shapePoints(shape) {
  const [a = 0, b = 0, c = 0] = (Array.isArray(shape.size) ? shape.size : [shape.size]).map(Number);
  const half = {
    bar: [a / 2, b, b],
    box: [a / 2, b / 2, c / 2],
    sphere: [a, a, a],
    cylinder: [a, a, b / 2],
    disc: [a, a, b / 2],
    capsule: [a, a, b / 2 + a],
    ellipsoid: [a, b, c],
    mesh: shape.surface && shape.surface.high.map((x, i) => (x - shape.surface.low[i]) / 2),
  }[shape.kind];
  const turn = turnOf(shape.at?.quaternion),
    at = V(shape.at?.position);
  if (shape.surface)
    at.add(V(shape.surface.high.map((x, i) => (x + shape.surface.low[i]) / 2)).applyQuaternion(turn));
  if (!half) return (shape.points ?? []).map((p) => V(p).applyQuaternion(turn).add(at));
  const corners = [];
  for (let i = 0; i < 8; i++) {
    corners.push(
      V([i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]])
        .applyQuaternion(turn)
        .add(at),
    );
  }
  return corners;
}

function hull(points) {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const turn = (a, b, c) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  const half = (list) => {
    const out = [];
    for (const p of list) {
      while (out.length > 1 && turn(out.at(-2), out.at(-1), p) <= 0) out.pop();
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

// Principal moments of inertia and the turn to their axes, of three moments or a matrix of nine: Jacobi rotations.
export function principalAxes(inertia) {
  const m =
    inertia.length === 9
      ? [0, 3, 6].map((r) => inertia.slice(r, r + 3))
      : inertia.map((v, i) => [0, 1, 2].map((k) => (k === i ? v : 0)));
  const axes = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ]; // columns are the axes
  for (let sweep = 0; sweep < 12; sweep++) {
    for (const [p, q] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      if (Math.abs(m[p][q]) <= 1e-15 * (Math.abs(m[p][p]) + Math.abs(m[q][q]))) continue;
      const theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
      const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
      const c = 1 / Math.hypot(t, 1),
        s = t * c;
      for (let k = 0; k < 3; k++) [m[k][p], m[k][q]] = [c * m[k][p] - s * m[k][q], s * m[k][p] + c * m[k][q]];
      for (let k = 0; k < 3; k++) [m[p][k], m[q][k]] = [c * m[p][k] - s * m[q][k], s * m[p][k] + c * m[q][k]];
      for (let k = 0; k < 3; k++)
        [axes[k][p], axes[k][q]] = [c * axes[k][p] - s * axes[k][q], s * axes[k][p] + c * axes[k][q]];
    }
  }
  const [x, y, z] = [0, 1, 2].map((k) => new THREE.Vector3(axes[0][k], axes[1][k], axes[2][k]));
  if (x.clone().cross(y).dot(z) < 0) z.negate();
  return {
    moments: [0, 1, 2].map((k) => m[k][k]),
    turn: new THREE.Quaternion().setFromRotationMatrix(new THREE.Matrix4().makeBasis(x, y, z)),
  };
}

// The edges of a solid box with this mass and these principal moments of inertia.
export function boxOfInertia(mass, inertia) {
  const [x, y, z] = inertia;
  return [y + z - x, z + x - y, x + y - z].map((twice) => Math.sqrt(Math.max((6 * twice) / mass, 0)));
}

// A body without shapes, from the points where something is attached to it.
export function madeUpShape(body, points, style) {
  const group = new THREE.Group();
  const distinct = points.filter(
    (p, i) => points.findIndex((q) => q.distanceTo(p) < style.unit * 0.05) === i,
  );
  let far = [null, null],
    farthest = 0;
  for (const p of distinct) {
    for (const q of distinct) if (p.distanceTo(q) > farthest) [far, farthest] = [[p, q], p.distanceTo(q)];
  }
  const [p, q] = far;
  const off = p
    ? Math.max(
        ...distinct.map((d) => {
          const along = q.clone().sub(p).normalize(),
            r = d.clone().sub(p);
          return r.addScaledVector(along, -r.dot(along)).length();
        }),
      )
    : 0;
  if (p && off < farthest * 0.02) {
    group.add(bar(p, q, style.barRadius(farthest), style));
  } else if (p && style.planar) {
    group.add(
      new THREE.Mesh(
        roundedGeometry(hull(distinct), style.barRadius(farthest), style.thickness),
        style.material,
      ),
    );
    group.userData.plate = true;
  } else if (p) {
    const centre = distinct.reduce((sum, d) => sum.add(d), V()).divideScalar(distinct.length);
    for (const d of distinct) group.add(bar(centre, d, style.barRadius(farthest) * 0.8, style));
  } else {
    const [end] = distinct;
    const arm = end && end.length() > style.unit * 0.2;
    if (arm) group.add(bar(V(), end, style.barRadius(end.length()) * 0.6, style));
    const known = body.mass > 0 && [3, 9].includes(body.inertia?.length);
    const { moments, turn } = known ? principalAxes(body.inertia) : {};
    const edges = known && !style.planar ? boxOfInertia(body.mass, moments) : null;
    const radius = known && style.planar ? Math.sqrt((2 * body.inertia.at(-1)) / body.mass) : 0; // of a disc
    const centred = (object) => {
      object.position.copy(V(body.com));
      group.add(object);
      return object;
    };
    if (edges && Math.max(...edges) > style.unit * 0.1 && Math.max(...edges) < style.unit * 30) {
      const thinnest = Math.max(...edges) * 0.02; // rods and plates are seen too
      centred(box(...edges.map((edge) => Math.max(edge, thinnest)), style.material)).quaternion.copy(turn);
    } else if (radius > style.unit * 0.3 && radius < style.unit * 15) {
      centred(new THREE.Group()).add(...KINDS.disc([radius], style));
    } else {
      for (const mesh of KINDS.sphere([arm ? style.unit * 0.85 : style.unit], style)) group.add(mesh);
    }
  }
  return group;
}
