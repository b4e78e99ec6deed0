// The page in a real browser: node browser.mjs FOLDER, where FOLDER has the pages made of the samples (samples.c).
// Expected poses are computed here from the formulas of the motions, not taken from the page.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { browser, check, near, runAll } from './harness.mjs';

const [folder, viewer, executablePath] = process.argv.slice(2);
const context = await browser(viewer, executablePath, { width: 900, height: 560 });

async function open(name, size) {
  const page = await context.newPage();
  if (size) await page.setViewportSize(size);
  page.problems = [];
  page.on('console', (m) => m.type() === 'error' && page.problems.push(m.text()));
  page.on('pageerror', (e) => page.problems.push(e.message));
  page.on('request', (r) => /^(file|data|blob):/.test(r.url()) || page.problems.push(`asks for ${r.url()}`));
  await page.goto(`file://${join(folder, `${name}.html`)}#shadows=off&shaders=check`);
  // there, and drawn once: on a busy machine the first picture may come long after the page has loaded
  await page.waitForFunction(() => window.verge?.world?.renderer.info.render.frame > 0);
  await pictures(page);
  return page;
}

async function close(page, name) {
  check(page.problems.length === 0, `${name}: ${page.problems.join('; ')}`);
  await page.close();
}

// Pose of a body as the scene graph has it after a picture was drawn: x y z, quaternion w x y z.
const poseAt = (page, time, body, run = 0) =>
  page.evaluate(
    ([t, b, r]) => {
      verge.player.seek(t);
      verge.world.render();
      const { elements: m } = verge.world.actors[r].bodies[b].matrixWorld;
      const { quaternion: q } = verge.world.actors[r].bodies[b];
      return {
        x: [m[12], m[13], m[14]],
        q: [q.w, q.x, q.y, q.z],
        ahead: [m[0], m[1], m[2]],
        up: [m[8], m[9], m[10]],
      };
    },
    [time, body, run],
  );

async function checkPose(page, time, body, x, ahead, extent, what, run = 0) {
  const pose = await poseAt(page, time, body, run);
  x.forEach((v, i) => near(pose.x[i], v, 1e-5 * extent, `${what} at ${time}, position ${i}`));
  ahead.forEach((v, i) => near(pose.ahead[i], v, 2e-5, `${what} at ${time}, direction ${i}`));
}

// Until what was asked for is drawn.
const pictures = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// Statistics of the pixels of a part of the page.
async function pixels(page, selector) {
  const picture = (await page.locator(selector).screenshot()).toString('base64');
  return page.evaluate(async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    const paint = canvas.getContext('2d');
    paint.drawImage(image, 0, 0);
    const { data: rgba } = paint.getImageData(0, 0, image.width, image.height);
    const counts = new Map();
    let sum = 0;
    for (let i = 0; i < rgba.length; i += 4) {
      const colour = (rgba[i] << 16) | (rgba[i + 1] << 8) | rgba[i + 2];
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
      sum += rgba[i] + rgba[i + 1] + rgba[i + 2];
    }
    const n = rgba.length / 4;
    return { colours: counts.size, commonest: Math.max(...counts.values()) / n, mean: sum / n / 3 };
  }, picture);
}

const swing = (t, decay) => 1.2 * Math.exp(-decay * t) * Math.cos(3.6 * t);
const rod = (a) => [
  [0.5 * Math.sin(a), -0.5 * Math.cos(a), 0],
  [Math.sin(a), -Math.cos(a), 0],
];

