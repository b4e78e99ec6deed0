// A searchable tree of channels laid over the panel, choosing what one plot shows.
import { icon, make, unitText } from './dom.js';

const LIMIT = 300;

export class Picker {
  constructor(element, runs) {
    this.element = element;
    // in the studio also what was not recorded: it is computed when it is chosen (onMissing)
    this.channels = [
      ...new Set(runs.flatMap((run) => [...run.channels.names, ...(run.every?.keys() ?? [])])),
    ].filter((name) => name !== 'time');
    this.units = new Map(runs.flatMap((run) => [...(run.every ?? []), ...run.channels.units]));
    this.runs = runs;
    this.onMissing = () => {};
    this.open = new Set();
    this.plot = null;
    this.search = make('input', {
      type: 'search',
      placeholder: `Search ${this.channels.length} channels`,
      'aria-label': 'Search channels',
      oninput: () => this.fill(),
    });
    this.list = make('div.tree', { role: 'tree' });
    element.append(
      make(
        'div.picker-head',
        {},
        make('label.search', { html: icon('search') }, this.search),
        make('button.done', { onclick: () => this.close() }, 'Done'),
      ),
      this.list,
    );
    element.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
      event.stopPropagation();
    });
    this.tree = this.grow();
  }

  grow() {
    const root = { children: new Map(), path: '' };
    for (const name of this.channels) {
      let node = root;
      for (const part of name.split('.')) {
        if (!node.children.has(part))
          node.children.set(part, {
            label: part,
            children: new Map(),
            path: node.path ? `${node.path}.${part}` : part,
          });
        node = node.children.get(part);
      }
      node.channel = name;
    }
    return root;
  }

  show(plot) {
    this.plot = plot;
    this.search.value = '';
    for (const name of plot.names) {
      const parts = name.split('.');
      for (let i = 1; i < parts.length; i++) this.open.add(parts.slice(0, i).join('.'));
    }
    this.fill();
    this.element.hidden = false;
    if (matchMedia('(pointer: fine)').matches) this.search.focus();
  }

  close() {
    this.element.hidden = true;
    this.plot = null;
  }

  fill() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) {
      this.list.replaceChildren(...this.branch(this.tree, 0));
      return;
    }
    const found = this.channels.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
    this.list.replaceChildren(
      ...found.slice(0, LIMIT).map((name) => this.leaf(name, name, 0)),
      ...(found.length > LIMIT
        ? [make('p.hint', {}, `${found.length - LIMIT} more: search for more letters`)]
        : []),
      ...(found.length ? [] : [make('p.hint', {}, 'No channel has these letters.')]),
    );
  }

  branch(node, depth) {
    return [...node.children.values()].flatMap((child) => {
      if (child.channel && !child.children.size) return [this.leaf(child.channel, child.label, depth)];
      const open = this.open.has(child.path);
      const row = make(
        'button.group',
        {
          style: `--depth: ${depth}`,
          'aria-expanded': open,
          onclick: () => {
            if (open) this.open.delete(child.path);
            else this.open.add(child.path);
            this.fill();
          },
        },
        make('span.twist', {}, '›'),
        make('span.name', {}, child.label),
      );
      return [
        row,
        ...(child.channel ? [this.leaf(child.channel, child.label, depth + 1)] : []),
        ...(open ? this.branch(child, depth + 1) : []),
      ];
    });
  }

  leaf(name, label, depth) {
    const row = make(
      'button.leaf',
      {
        style: `--depth: ${depth}`,
        role: 'checkbox',
        'aria-checked': this.plot.names.includes(name),
        title: name,
        onclick: () => {
          const names = this.plot.names.includes(name)
            ? this.plot.names.filter((other) => other !== name)
            : [...this.plot.names, name];
          this.plot.setNames(names);
          if (names.includes(name) && !this.runs.every((run) => run.channels.has(name))) this.onMissing(name);
          row.setAttribute('aria-checked', names.includes(name));
        },
      },
      make('span.tick', { html: icon('check') }),
      make('span.name', {}, label),
      make('span.unit', {}, unitText(this.units.get(name))),
    );
    return row;
  }
}
