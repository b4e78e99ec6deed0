// The package as a user imports it: node package.mjs NUMBERS MODELS.
// NUMBERS are the last rows that the program `verge` gives.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VergeError, compile, hasVectors, load } from 'verge';

const [numbers, models] = process.argv.slice(2);
const native = JSON.parse(readFileSync(numbers, 'utf8'));
const read = (name) => readFileSync(join(models, name), 'utf8');
const FILES = { 'iltis.yaml': ['iltis-steer.yaml'], 'crank.modes': ['crank.yaml'] };
const filesOf = (model) =>
  Object.fromEntries(
    Object.entries(FILES)
      .filter(([, users]) => users.includes(model))
      .map(([name]) => [name, read(name)]),
  );

assert(hasVectors(), 'node knows vectors');
for (const vectors of [true, false]) {
  const compiled = await compile({ vectors });
  assert.equal(compiled.folder, vectors ? 'simd' : 'plain');
  const verge = await load({ compiled });
  for (const [model, expected] of Object.entries(native)) {
    const run = verge.run(read(model), { end: expected.end, files: filesOf(model) });
    assert.equal(run.time.at(-1), expected.end);
    assert.equal(run.bodies.length, expected.bodies);
    const size = Math.max(...Object.values(expected.last).map(Math.abs));
    for (const [name, value] of Object.entries(expected.last)) {
      const off = Math.abs(run.column(name).at(-1) - value);
      assert(off <= 1e-12 * size, `${compiled.folder} ${model} ${name}: off by ${off}`);
    }
  }
  console.log(`ok   ${Object.keys(native).length} models agree with the program, ${compiled.folder}`);
}

const verge = await load();
// small swings: angle = a0 cos(sqrt(g/L) t)
const swing = (length) => `verge: 1
planar: true
gravity: [0, -9.81]
bodies: {bob: {mass: 1, inertia: 1e-9, angle: 0.001, com: [0, -${length}]}}
joints: {O: {revolute: [ground, bob]}}
run: {step: 1e-3, end: 2}
record: [joint.O.angle]
`;
const run = verge.run(swing(2), { record: ['body.bob.omega'] });
assert.equal(run.time.length, 2001);
run.time.forEach((t, i) => {
  const angle = 0.001 * Math.cos(Math.sqrt(9.81 / 2) * t);
  assert(Math.abs(run.column('joint.O.angle')[i] - angle) < 1e-8, `angle at ${t}`);
});
assert(run.names.includes('body.bob.omega'));
const { quaternion } = run.pose('bob', -1);
assert(
  Math.abs(2 * Math.asin(quaternion[3]) - run.column('joint.O.angle').at(-1)) < 1e-14,
  'the pose turns with the angle',
);
assert.throws(() => run.column('joint.O.angel'), RangeError);
assert.throws(() => run.pose('bob', 2001), RangeError);

// what is wrong is said with its place
const bad = verge.check(swing(1).replace('revolute', 'revolut'));
assert(!bad.ok && bad.messages[0].line === 5 && bad.messages[0].text.includes('revolute'));
assert.throws(() => verge.run('verge: 1\nbodies: [', {}), VergeError);
assert.throws(() => verge.run(swing(1), { integrator: 'no-such' }), /no-such/);
assert.throws(() => verge.run(swing(1), { step: -1 }), TypeError);
assert.throws(() => verge.run(swing(1), { step: 'fast' }), TypeError);
assert.throws(() => verge.check(swing(1), { files: { '../x': '' } }), TypeError);
assert(!verge.check(`include: [part.yaml]\n${swing(1)}`).ok, 'a file that is not there');
assert(
  verge.check(`include: [part.yaml]\n${swing(1)}`, { files: { 'part.yaml': 'parameters: {extra: 3}\n' } }).ok,
);
assert(!verge.check(`include: [part.yaml]\n${swing(1)}`).ok, 'files do not stay');

assert(verge.channels(swing(1)).some(({ name, unit }) => name === 'joint.O.angle' && unit === 'rad'));

// a run of hours, stopped by its watcher
let told = 0;
const stopped = verge.run(swing(1), { end: 1e7, onProgress: () => ++told < 3 });
assert.equal(stopped.state, 'stopped');
assert(told === 3 || told === 4, `${told}`);
assert(stopped.time.length > 10 && stopped.time.at(-1) < 1e7);
// and the next one is whole again
assert.equal(verge.run(swing(1)).time.length, 2001);

// one text, many runs: memory does not grow without end
for (let k = 0; k < 200; k++) verge.run(swing(1), { end: 0.01 });
console.log('ok   package');
