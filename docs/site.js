// The search: headings of all pages, all words must occur.
(() => {
  const input = document.getElementById('search'), list = document.getElementById('found');
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = words.length ? INDEX.filter(([text, , page]) => words.every((word) => `${text} ${page}`.toLowerCase().includes(word))).slice(0, 30) : [];
    list.replaceChildren(...hits.map(([text, href, page]) => {
      const row = document.createElement('li'), link = document.createElement('a'), where = document.createElement('span');
      link.href = href;
      where.textContent = page;
      link.append(text, where);
      row.append(link);
      return row;
    }));
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
    const next = event.key === 'ArrowDown' ? link?.nextElementSibling : event.key === 'ArrowUp' ? link?.previousElementSibling : null;
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