async function pendulum() {
  const page = await open('pendulum');
  check((await page.title()) === 'Pendulum – Verge', 'title of the page');
  check(
    (await page.evaluate(() => verge.world.actors[0].bodies.map((b) => b.name).join())) === 'rod',
    'the scene has the bodies',
  );
  for (const t of [0, 1.23, 4.5, 8]) await checkPose(page, t, 0, ...rod(swing(t, 0)), 1, 'rod');

  // play, pause, and a frame further: the rod is where it was recorded
  await page.evaluate(() => verge.player.seek(0));
  await page.locator('.play').click();
  await page.waitForFunction(() => verge.player.time > 0.3);
  await page.keyboard.press('Space');
  check(!(await page.evaluate(() => verge.player.playing)), 'space pauses');
  await page.keyboard.press('ArrowRight');
  const time = await page.evaluate(() => verge.player.time);
  near(time * 100, Math.round(time * 100), 1e-6, 'the arrow goes to a recorded frame');
  await checkPose(page, time, 0, ...rod(swing(time, 0)), 1, 'rod after playing');
  await page.keyboard.press('ArrowLeft');
  near(await page.evaluate(() => verge.player.time), time - 0.01, 1e-9, 'and back');
  check(
    (await page.locator('.clock').textContent()) === (time - 0.01).toFixed(3),
    'the clock shows the time',
  );

  // the cursor of the plots follows, and a click in a plot sets the time
  await page.evaluate(() => verge.player.seek(2));
  const over = await page.locator('.u-over').first().boundingBox();
  const now = await page.locator('.u-over .now').first().boundingBox();
  near(now.x + now.width / 2, over.x + (over.width * 2) / 8, 1, 'cursor at a quarter of the plot');
  await page.mouse.click(over.x + over.width * 0.75, over.y + over.height / 2);
  near(await page.evaluate(() => verge.player.time), 6, 0.05, 'a click in the plot sets the time');
  check(
    (await page.locator('.chip b').first().textContent()).startsWith(
      (await page.evaluate(() => verge.runs[0].channels.at('joint.O.angle', verge.player.time)))
        .toPrecision(2)
        .replace('-', '−')
        .slice(0, 4),
    ),
    'legend shows the value',
  );

  // channels are chosen from the tree
  const plots = await page.locator('#tab-plots .plot').count();
  await page.locator('.add').click();
  await page.locator('#picker input').fill('energy tot');
  await page.locator('#picker .leaf').first().click();
  check(
    (await page.locator('#picker .leaf').first().getAttribute('aria-checked')) === 'true',
    'the channel is ticked',
  );
  await page.locator('#picker .done').click();
  check((await page.locator('#tab-plots .plot').count()) === plots + 1, 'a plot was added');
  const last = await page.evaluate(() => {
    const plot = verge.panels.plots.at(-1);
    return { names: plot.names, series: plot.plot.series.length - 1, points: plot.plot.data[0].length };
  });
  check(
    last.names.join() === 'energy.total' && last.series === 1 && last.points === 801,
    'it shows the channel',
  );

  // light and dark, neither blank
  const light = await pixels(page, '#stage');
  check(light.colours > 100 && light.commonest < 0.97, `light scene is not blank: ${JSON.stringify(light)}`);
  check((await pixels(page, '.plot .uplot >> nth=0')).colours > 10, 'plot is not blank');
  await page.keyboard.press('d');
  await pictures(page);
  const dark = await pixels(page, '#stage');
  check(
    dark.colours > 100 && dark.mean < 90 && light.mean > 150,
    `dark is dark: ${light.mean}, ${dark.mean}`,
  );
  await page.keyboard.press('d');
  await page.getByRole('tab', { name: 'Balance' }).click();
  check((await page.locator('#tab-balance .plot').count()) === 2, 'energy and constraints have their panel');
  await page.getByRole('tab', { name: 'Run' }).click();
  check(
    (await page.locator('#tab-run').textContent()).includes('</script><b>not a tag</b>'),
    'texts of the file stay texts',
  );
  // by keyboard alone: a button that has the focus is pressed by space, a click leaves space to the player
  await page.locator('#tools button').last().focus();
  await page.keyboard.press('Space');
  check(
    (await page.locator('#layers').isVisible()) && !(await page.evaluate(() => verge.player.playing)),
    'space presses the button that has the focus',
  );
  await page.locator('#tools button').first().click();
  await page.keyboard.press('Space');
  check(await page.evaluate(() => verge.player.playing), 'after a click space plays');
  await page.keyboard.press('Space');
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll('button, select, input, canvas, [role]')]
      .filter((e) => !e.getAttribute('aria-label') && !e.textContent.trim() && !e.title)
      .map((e) => e.outerHTML.slice(0, 200)),
  );
  check(nameless.length === 0, `everything has a name: ${nameless}`);
  await page.keyboard.press('?');
  check(
    (await page.locator('#help-dialog').textContent()).includes('three.js authors'),
    'help with the licences',
  );
  await close(page, 'pendulum');
}

function fourbarPoints(t) {
  const q = 4 * t,
    a = [0.3 * Math.cos(q), 0.3 * Math.sin(q)],
    dx = 0.9 - a[0],
    dy = -a[1],
    d = Math.hypot(dx, dy);
  const s = (0.64 - 0.36 + d * d) / (2 * d),
    h = Math.sqrt(0.64 - s * s);
  return [[0, 0], a, [a[0] + (s * dx - h * dy) / d, a[1] + (s * dy + h * dx) / d], [0.9, 0]];
}

