// Small things every part of the page uses.
const ICONS = {
  panel: '<rect x="3" y="4" width="18" height="16" rx="2.5"/><path d="M14.5 4v16"/>',
  theme: '<circle cx="12" cy="12" r="8.5"/><path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor"/>',
  help: '<circle cx="12" cy="12" r="8.5"/><path d="M9.6 9.4a2.5 2.5 0 1 1 3.6 2.3c-.8.4-1.2 1-1.2 1.9M12 16.6v.2"/>',
  play: '<path d="M8 5.2v13.6L19 12z" fill="currentColor" stroke-linejoin="round"/>',
  pause: '<path d="M8.5 5.5v13M15.5 5.5v13" stroke-width="3.4"/>',
  back: '<path d="M15.5 6v12L7 12z" fill="currentColor" stroke-linejoin="round"/>',
  next: '<path d="M8.5 6v12l8.5-6z" fill="currentColor" stroke-linejoin="round"/>',
  loop: '<path d="M17 4l3 3-3 3M20 7H8a4 4 0 0 0-4 4M7 20l-3-3 3-3M4 17h12a4 4 0 0 0 4-4"/>',
  fit: '<path d="M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5"/>',
  cube: '<path d="M12 3.2l7.6 4.3v9L12 20.8l-7.6-4.3v-9z"/><path d="M4.6 7.6L12 12l7.4-4.4M12 12v8.6"/>',
  layers:
    '<path d="M12 4l8.5 4.6L12 13.2 3.5 8.6z"/><path d="M3.8 12.6L12 17l8.2-4.4M3.8 16.4L12 20.8l8.2-4.4"/>',
  follow: '<circle cx="12" cy="12" r="3"/><path d="M12 2.8v4M12 17.2v4M2.8 12h4M17.2 12h4"/>',
  trace:
    '<path d="M4 18c3.5 0 3.2-11 7-11s2.6 7 5 7 2-3.4 4-3.4"/><circle cx="20" cy="10.6" r="1.4" fill="currentColor"/>',
  plot: '<path d="M4 4v16h16"/><path d="M7 15l4-5 3.2 3L19.5 7"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  close: '<path d="M6 6l12 12M18 6L6 18"/>',
  search: '<circle cx="10.8" cy="10.8" r="6.3"/><path d="M15.6 15.6L20.5 20.5"/>',
  check: '<path d="M5 12.5l4.6 4.6L19.5 7"/>',
};

export const icon = (name) =>
  '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" ' +
  `stroke-linejoin="round" aria-hidden="true">${ICONS[name]}</svg>`;

export const byId = (id) => document.getElementById(id);

// make('div.card', {title: 'x', onclick: f}, child, 'text', …)
export function make(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split('.');
  const element = document.createElement(tag || 'div');
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null) continue;
    if (value === false && !key.startsWith('aria-')) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'html') element.innerHTML = value;
    else element.setAttribute(key, value === true && !key.startsWith('aria-') ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const iconButton = (name, title, onclick, extra = '') =>
  make(`button.icon${extra}`, { title, 'aria-label': title, onclick, html: icon(name) });

// A number for people: significant digits, no noise, exponents only when they help.
export function format(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) {
    return value
      .toExponential(Math.max(digits - 2, 1))
      .replace(/\.?0+e/, 'e')
      .replace('e+', 'e')
      .replace('-', '−')
      .replace('e-', 'e−');
  }
  return String(Number(value.toPrecision(digits))).replace('-', '−');
}

// Fixed width, so that numbers that change do not dance.
export const steady = (value, decimals) => value.toFixed(decimals).replace('-', '−');

export const unitText = (unit) =>
  !unit || unit === '1' ? '' : unit.replace(/\*/g, '·').replace(/\^2/g, '²').replace(/\^3/g, '³');

export function colours() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(name).trim();
  return {
    get,
    series: Array.from({ length: 8 }, (_, i) => get(`--series-${i}`)),
    run: Array.from({ length: 6 }, (_, i) => get(`--run-${i}`)),
  };
}
