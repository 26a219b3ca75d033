// SPDX-License-Identifier: Apache-2.0
// sim/report/explored_page.js: what a page does on its own: its table sorts and filters, marks of
// its charts show their row, figures and tables are saved as SVG and CSV. Without a script the page
// shows the same, as it was written.
'use strict';
(() => {
  const table = document.querySelector('.explored table');
  if (!table) return;
  const heads = [...table.tHead.rows[0].cells].map(cell => cell.textContent);
  const rows = [...table.tBodies[0].rows];
  const texts = rows.map(row => [...row.cells].map(cell => cell.textContent));
  const marks = [...document.querySelectorAll('circle[data-p]')];
  const shown = rows.map(() => true);

  const element = (name, attributes = {}, text = '') => {
    const made = Object.assign(document.createElement(name), attributes);
    if (text) made.textContent = text;
    return made;
  };

  const save = (name, type, text) => {
    const link = element('a', {download: name, href: URL.createObjectURL(new Blob([text], {type}))});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const csvCell = text => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const csvOf = lines => lines.map(line => line.map(csvCell).join(',') + '\n').join('');
  const button = (text, click) => {
    const made = element('button', {type: 'button', onclick: click}, text);
    return made;
  };

  // A drawing with the page's style, whose colours its own root then has.
  const svgText = svg => {
    const copy = svg.cloneNode(true);
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    const style = document.createElementNS('http://www.w3.org/2000/svg', 'style');
    style.textContent = document.querySelector('style').textContent;
    copy.prepend(style);
    return new XMLSerializer().serializeToString(copy);
  };
  // Points as rows of the table; cells of a heat map by what they show under the pointer.
  const csvOfFigure = svg => {
    const points = [...svg.querySelectorAll('circle[data-p]')].map(mark => texts[mark.dataset.p]);
    if (points.length) return csvOf([heads, ...points]);
    return csvOf([['cell'], ...[...svg.querySelectorAll('rect title')].map(t => [t.textContent])]);
  };
  document.querySelectorAll('main svg').forEach((svg, number) => {
    const tools = element('p', {className: 'tools'});
    const name = `figure-${number + 1}`;
    tools.append(button('SVG', () => save(name + '.svg', 'image/svg+xml', svgText(svg))));
    if (svg.querySelector('circle[data-p],rect title')) {
      tools.append(button('CSV', () => save(name + '.csv', 'text/csv', csvOfFigure(svg))));
    }
    svg.after(tools);
  });

  // Sorting: numbers by value, empty cells last.
  let sorted = -1, direction = 1;
  const sort = column => {
    direction = column === sorted ? -direction : 1;
    sorted = column;
    const keys = texts.map(cells => {
      const number = parseFloat(cells[column]);
      return cells[column] === '' ? null : Number.isNaN(number) ? cells[column] : number;
    });
    const order = (a, b) => {
      const [x, y] = [keys[a], keys[b]];
      if (x === null || y === null) return (x === null) - (y === null);
      const smaller = typeof x === typeof y ? x < y : typeof x === 'number';
      return (x === y ? 0 : smaller ? -1 : 1) * direction;
    };
    const indices = rows.map((_, i) => i).sort((a, b) => order(a, b) || a - b);
    table.tBodies[0].append(...indices.map(i => rows[i]));
    [...table.tHead.rows[0].cells].forEach((cell, i) => {
      cell.setAttribute('aria-sort',
                        i !== column ? 'none' : direction > 0 ? 'ascending' : 'descending');
    });
  };
  [...table.tHead.rows[0].cells].forEach((cell, i) => {
    const word = cell.textContent;
    cell.textContent = '';
    cell.append(button(word, () => sort(i)));
  });

  // Filtering: every word is text of the row, or a comparison of a column: bits<=4.5 scale=e8m0.
  // Capitals do not matter.
  const testOf = word => {
    const parts = word.match(/^(\w+)(<=|>=|!=|=|<|>)(.+)$/);
    const column = parts ? heads.findIndex(head => head.toLowerCase() === parts[1]) : -1;
    if (column < 0) return cells => cells.some(cell => cell.toLowerCase().includes(word));
    const wanted = parseFloat(parts[3]), sign = parts[2];
    return cells => {
      const number = parseFloat(cells[column]);
      const same = cells[column].toLowerCase() === parts[3] || number === wanted;
      if (sign === '=') return same;
      if (sign === '!=') return !same;
      if (sign === '<=') return number <= wanted;
      if (sign === '>=') return number >= wanted;
      return sign === '<' ? number < wanted : number > wanted;
    };
  };
  const count = element('span', {className: 'quiet'});
  const filter = text => {
    const tests = text.toLowerCase().split(/\s+/).filter(word => word).map(testOf);
    let left = 0;
    rows.forEach((row, i) => {
      shown[i] = tests.every(test => test(texts[i]));
      row.hidden = !shown[i];
      left += shown[i];
    });
    marks.forEach(mark => mark.classList.toggle('away', !shown[mark.dataset.p]));
    count.textContent = `${left} of ${rows.length} rows`;
  };
  const box = element('input', {
    type: 'search', placeholder: 'filter: words, column<=number', oninput: () => filter(box.value)});
  box.setAttribute('aria-label', 'filter rows');
  const tools = element('p', {className: 'tools'});
  tools.append(box, button('CSV', () => save('rows.csv', 'text/csv', csvOf(
      [heads, ...[...table.tBodies[0].rows].filter(row => !row.hidden)
                     .map(row => [...row.cells].map(cell => cell.textContent))]))), count);
  document.querySelector('.explored').prepend(tools);
  filter('');

  // Details of the mark under the pointer, or of the one that a finger chose.
  const card = element('div', {className: 'details', hidden: true});
  document.body.append(card);
  const show = (mark, x, y) => {
    const cells = texts[mark.dataset.p], list = element('dl');
    heads.forEach((head, i) => {
      if (cells[i] !== '') list.append(element('dt', {}, head), element('dd', {}, cells[i]));
    });
    card.replaceChildren(list);
    card.hidden = false;
    const room = document.documentElement;
    card.style.left = Math.max(4, Math.min(x + 14, room.clientWidth - card.offsetWidth - 4)) + 'px';
    card.style.top = Math.max(4, Math.min(y + 14, room.clientHeight - card.offsetHeight - 4)) + 'px';
  };
  document.addEventListener('pointerover', event => {
    const mark = event.target.closest('circle[data-p]');
    if (mark) show(mark, event.clientX, event.clientY);
    else if (event.pointerType !== 'touch') card.hidden = true;
  });
  document.addEventListener('pointerdown', event => {
    if (!event.target.closest('circle[data-p]')) card.hidden = true;
  });
})();