async function fourbar() {
  const page = await open('fourbar');
  check((await page.evaluate(() => verge.world.actors[0].bodies.length)) === 3, 'three bodies');
  for (const t of [0, 1.5, 3.305]) {
    const p = fourbarPoints(t);
    for (let b = 0; b < 3; b++) {
      const along = [p[b + 1][0] - p[b][0], p[b + 1][1] - p[b][1]],
        length = Math.hypot(...along);
      await checkPose(
        page,
        t,
        b,
        [(p[b][0] + p[b + 1][0]) / 2, (p[b][1] + p[b + 1][1]) / 2, 0],
        [along[0] / length, along[1] / length, 0],
        1,
        `link ${b}`,
      );
    }
  }
  // touching a body opens its card; T traces the touched point, and the trace ends where the body is
  const at = await page.evaluate(() => {
    verge.player.seek(1);
    verge.world.render();
    const { camera, canvas, actors } = verge.world;
    const p = actors[0].bodies[2].position.clone().project(camera),
      box = canvas.getBoundingClientRect();
    return [box.left + ((p.x + 1) * box.width) / 2, box.top + ((1 - p.y) * box.height) / 2];
  });
  await page.mouse.click(...at);
  check((await page.locator('#inspect b').first().textContent()) === 'rocker', 'the touched body is named');
  await page.keyboard.press('t');
  const traced = await page.evaluate(() => ({
    n: verge.world.traces.length,
    past: verge.world.traces[0]?.past.geometry.instanceCount,
  }));
  check(traced.n === 1 && traced.past === 200, `trace up to the time: ${JSON.stringify(traced)}`);
  check((await page.evaluate(() => verge.world.actors[0].layers.springs.length)) > 0, 'the spring is drawn');
  await close(page, 'fourbar');
}

async function space() {
  const page = await open('crane');
  // framed: all that moves stays in the picture, and fills most of it in one direction
  const reach = await page.evaluate(() => {
    const { camera, actors, size } = verge.world,
      seen = [0, 0];
    for (let k = 0; k <= 20; k++) {
      verge.player.seek((verge.player.end * k) / 20);
      actors[0].bodies.forEach((group, b) =>
        size.joints[b].forEach((local) => {
          const p = local.clone().applyQuaternion(group.quaternion).add(group.position).project(camera);
          seen[0] = Math.max(seen[0], Math.abs(p.x));
          seen[1] = Math.max(seen[1], Math.abs(p.y));
        }),
      );
    }
    return seen;
  });
  check(Math.max(...reach) < 1 && Math.max(...reach) > 0.6, `the picture is filled: ${reach}`);
  for (const t of [0, 2.5, 9.99]) {
    const yaw = [Math.cos(0.8 * t), Math.sin(0.8 * t)];
    await checkPose(page, t, 0, [0.2 * yaw[0], 0.2 * yaw[1], 1], [...yaw, 0], 2, 'arm');
    // the wheel spins about the arm: its own z axis is turned by 6 t about the arm
    const { up } = await poseAt(page, t, 2);
    const spun = [Math.sin(6 * t) * yaw[1], -Math.sin(6 * t) * yaw[0], Math.cos(6 * t)];
    spun.forEach((v, i) => near(up[i], v, 2e-5, `wheel axis ${i} at ${t}`));
  }
  check((await pixels(page, '#stage')).colours > 300, 'crane is not blank');
  await close(page, 'crane');
}

async function travel() {
  const page = await open('cart', { width: 700, height: 400 });
  const away = () =>
    page.evaluate(() =>
      verge.world.controls.target.clone().sub(verge.world.actors[0].bodies[0].position).length(),
    );
  await page.evaluate(() => verge.player.seek(0));
  const before = await away();
  await checkPose(page, 20, 0, [100, 0, 0.6 + 0.02 * Math.sin(180)], [1, 0, 0], 100, 'chassis');
  near(await away(), before, 1e-3, 'the camera goes along');
  await close(page, 'cart');
}

