// The search: headings of all pages and the words under them. All words must occur; those in headings come first.
(() => {
  const input = document.getElementById('search'),
    list = document.getElementById('found');
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const all = (text) => words.every((word) => text.toLowerCase().includes(word));
    const rank = ([text, , page, under]) =>
      all(text) ? 1 : all(`${text} ${page}`) ? 2 : all(`${text} ${page} ${under}`) ? 3 : 0;
    const hits = words.length
      ? INDEX.map((row) => [rank(row), row])
          .filter(([n]) => n)
          .sort(([a], [b]) => a - b)
          .slice(0, 30)
          .map(([, row]) => row)
      : [];
    list.replaceChildren(
      ...hits.map(([text, href, page]) => {
        const row = document.createElement('li'),
          link = document.createElement('a'),
          where = document.createElement('span');
        link.href = href;
        where.textContent = page;
        link.append(text, where);
        row.append(link);
        return row;
      }),
    );
    list.hidden = !hits.length;
  };
  input.addEventListener('input', show);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') list.querySelector('a')?.click();
    if (event.key === 'ArrowDown') list.querySelector('a')?.focus();
    if (event.key === 'Escape') list.hidden = true;
  });
  list.addEventListener('keydown', (event) => {
    const link = document.activeElement?.parentElement;
    const next =
      event.key === 'ArrowDown'
        ? link?.nextElementSibling
        : event.key === 'ArrowUp'
          ? link?.previousElementSibling
          : null;
    if (next) next.firstElementChild.focus();
    if (/^Arrow/.test(event.key)) event.preventDefault();
    if (event.key === 'Escape') list.hidden = true;
  });
  list.addEventListener('click', () => {
    list.hidden = true;
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    input.focus();
  });
  document.addEventListener('click', (event) => {
    if (!event.target.closest('header')) list.hidden = true;
  });
})();
