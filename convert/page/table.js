// table.js - all functions as a plain table: of the zoomed part, filtered by the search.

const tableRows = 500;

class Table {
    constructor(view, box, pick) {
        this.view = view;
        this.box = box;
        this.pick = pick; // told which name was chosen
        this.by = 'self';
        this.down = true;
        for (const button of box.querySelectorAll('button[data-sort]'))
            button.addEventListener('click', () => this.sort(button.dataset.sort));
    }

    sort(by) {
        this.down = by === this.by ? !this.down : by !== 'name';
        this.by = by;
        this.build();
    }

    build() {
        const {view, box} = this, {names, found, state} = view, root = state.reverse ? 0 : view.zoomed;
        const sums = functions(view.forward, root, names.n), whole = view.forward.total[root];
        const ids = [];

        for (let id = 0; id < names.n; id++)
            if (sums.total[id] > 0 && (!found || found.error || found.hit[id]))
                ids.push(id);
        const sign = this.down ? -1 : 1, key = sums[this.by];
        ids.sort(key ? (a, b) => sign * (key[a] - key[b]) || a - b : (a, b) => sign * (a - b));
        for (const button of box.querySelectorAll('button[data-sort]')) {
            const th = button.parentNode;
            th.removeAttribute('aria-sort');
            if (button.dataset.sort === this.by)
                th.setAttribute('aria-sort', this.down ? 'descending' : 'ascending');
        }
        box.querySelector('caption').textContent = plural(ids.length, 'function') +
            (root > 0 ? ' in ' + view.nameOf(root) : '') + (ids.length > tableRows ? `, the first ${tableRows} shown` : '');
        box.querySelector('tbody').replaceChildren(...ids.slice(0, tableRows).map((id) => this.line(id, sums, whole)));
    }

    line(id, sums, whole) {
        const row = document.createElement('tr'), unit = this.view.head.unit;
        const name = element('button', cut(visible(this.view.names.get(id)), 500), {type: 'button'});

        name.addEventListener('click', () => this.pick(id));
        for (const v of [sums.self[id], sums.total[id]]) {
            const cell = element('td', weightText(v, unit) + ' ');
            cell.append(element('span', percentText(v, whole)));
            cell.style.backgroundSize = (whole > 0 ? 100 * v / whole : 0) + '% 100%';
            row.append(cell);
        }
        const cell = document.createElement('th');
        cell.scope = 'row';
        cell.append(name);
        row.append(cell);
        return row;
    }
}