async function thrown() {
  const page = await open('thrown', { width: 700, height: 400 });
  for (const t of [0, 0.7, 1.3, 2]) {
    const outside = await page.evaluate((time) => {
      verge.player.seek(time);
      verge.world.render();
      const {
        camera,
        actors: [{ bodies }],
      } = verge.world;
      return bodies.filter((b) =>
        b.position
          .clone()
          .project(camera)
          .toArray()
          .some((x) => Math.abs(x) > 1),
      ).length;
    }, t);
    check(outside === 0, `the whole rod is in the picture at ${t}: ${outside} nodes are not`);
  }
  await close(page, 'thrown');
}

// A rod that points at whom looks from the right is looked at from the left: its ends are far apart in the picture.
async function aimed() {
  const page = await open('aimed');
  const apart = await page.evaluate(() => {
    const {
        camera,
        actors: [{ bodies }],
      } = verge.world,
      [first, last] = [bodies[0], bodies.at(-1)].map((body) => body.position.clone().project(camera));
    return Math.hypot(first.x - last.x, first.y - last.y);
  });
  check(apart > 1, `the ends of the rod are ${apart} apart`);
  await close(page, 'aimed');
}

// What swings about a point of the ground stays in the picture, whose camera stays, also when the window changes.
async function bob() {
  const page = await open('bob', { width: 1200, height: 500 });
  for (const [width, height] of [
    [1200, 500],
    [420, 800],
  ]) {
    await page.setViewportSize({ width, height });
    await pictures(page);
    for (const t of [0, 0.6, 1.2]) {
      const { target, outside } = await page.evaluate((time) => {
        verge.player.seek(time);
        verge.world.render();
        const {
            camera,
            controls,
            actors: [
              {
                bodies: [body],
              },
            ],
          } = verge.world,
          pin = body.position.clone().set(0, 0, 0);
        return {
          target: controls.target.toArray(),
          outside: [body.position.clone(), pin].filter((p) =>
            p
              .project(camera)
              .toArray()
              .some((x) => Math.abs(x) > 1),
          ).length,
        };
      }, t);
      check(outside === 0, `bob and pin are in the picture at ${t}, ${width} pixels wide`);
      check(Math.abs(target[0]) < 0.2, `the camera looks at the middle: ${target}`);
    }
  }
  await close(page, 'bob');
}

// The box of 1 kg with moments 1, 2, 3 has edges √24, √12, 0; a run of milliseconds has a clock of milliseconds.
async function plate() {
  const page = await open('plate');
  const seen = await page.evaluate(() => {
    let solid = null;
    verge.world.actors[0].bodies[0].userData.look.traverse(
      (o) => (solid ??= o.geometry?.parameters?.width ? o : null),
    );
    const { width, height, depth } = solid?.geometry.parameters ?? {};
    verge.player.seek(0.0025);
    return {
      edges: [width, height, depth],
      clock: document.querySelector('.clock').textContent,
      total: document.querySelector('.total').textContent,
      lasts: 0.005 / verge.player.speed,
    };
  });
  near(seen.edges[0], Math.sqrt(24), 1e-5, 'first edge of the plate');
  near(seen.edges[1], Math.sqrt(12), 1e-5, 'second edge');
  check(seen.edges[2] > 0 && seen.edges[2] < 0.2, `a thin plate: ${seen.edges[2]}`);
  near(Number(seen.clock), 2.5, 1e-9, 'the clock');
  check(seen.total.includes('5.00 ms'), `the end: ${seen.total}`);
  check(seen.lasts >= 5 && seen.lasts < 30, `it plays ${seen.lasts} s`);
  await close(page, 'plate');
}

async function compare() {
  const page = await open('compare');
  for (const t of [0.5, 4, 8]) {
    await checkPose(page, t, 0, ...rod(swing(t, 0)), 1, 'first run');
    await checkPose(page, t, 0, ...rod(swing(t, 0.12)), 1, 'second run', 1);
  }
  check(
    (await page.evaluate(() => verge.panels.plots[0].plot.series.length)) === 3,
    'curves are laid over one another',
  );
  check(await page.evaluate(() => verge.world.actors[1].metal.transparent), 'the second run is a ghost');
  const covered = await page.evaluate(() => {
    const { size, sizes } = verge.world;
    return (
      size.cloud.length === sizes[0].cloud.length &&
      size.cloud.length > 0 &&
      sizes[1].cloud.every((p) => size.cloud.includes(p))
    );
  });
  check(covered, 'the camera looks at both runs');
  await page.locator('.run').nth(1).click();
  check((await page.evaluate(() => verge.panels.plots[0].plot.series.length)) === 2, 'a run can be hidden');
  check(!(await page.evaluate(() => verge.world.actors[1].root.visible)), 'also in the scene');
  await close(page, 'compare');
}

