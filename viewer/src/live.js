// The page as a part of the studio: runs come from the page around it and grow while they are computed. The frame is
// loaded anew for every set of runs; what the user has set up is handed on through the page around it.
import { byId } from './dom.js';

export const parentStudio = () => window.parent.vergeStudio;

const sameBodies = (kept, runs) => kept.bodies === runs[0].bodies.join();

function restore(app, kept) {
  const { panels, player, world, runs } = app;
  const known = (names) =>
    names.filter((name) => panels.all.includes(name) || runs.some((run) => run.every?.has(name)));
  const plots = kept.plots.map(known).filter((names) => names.length);
  if (plots.length) {
    for (const plot of [...panels.plots]) plot.dispose();
    panels.plots.length = 0;
    for (const names of plots) panels.addPlot(names);
  }
  if (kept.tab) panels.openTab(kept.tab);
  if (kept.camera && world && sameBodies(kept, runs)) {
    world.camera.position.fromArray(kept.camera.position);
    world.controls.target.fromArray(kept.camera.target);
    world.controls.update();
    app.moved = true;
  }
  player.seek(Math.min(kept.time, player.end));
  if (kept.playing) player.play(true);
}

// Puts the page up for the studio: what it had before, and how it grows and says what it has now.
export function keepState(app, studio) {
  document.body.classList.add('live');
  if (studio.kept) restore(app, studio.kept);
  app.world?.controls.addEventListener('start', () => {
    app.moved = true;
  });
  app.state = () => ({
    plots: app.panels.plots.map((plot) => plot.names),
    tab: ['plots', 'balance', 'run'].find((name) => !byId(`tab-${name}`).hidden),
    time: app.player.time,
    playing: app.player.playing,
    bodies: app.runs[0].bodies.join(),
    camera:
      app.moved && app.world
        ? { position: app.world.camera.position.toArray(), target: app.world.controls.target.toArray() }
        : null,
  });
  // More rows: the clock stays at the newest one while nobody has moved it away.
  app.grow = () => {
    const { player, panels, transport, runs } = app;
    const newest = player.time >= player.end;
    const end = Math.max(...runs.map((run) => run.end));
    player.extend(end);
    panels.extend(end);
    transport.fit();
    if (newest && !player.playing) player.seek(end);
    else player.tell();
  };
  app.panels.picker.onMissing = (name) => studio.record?.(name);
  app.widen = () => app.panels.widen();
  studio.ready?.(app);
}
