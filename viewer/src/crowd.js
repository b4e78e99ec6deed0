// Many bodies in few draw calls: meshes of one geometry become instances of one; and threads, so that bodies
// thinner than a pixel are seen all the same.
import * as THREE from 'three';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';

export const CROWD = 150; // bodies from which on they are drawn so

const colour = new THREE.Color(),
  point = new THREE.Vector3();

// The product of two matrices of poses (rows 1 to 3 of four columns), written to an array.
function multiply(a, b, out, at) {
  for (let c = 0; c < 16; c += 4) {
    const x = b[c],
      y = b[c + 1],
      z = b[c + 2],
      w = c === 12 ? 1 : 0;
    for (let r = 0; r < 3; r++) out[at + c + r] = a[r] * x + a[4 + r] * y + a[8 + r] * z + w * a[12 + r];
    out[at + c + 3] = w;
  }
}

export class Crowd extends THREE.Group {
  // Takes over the meshes under the bodies; layers: the lists of objects that can be hidden. What stays with
  // the bodies (markers, axes) is in the scene only while it is shown.
  constructor(bodies, layers, ghost) {
    super();
    this.bodies = bodies;
    this.lists = layers;
    this.holder = new THREE.Group();
    this.holder.children = [...bodies]; // add() would look for each in its old parent
    const own = new Set(bodies);
    const layerOf = new Map(
      Object.entries(layers).flatMap(([name, objects]) => objects.map((object) => [object, name])),
    );
    const kinds = new Map();
    for (const body of bodies) {
      body.position.set(0, 0, 0);
      body.quaternion.identity();
      body.parent = this.holder;
      body.updateMatrixWorld(true);
      body.matrixAutoUpdate = false;
      body.matrixWorld = body.matrix; // nothing above it turns
      const meshes = [];
      body.traverse((object) => object.isMesh && !object.userData.marker && meshes.push(object));
      for (const mesh of meshes) {
        let layer = '';
        for (let o = mesh; o !== body; o = o.parent) layer = layerOf.get(o) ?? layer;
        const { metalness, roughness } = mesh.material,
          key = [mesh.geometry.uuid, metalness, roughness, layer].join();
        if (!kinds.has(key)) kinds.set(key, { mesh, layer, entries: [] });
        kinds
          .get(key)
          .entries.push({ body, local: [...mesh.matrixWorld.elements], colour: mesh.material.color.clone() });
        mesh.removeFromParent();
      }
    }
    for (const name of ['joints', 'springs'])
      layers[name] = layers[name].filter(
        (object) => !own.has(object.parent) && (!object.isMesh || object.parent),
      );
    this.meshes = [...kinds.values()].map(({ mesh, layer, entries }) => {
      const material = mesh.material.clone();
      const crowd = new THREE.InstancedMesh(mesh.geometry, material, entries.length);
      if (!ghost) {
        material.color.set('#ffffff');
        entries.forEach((entry, i) => crowd.setColorAt(i, entry.colour));
      }
      crowd.frustumCulled = false;
      crowd.userData.entries = entries;
      if (layer) layers[layer].push(crowd);
      return crowd;
    });
    if (this.meshes.length) this.add(...this.meshes);
  }

  update() {
    const needed = [this.lists.markers, this.lists.axes].some(([first]) => first?.visible);
    if (needed && !this.holder.parent) this.add(this.holder);
    if (!needed && this.holder.parent) this.remove(this.holder);
    for (const body of this.bodies) body.updateMatrix();
    for (const mesh of this.meshes) {
      if (!mesh.visible) continue;
      const { entries } = mesh.userData,
        { array } = mesh.instanceMatrix;
      for (let i = 0; i < entries.length; i++)
        multiply(entries[i].body.matrix.elements, entries[i].local, array, 16 * i);
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // of another time
    }
  }

  highlight(chosen) {
    for (const mesh of this.meshes) {
      if (!mesh.instanceColor) continue;
      mesh.userData.entries.forEach((entry, i) =>
        mesh.setColorAt(
          i,
          entry.body === chosen
            ? colour.copy(entry.colour).lerp(colour.clone().set('#ffffff'), 0.5)
            : entry.colour,
        ),
      );
      mesh.instanceColor.needsUpdate = true;
    }
  }
}

// Lines of two pixels along slender bodies: ends: [body, point, point, colour] of each, in the axes of the body.
export class Threads extends LineSegments2 {
  constructor(ends) {
    const geometry = new LineSegmentsGeometry();
    geometry.setPositions(new Float32Array(6 * ends.length));
    geometry.setColors(ends.flatMap(([, , , c]) => [...c.toArray(), ...c.toArray()]));
    super(geometry, new LineMaterial({ linewidth: 2, vertexColors: true }));
    this.ends = ends;
    this.frustumCulled = false;
    this.raycast = () => {};
  }

  update() {
    const { data } = this.geometry.attributes.instanceStart,
      to = data.array;
    let at = 0;
    for (const [body, ...ends] of this.ends) {
      for (let k = 0; k < 2; k++) {
        point.copy(ends[k]).applyQuaternion(body.quaternion).add(body.position);
        to[at++] = point.x;
        to[at++] = point.y;
        to[at++] = point.z;
      }
    }
    data.needsUpdate = true;
  }
}