async function long() {
  const page = await open('long', { width: 700, height: 400 });
  const seen = await page.evaluate(() => {
    const { channels, frames } = verge.runs[0];
    const range = (name) => [Math.min(...channels.values(name)), Math.max(...channels.values(name))];
    return {
      spike: range('body.ring.acceleration.x'),
      drift: range('energy.total'),
      points: channels.time.length,
      frames: frames.n,
      recorded: frames.recorded,
    };
  });
  near(seen.spike[1], Math.sin(62.8318) + 50, 1e-3, 'the spike of one row is there');
  near(seen.spike[0], -1, 1e-6, 'so is the other end');
  near(seen.drift[1] - seen.drift[0], 2e-9, 2e-12, 'a drift of a part in a million million keeps its digits');
  check(
    seen.points === 4000 && seen.frames === 10000 && seen.recorded === 200001,
    `thinned: ${JSON.stringify(seen)}`,
  );
  await close(page, 'long');
}

async function chain() {
  const megabytes = statSync(join(folder, 'chain.html')).size / 1e6;
  check(megabytes < 30, `200 bodies × 10000 frames in ${megabytes} MB`);
  const page = await open('chain', { width: 700, height: 400 });
  const result = await page.evaluate(() => {
    const { frames } = verge.runs[0],
      p = verge.world.camera.position.clone();
    let worst = 0;
    for (let i = 0; i < frames.n; i += 37) {
      const t = (20 * i) / 9999;
      for (let b = 0; b < 200; b += 3) {
        frames.at(b, t, p, null);
        worst = Math.max(
          worst,
          Math.abs(p.x - 0.5 * b),
          Math.abs(p.y - 3 * Math.sin(0.2 * b + 3 * t)),
          Math.abs(p.z - 2 * Math.cos(0.2 * b + 2 * t)),
        );
      }
    }
    verge.world.render();
    return {
      n: frames.n,
      bodies: verge.world.actors[0].bodies.length,
      worst,
      calls: verge.world.renderer.info.render.calls,
    };
  });
  check(result.n === 10000 && result.bodies === 200, `all frames and bodies: ${JSON.stringify(result)}`);
  near(result.worst, 0, 1e-5 * 6, 'largest error of a position, motion of 6 m');
  check(result.calls <= 12, `200 bodies are drawn at once, not one by one: ${result.calls} draw calls`);
  for (const [t, b] of [
    [0, 199],
    [7.3, 120],
  ]) {
    const drawn = await page.evaluate(
      ([time, body]) => {
        verge.player.seek(time);
        verge.world.render();
        const { crowd, bodies } = verge.world.actors[0];
        const mesh = crowd.meshes.find((m) =>
          m.userData.entries.some((entry) => entry.body === bodies[body]),
        );
        return [
          ...mesh.instanceMatrix.array
            .subarray(16 * mesh.userData.entries.findIndex((entry) => entry.body === bodies[body]))
            .subarray(12, 15),
        ];
      },
      [t, b],
    );
    [0.5 * b, 3 * Math.sin(0.2 * b + 3 * t), 2 * Math.cos(0.2 * b + 2 * t)].forEach((v, i) =>
      near(drawn[i], v, 1e-4, `body ${b} is drawn where it is at ${t}, ${i}`),
    );
  }
  // a body of the crowd can be touched
  const at = await page.evaluate(() => {
    const { camera, canvas, actors } = verge.world,
      p = actors[0].bodies[100].position.clone().project(camera),
      box = canvas.getBoundingClientRect();
    return [box.left + ((p.x + 1) * box.width) / 2, box.top + ((1 - p.y) * box.height) / 2];
  });
  await page.mouse.click(...at);
  check(await page.locator('#inspect').isVisible(), 'a body of many can be touched');
  await close(page, 'chain');
}

async function phone() {
  const page = await open('fourbar', { width: 390, height: 844 });
  const fits = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    stage: document.getElementById('stage').clientHeight,
    bottom: document.getElementById('transport').getBoundingClientRect().bottom,
    plot: document.querySelector('.uplot').clientWidth,
  }));
  check(
    fits.wide <= 390 && fits.stage > 200 && fits.bottom <= 844.5 && fits.plot > 300 && fits.plot <= 390,
    `phone: ${JSON.stringify(fits)}`,
  );
  check((await pixels(page, '#stage')).colours > 100, 'phone scene is not blank');
  await close(page, 'phone');
}

