// Files of `verge export` in a folder, by the validators of the formats: node exports.mjs FOLDER.
import { createRequire } from 'node:module';
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const folder = resolve(process.argv[2]);
const require = createRequire(join(folder, 'package.json'));
const { validateBytes } = require('gltf-validator');
const { McapIndexedReader } = require('@mcap/core');
let bad = 0,
  files = 0;

async function gltf(name) {
  const { issues } = await validateBytes(new Uint8Array(readFileSync(join(folder, name))));
  for (const m of issues.messages.slice(0, 5))
    if (m.severity < 2) console.log(`${name}: ${m.code} ${m.message} ${m.pointer}`);
  return issues.numErrors + issues.numWarnings;
}

async function mcap(name) {
  const bytes = readFileSync(join(folder, name));
  const reader = await McapIndexedReader.Initialize({
    readable: {
      size: async () => BigInt(bytes.length),
      read: async (at, n) => new Uint8Array(bytes.subarray(Number(at), Number(at + n))),
    },
  });
  let n = 0n;
  for await (const message of reader.readMessages()) {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(message.data));
    n++;
  }
  return n === reader.statistics.messageCount && n > 0n ? 0 : 1;
}

for (const name of readdirSync(folder)) {
  const test = name.endsWith('.glb') ? gltf : name.endsWith('.mcap') ? mcap : null;
  if (!test) continue;
  const wrong = await test(name);
  files++;
  bad += wrong;
  console.log(`${wrong ? 'FAIL' : 'ok  '} ${name}`);
}
if (files < 16) console.log(`only ${files} files`);
process.exit(bad || files < 16 ? 1 : 0);
