// SPDX-License-Identifier: Apache-2.0
// sim/report/page_script.js: what every page does on its own: tables sort and filter, labels turn the
// lines of a figure off and on, marks show their row, figures and tables are saved as SVG and CSV.
// Without a script the page shows the same, as it was written.
'use strict';
(() => {
  const element = (name, attributes = {}, text = '') => {
    const made = Object.assign(document.createElement(name), attributes);
    if (text) made.textContent = text;
    return made;
  };
  const button = (text, click) => element('button', {type: 'button', onclick: click}, text);

  const save = (name, type, text) => {
    const link = element('a', {download: name, href: URL.createObjectURL(new Blob([text], {type}))});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const csvCell = text => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const csvOf = lines => lines.map(line => line.map(csvCell).join(',') + '\n').join('');
  // A whole text as written for readers: a minus sign, groups of digits, Inf, an error, an interval
  // or a percent sign behind the value. NaN for any other: 16x16 is no 16.
  const numberIn = text => {
    const written = text.replaceAll('\u2212', '-').replace(/ (\u00b1 .*|\[.*\]|%)$/, '');
    const [, sign, size] = written.match(/^([-+]?)(\S+)$/) ?? ['', '', ''];
    if (/^inf(inity)?$/i.test(size)) return sign === '-' ? -Infinity : Infinity;
    const digits = size.replaceAll(/,(?=\d{3}(?!\d))/g, '');
    return /^(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(digits) ? Number(sign + digits) : NaN;
  };
  const inOrder = new Intl.Collator('en', {numeric: true}).compare;
  const isEmpty = text => text === '' || text === '\u2013';

  const fewestFiltered = 12;  // rows of a table with a box that filters

  class SortedTable {
    constructor(table, number) {
      this.table = table;
      this.name = `table-${number + 1}`;
      this.headCells = [...table.tHead.rows[0].cells];
      this.heads = this.headCells.map(cell => cell.textContent);
      this.rows = [...table.tBodies[0].rows];
      this.texts = this.rows.map(row => [...row.cells].map(cell => cell.textContent));
      this.shown = this.rows.map(() => true);
      this.marks = [];
      this.sorted = -1;
      this.direction = 1;
      this.headCells.forEach((cell, i) => {
        cell.textContent = '';
        cell.append(button(this.heads[i], () => this.sort(i)));
      });
      this.addTools();
    }

    // Numbers by value, then other texts, empty cells last.
    sort(column) {
      this.direction = column === this.sorted ? -this.direction : 1;
      this.sorted = column;
      const keys = this.texts.map(cells => {
        const number = numberIn(cells[column]);
        return isEmpty(cells[column]) ? null : Number.isNaN(number) ? cells[column] : number;
      });
      const order = (a, b) => {
        const [x, y] = [keys[a], keys[b]];
        if (x === null || y === null) return (x === null) - (y === null);
        if (typeof x !== typeof y) return (typeof x === 'number' ? -1 : 1) * this.direction;
        const sign = typeof x === 'string' ? inOrder(x, y) : x === y ? 0 : x < y ? -1 : 1;
        return sign * this.direction;
      };
      const indices = this.rows.map((_, i) => i).sort((a, b) => order(a, b) || a - b);
      this.table.tBodies[0].append(...indices.map(i => this.rows[i]));
      this.headCells.forEach((cell, i) => {
        cell.setAttribute('aria-sort', i !== column ? 'none'
                          : this.direction > 0 ? 'ascending' : 'descending');
      });
    }

    // A column by the beginning of its name, without capitals and signs.
    columnNamed(word) {
      const names = this.heads.map(head => head.toLowerCase().replaceAll(/\W/g, ''));
      const same = names.indexOf(word);
      return same >= 0 ? same : names.findIndex(name => name.startsWith(word));
    }

    // Every word is text of the row, or a comparison of a column: bits<=4.5 scale=e8m0. Texts have
    // no order.
    testOf(word) {
      const parts = word.match(/^(\w+)(<=|>=|!=|=|<|>)(.+)$/);
      const column = parts ? this.columnNamed(parts[1]) : -1;
      if (column < 0) return cells => cells.some(cell => cell.toLowerCase().includes(word));
      const wanted = numberIn(parts[3]), sign = parts[2];
      return cells => {
        const number = numberIn(cells[column]);
        const same = cells[column].toLowerCase() === parts[3] || number === wanted;
        if (sign === '=') return same;
        if (sign === '!=') return !same;
        if (sign === '<=') return number <= wanted;
        if (sign === '>=') return number >= wanted;
        return sign === '<' ? number < wanted : number > wanted;
      };
    }

    filter(text) {
      const words = text.toLowerCase().split(/\s+/).filter(word => word);
      const tests = words.map(word => this.testOf(word));
      this.rows.forEach((row, i) => {
        this.shown[i] = tests.every(test => test(this.texts[i]));
        row.hidden = !this.shown[i];
      });
      this.marks.forEach(mark => mark.classList.toggle('away', !this.shown[mark.dataset.p]));
      this.count.textContent =
          `${this.shown.filter(shown => shown).length} of ${this.rows.length} rows`;
    }

    addTools() {
      const tools = element('p', {className: 'tools'});
      if (this.rows.length >= fewestFiltered) {
        const box = element('input', {
          type: 'search', placeholder: 'filter: words, column<=number',
          oninput: () => this.filter(box.value)});
        box.setAttribute('aria-label', 'filter rows');
        this.count = element('span', {className: 'quiet'});
        tools.append(box, this.count);
      }
      tools.append(button('CSV', () => this.saveRows()));
      this.table.parentElement.before(tools);
      if (this.count) this.filter('');
    }

    saveRows() {
      const rows = [...this.table.tBodies[0].rows].filter(row => !row.hidden);
      save(this.name + '.csv', 'text/csv', csvOf(
          [this.heads, ...rows.map(row => [...row.cells].map(cell => cell.textContent))]));
    }
  }

  const tables = [...document.querySelectorAll('main .scroll > table')]
      .filter(table => table.tHead && !table.closest('.card'))
      .map((table, number) => new SortedTable(table, number));
  // The table whose rows the marks of the page number.
  const explored = tables.find(one => one.table.closest('.explored'));
  if (explored) explored.marks = [...document.querySelectorAll('circle[data-p]')];

  // A drawing with the page's style, whose colours its own root then has.
  const svgText = svg => {
    const copy = svg.cloneNode(true);
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    const style = document.createElementNS('http://www.w3.org/2000/svg', 'style');
    style.textContent = document.querySelector('style').textContent;
    copy.prepend(style);
    return new XMLSerializer().serializeToString(copy);
  };
  const nameOf = shape => shape.querySelector('title')?.textContent ?? '';
  // Points as rows of the table, curves by their points, other marks by what they show under the
  // pointer.
  const csvOfFigure = svg => {
    const points = [...svg.querySelectorAll('circle[data-p]')];
    if (points.length) {
      return csvOf([explored.heads, ...points.map(mark => explored.texts[mark.dataset.p])]);
    }
    const curves = [...svg.querySelectorAll('path[data-xy]')];
    if (curves.length) {
      return csvOf([['line', 'x', 'y'], ...curves.flatMap(curve => curve.dataset.xy.split(';').map(
          pair => [nameOf(curve), ...pair.split(' ')]))]);
    }
    return csvOf([['mark'], ...[...svg.querySelectorAll('title')].map(t => [t.textContent])]);
  };

  // Labels of lines, and words of a legend.
  const styleOf = label => label.getAttribute('class').match(/\b[kt](\d)\b/)?.[1];
  const turn = (svg, label) => {
    const style = styleOf(label), off = label.classList.toggle('off');
    label.setAttribute('aria-pressed', String(!off));
    svg.querySelectorAll(`.c${style},.f${style}`)
        .forEach(shape => shape.classList.toggle('off', off));
  };
  const labelsOf = svg => [...svg.querySelectorAll('text.label,text.key')].filter(styleOf);

  document.querySelectorAll('main svg').forEach((svg, number) => {
    if (!svg.querySelector('text.title')) return;
    const tools = element('p', {className: 'tools'}), name = `figure-${number + 1}`;
    tools.append(button('SVG', () => save(name + '.svg', 'image/svg+xml', svgText(svg))),
                 button('CSV', () => save(name + '.csv', 'text/csv', csvOfFigure(svg))));
    svg.after(tools);
    const labels = labelsOf(svg);
    if (labels.length > 1) labels.forEach(label => {
      Object.entries({role: 'button', tabindex: '0', 'aria-pressed': 'true'})
          .forEach(([key, value]) => label.setAttribute(key, value));
      label.addEventListener('click', () => turn(svg, label));
      label.addEventListener('keydown', event => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        turn(svg, label);
      });
    });
  });
  if (!explored) return;

  // Details of the mark under the pointer, or of the one that a finger chose.
  const card = element('div', {className: 'details', hidden: true});
  document.body.append(card);
  const show = (mark, x, y) => {
    const cells = explored.texts[mark.dataset.p], list = element('dl');
    explored.heads.forEach((head, i) => {
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