// A beam is as thick as its section, goes through its nodes, and has the colour of its bending moment.
async function beam() {
  const page = await open('beam');
  const seen = await page.evaluate(() => {
    verge.player.seek(0.2);
    verge.world.render();
    const { beams, bodies } = verge.world.actors[0],
      { spans, peak } = beams,
      { position, color } = beams.surface.geometry.attributes;
    // the last ring of the last element, and the colour of the first
    const span = spans.at(-1),
      m = span.outline.length,
      ring = Array.from({ length: m }, (_, k) =>
        bodies[0].position.clone().fromBufferAttribute(position, span.caps + m + k),
      );
    const end = ring.reduce(
      (sum, p) => sum.add(p.clone().divideScalar(m)),
      bodies[0].position.clone().set(0, 0, 0),
    );
    const edges = ring
      .map((p) => ring[0].distanceTo(p))
      .filter((d) => d > 1e-6)
      .sort((x, y) => x - y);
    const tall = ring.find((p) => Math.abs(ring[0].distanceTo(p) - 0.06) < 1e-4),
      up = tall ? (tall.z - ring[0].z) / 0.06 : 0;
    const tip = bodies.find((b) => b.name === 'tip').position.toArray();
    return {
      n: spans.length,
      width: edges[0],
      height: edges.find((d) => d > 1.5 * edges[0]),
      end: end.toArray(),
      tip,
      up,
      peak,
      red: color.getX(0) - color.getZ(0),
      scale: document.querySelector('.scale').textContent,
    };
  });
  check(seen.n === 4, 'four elements');
  near(seen.width, 0.02, 1e-6, 'width');
  near(seen.height, 0.06, 1e-6, 'height');
  near(Math.abs(seen.up), 1, 1e-6, 'it stands upright');
  seen.end.forEach((v, i) => near(v, seen.tip[i], 1e-4, `the beam ends at its last node, ${i}`));
  // the couple of 1000 Nm is the moment everywhere; the tip goes to L²M/(2EI) but for vibrations
  near(seen.tip[1], 1000 / ((2 * 2e11 * 0.06 * 0.02 ** 3) / 12), 0.01, 'deflection');
  check(
    seen.peak > 900 && seen.scale.includes('N·m') && seen.scale.includes('moment-z'),
    `the colours are explained: ${seen.scale}`,
  );
  check(seen.red > 0.2, 'and red where the moment is positive');
  await page.locator('.scale select').selectOption('axial');
  check((await page.locator('.scale').textContent()).includes(' N'), 'another resultant');
  await close(page, 'beam');
}

// Arrows of a contact with a profile and of a spring: the ball stands still, so they carry its weight together.
async function ball() {
  const page = await open('ball');
  const arrows = await page.evaluate(() => {
    verge.player.seek(2);
    verge.world.render();
    return verge.world.actors[0].layers.arrows.map((a) => {
      const e = a.matrixWorld.elements;
      return { visible: a.visible, along: [e[8], e[9], e[10]], length: a.head.position.z };
    });
  });
  check(
    arrows.length === 2 && arrows.every((a) => a.visible && a.along[1] > 0.999),
    `both point up: ${JSON.stringify(arrows)}`,
  );
  check(arrows[0].length > 1.5 * arrows[1].length, 'the floor carries more than the spring');
  check((await page.evaluate(() => verge.world.actors[0].profiles.size)) === 1, 'the hill is drawn');
  await close(page, 'ball');
}

// A block of 2 kg on a hoist at (2, 0): the arrow of what the drive does is at it and points up. A beam bent
// about its y axis alone is coloured by that moment.
// A certificate: the chip at the top opens the card, and a moment of the card is shown in the scene.
async function trusted() {
  const page = await open('trusted');
  const found = await page.evaluate(() => verge.runs[0].statistics.verify);
  check(found.verdict === 'trusted' && found.channels.length >= 3, 'the page has the certificate');
  const chip = page.locator('#runs .digits');
  check((await chip.textContent()) === `${(Math.floor(10 * found.digits) / 10).toFixed(1)} digits hold`, 'chip');
  await chip.click();
  const card = page.locator('#tab-run .certificate');
  check(await card.isVisible(), 'the chip opens the card');
  const text = await card.textContent();
  check(text.includes(found.line) && text.includes('specific to the setting'), 'verdict, and what is not judged');
  const bars = await card
    .locator('.bar i')
    .evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().width));
  const digits = found.channels.filter((c) => c.kind === 'judged' && c.name !== 'time').map((c) => c.digits);
  check(bars.length === digits.length, 'a bar for each channel that is judged');
  for (let k = 1; k < bars.length; k++)
    near(bars[k] / bars[0], digits[k] / digits[0], 0.05, 'lengths of bars are those of digits');
  await card.locator('.seek').first().click();
  near(await page.evaluate(() => verge.player.time), found.channels[0].at, 1e-6, 'the moment of the error');
  await page.close();
}

