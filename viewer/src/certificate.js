// How many digits hold (verge run --verify): the verdict as a chip, and a card with a line a channel.
import { format, make } from './dom.js';

const MOST = 10; // digits that a certificate gives
const LOOK = { trusted: 'good', 'trusted-until': 'fair' };
const SAID = {
  undetermined: 'not determined: constraints repeat each other',
  'of-the-setting': 'specific to the setting',
};

// Down, as the program prints them: a tenth of a digit too few rather than too many.
const tenths = (digits) => (Math.floor(10 * (digits ?? 0) + 1e-9) / 10).toFixed(1);
const grade = (digits) => (digits >= 3 ? 'good' : digits >= 1 ? 'fair' : 'poor');

// The shortest true word: for the head of the page and the studio's status line.
function short(found) {
  if (found.verdict === 'trusted')
    return found.digits >= MOST ? '10 digits hold' : `${tenths(found.digits)} digits hold`;
  if (found.verdict === 'trusted-until') return `2 digits until ${format(found.until, 3)} s`;
  return found.verdict === 'not-trusted' ? 'not to be trusted' : 'not verified';
}

export const certificateChip = (found, onclick) =>
  make(`button.digits.${LOOK[found.verdict] ?? 'poor'}`, { title: found.line, onclick }, short(found));

// Digits over the run: eight steps, the end of each at the height of what holds until then.
function fall(channel) {
  const over = channel.digits_over_time.map((digits) => Math.min(Math.max(digits ?? 0, 0), MOST));
  const points = over.flatMap((digits, k) => [
    `${8 * k},${20 - 2 * digits}`,
    `${8 * (k + 1)},${20 - 2 * digits}`,
  ]);
  return make('span.fall', {
    title: `digits up to each eighth of the run: ${over.map(tenths).join(', ')}`,
    html:
      '<svg viewBox="0 0 64 21" aria-hidden="true"><path d="M0 20.5h64" class="floor"/>' +
      `<polyline points="${points.join(' ')}"/></svg>`,
  });
}

const named = (channel, worst) =>
  make(
    `tr.name${worst ? '.worst' : ''}`,
    worst ? { title: 'the channel with the fewest digits' } : {},
    make('td', { colspan: 4 }, channel.name, worst ? make('small', {}, ' fewest digits') : null),
  );

function values(channel, player) {
  if (channel.kind !== 'judged')
    return make('tr.aside', {}, make('td', { colspan: 4 }, SAID[channel.kind] ?? channel.kind));
  const digits = Math.min(channel.digits ?? 0, MOST);
  const exact = channel.at === null;
  const where = exact
    ? '–'
    : make(
        'button.seek',
        { title: 'show this moment', onclick: () => player?.seek(channel.at) },
        `${format(channel.at, 3)} s`,
      );
  return make(
    'tr',
    {},
    make(
      'td.bar',
      {},
      make(`i.${grade(digits)}`, { style: `width: ${((100 * digits) / MOST).toFixed(1)}%` }),
      make('b', {}, tenths(channel.digits)),
    ),
    make('td', {}, fall(channel)),
    make('td.number', {}, `${exact ? '< ' : ''}${format(channel.error, 2)} ${channel.unit}`),
    make('td.number', {}, where),
  );
}

const setting = (run) =>
  [run.coordinates, run.constraints, run.integrator].join(' · ') +
  (run.step ? `, step ${format(run.step, 3)} s` : '');

const ROLES = { run: 'this run', finer: 'finer', independent: 'independent', arbiter: 'arbiter' };

function runsOf(found) {
  const row = (run, k) =>
    make(
      run.status === 'ok' ? 'tr' : 'tr.aside',
      {},
      make('td', {}, ROLES[run.role] ?? run.role),
      make(
        'td',
        {},
        setting(run),
        run.why ? make('small', {}, ` ${run.why}`) : null,
      ),
      make('td.number', {}, k === found.reference ? 'reference' : ''),
    );
  return make('table', {}, make('tbody', {}, ...found.runs.map(row)));
}

// In large: how many digits, or until when two of them hold.
function headline(found) {
  if (found.verdict === 'trusted-until') return `${format(found.until, 2)} s`;
  return found.digits >= MOST ? '10' : tenths(found.digits);
}

// The card; channels past the first are folded away.
export function certificateCard(found, player) {
  const FIRST = 24;
  const rows = found.channels
    .filter((channel) => channel.name !== 'time')
    .map((channel) => [named(channel, channel.name === found.worst), values(channel, player)]);
  const head = ['digits', 'over time', 'largest error', 'at'];
  const table = (lines, titles) =>
    make(
      'table.channels',
      {},
      titles && make('thead', {}, make('tr', {}, ...head.map((text) => make('th', {}, text)))),
      make('tbody', {}, ...lines.flat()),
    );
  const against = found.runs[found.reference];
  const look = LOOK[found.verdict] ?? 'poor';
  return make(
    'section.card.about.certificate',
    {},
    make('h2', {}, 'How many digits hold?'),
    make(
      `div.verdict.${look}`,
      {},
      make('b', {}, headline(found)),
      make(
        'span',
        {},
        make('strong', {}, found.line),
        make('small', {}, against ? `measured against ${setting(against)}` : 'no independent run to measure by'),
      ),
    ),
    table(rows.slice(0, FIRST), true),
    rows.length > FIRST &&
      make(
        'details',
        {},
        make('summary', {}, `${rows.length - FIRST} more channels`),
        table(rows.slice(FIRST)),
      ),
    make('details', {}, make('summary', {}, `${found.runs.length} runs it rests on`), runsOf(found)),
  );
}