async function hoist() {
  const page = await open('hoist');
  const seen = await page.evaluate(() => {
    verge.player.seek(0.2);
    verge.world.render();
    const {
        layers: { arrows },
        bodies,
      } = verge.world.actors[0],
      e = arrows[0].matrixWorld.elements,
      p = bodies[0].position;
    return {
      n: arrows.length,
      off: Math.hypot(e[12] - p.x, e[13] - p.y, e[14] - p.z),
      up: e[10],
      block: p.toArray(),
    };
  });
  check(seen.n === 1 && seen.up > 0.999, `one arrow, up: ${JSON.stringify(seen)}`);
  near(seen.block[0], 2, 1e-6, 'the block is at its hoist');
  near(seen.off, 0, 1e-6, 'and the arrow at the block');
  check(
    (await page.locator('.scale option').first().textContent()) === 'moment-y',
    'colours by the moment that bends',
  );
  await close(page, 'hoist');
}

// The road under a wheel, and a body drawn from its inertia: along its principal axes, as large as the box it is of.
async function wheel() {
  const page = await open('wheel');
  const seen = await page.evaluate(() => {
    const { bodies, root } = verge.world.actors[0];
    let solid = null,
      road = null;
    bodies[0].userData.look.traverse((o) => (solid ??= o.geometry?.parameters?.width ? o : null));
    root.traverse((o) => (road ??= o.name === 'road' ? o : null));
    road.geometry.computeBoundingBox();
    const { width, height, depth } = solid.geometry.parameters,
      { min, max } = road.geometry.boundingBox;
    const along = solid.position
      .clone()
      .setComponent([width, height, depth].indexOf(Math.max(width, height, depth)), 1)
      .applyQuaternion(solid.quaternion);
    return {
      edges: [width, height, depth].sort(),
      along: along.toArray(),
      low: min.toArray(),
      high: max.toArray(),
    };
  });
  [0.2, 0.4, 0.6].forEach((edge, i) => near(seen.edges[i], edge, 1e-5, `edge ${i} of the brick`));
  near(Math.abs(seen.along[0]), Math.cos(Math.PI / 6), 1e-5, 'the long edge lies 30 degrees off x');
  near(seen.along[1] / seen.along[0], Math.tan(Math.PI / 6), 1e-5, 'to the left');
  near(seen.high[2], 0.1, 2e-3, 'height of the hump');
  check(
    seen.low[0] < 0 && seen.high[0] > 2 && seen.low[1] < -0.05 && seen.high[1] > 0.05,
    `the road lies under the wheel: ${JSON.stringify(seen)}`,
  );
  await close(page, 'wheel');
}

// What contacts touch and no shape shows: a ball of 30 mm in a bowl of 300, one of 50 mm on a slope of 0.3 rad
// through (1, 0, −0.2), a bar of 0.4 m along y. The step has a shape of its own, the bat still is a bat
// besides the ball at its end.
async function surfaces() {
  const page = await open('surfaces');
  const seen = await page.evaluate(() => {
    const { bodies, groundGroup } = verge.world.actors[0],
      sizes = (root) => {
        const out = [];
        root.traverse(
          (o) =>
            o.isMesh &&
            out.push({
              name: o.name,
              type: o.geometry.type,
              radius: o.geometry.parameters?.radius,
              length: o.geometry.parameters?.height,
              hollow: o.material.transparent,
            }),
        );
        return out;
      };
    let sheet = null;
    groundGroup.traverse((o) => (sheet ??= o.name === 'plane' ? o : null));
    groundGroup.updateMatrixWorld(true);
    const e = sheet.matrixWorld.elements,
      foot = sheet.position.clone().set(1, 0, -0.2).applyMatrix4(sheet.matrixWorld.clone().invert());
    return {
      bodies: bodies.map((body) => sizes(body.userData.look)),
      ground: sizes(groundGroup),
      normal: [e[8], e[9], e[10]],
      off: foot.z,
    };
  });
  const [ball, roller, hopper, bat] = seen.bodies,
    balls = (list) => list.filter((o) => o.type === 'SphereGeometry');
  for (const [list, radius] of [
    [ball, 0.03],
    [roller, 0.05],
    [hopper, 0.04],
    [bat, 0.06],
  ])
    near(balls(list)[0]?.radius, radius, 1e-12, 'radius of a ball');
  check(!ball.some((o) => o.type === 'BoxGeometry'), 'a ball is not drawn as a box of its inertia too');
  check(
    bat.some((o) => o.type === 'CapsuleGeometry'),
    'the bat has a bar from its hinge to the ball',
  );
  near(balls(seen.ground)[0].radius, 0.3, 1e-12, 'the bowl');
  check(seen.ground.filter((o) => o.hollow && o.radius === 0.3).length === 1, 'which lets the ball be seen');
  near(seen.ground.find((o) => o.type === 'CapsuleGeometry').length, 0.4, 1e-12, 'length of the bar');
  check(seen.ground.filter((o) => o.type === 'BoxGeometry').length === 1, 'the step is drawn once');
  [Math.sin(0.3), 0, Math.cos(0.3)].forEach((v, i) =>
    near(seen.normal[i], v, 1e-6, `normal of the slope, ${i}`),
  );
  near(seen.off, 0, 1e-6, 'the slope goes through its frame');
  await close(page, 'surfaces');
}

// A jack that is driven from 1 m to 1.5 m, a pin in a slot of an arm, and a pair of wheels 2 m apart with 1 : 3 teeth.
async function machine() {
  const page = await open('machine');
  const seen = await page.evaluate(() => {
    const all = [];
    verge.world.actors[0].root.traverse((object) => all.push(object));
    const jack = (t) => {
      verge.player.seek(t);
      verge.world.render();
      const { length, rod } = all.find((object) => object.barrel);
      return { barrel: length, end: rod.position.z + rod.scale.z / 2 };
    };
    const wheels = all
      .filter((object) => object.name === 'gear')
      .map(({ children: [{ geometry }] }) => {
        geometry.computeBoundingBox();
        return geometry.boundingBox.max.x;
      });
    return { before: jack(0), after: jack(1), wheels };
  });
  check(seen.before.barrel === seen.after.barrel && seen.before.barrel < 1, 'the barrel keeps its length');
  near(seen.before.end, 1, 1e-6, 'the rod reaches the lug');
  near(seen.after.end, 1.5, 1e-6, 'and comes out with it');
  near(seen.wheels[0] / 0.5, 1, 0.15, 'the small wheel');
  near(seen.wheels[1] / 1.5, 1, 0.15, 'the large wheel');
  const told = (await page.locator('#tab-balance').textContent()).includes('unexplained');
  check(told, 'the balance of a driven model says what is not explained');
  // with one picture a second as with sixty: a second of the clock is a second of the model
  const passed = await page.evaluate(() => {
    const { player } = verge;
    Object.assign(player, { loop: false, speed: 0.5, time: 0, last: 0, playing: true });
    player.tick(1000);
    player.tick(1900);
    player.playing = false;
    return player.time;
  });
  near(passed, 0.45, 1e-9, 'real time at any frame rate');
  check(
    (await page.locator('#title').textContent()) === 'machine.yaml',
    'a model without a title is its file',
  );
  await close(page, 'machine');
}

async function withoutWebGL() {
  const page = await context.newPage();
  await page.addInitScript(() => {
    const get = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return /webgl/.test(kind) ? null : get.call(this, kind, ...rest);
    };
  });
  await page.goto(`file://${join(folder, 'pendulum.html')}`);
  await page.waitForFunction(() => window.verge?.player);
  check((await page.locator('#nothing').textContent()).includes('WebGL'), 'says that WebGL is missing');
  check((await page.locator('.uplot').count()) > 0, 'and plots all the same');
  await page.close();
}

await runAll(context, [
  pendulum,
  fourbar,
  space,
  travel,
  thrown,
  aimed,
  bob,
  plate,
  compare,
  long,
  chain,
  phone,
  beam,
  ball,
  hoist,
  trusted,
  wheel,
  surfaces,
  machine,
  withoutWebGL,
]);
