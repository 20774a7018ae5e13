// table.js - all functions as a plain table: of the zoomed part, filtered by the search.

const tableRows = 500;

class Table {
    constructor(page, box) {
        this.page = page;
        this.box = box;
        this.by = 'self';
        this.down = true;
    }

    // What stands in front of the name: key, title, weights by function, text of a weight.
    columns() {
        const {page} = this, {view, forward, names} = page, root = page.state.reverse ? 0 : view.tree.placeIn(forward, view.zoomed);
        const {self, total} = functions(forward, root, names.n), whole = forward.total[root];

        this.root = root;
        this.occurs = total[0];
        if (!forward.a)
            return [['self', 'Self', self[0]], ['total', 'Total', total[0]]].map(([key, title, v]) =>
                ({key, title, v, text: (x) => weightText(x, page.unit), small: (x) => percentText(x, whole) + page.error(x, whole), whole}));
        const change = total[1].map((a, i) => total[2][i] - a);
        const a = (v) => page.compare.text('base', v), b = (v) => page.compare.text('sums', v);
        const points = (x, i) => page.state.norm === 'samples' ? pointsText(x) : total[1][i] > 0 ? percentText(Math.abs(x), total[1][i]).replace(/^/, x < 0 ? '\u2212' : '+') : 'new';
        return [{key: 'selfa', title: 'Self A', v: self[1], text: a}, {key: 'self', title: 'Self B', v: self[2], text: b}, {key: 'a', title: 'A', v: total[1], text: a},
            {key: 'total', title: 'B', v: total[2], text: b}, {key: 'change', title: 'Change', v: change,
                order: change.map(Math.abs), text: points, small: (x, i) => page.compare.isNoise(total[1][i], total[2][i]) ? 'noise' : ''}]
            .map((column) => ({whole: 1, ...column}));
    }

    // The functions to show, in order.
    ids(columns) {
        const {view, names} = this.page, {found} = view, ids = [], sign = this.down ? -1 : 1;
        const by = columns.find((c) => c.key === this.by), key = by && (by.order ?? by.v);

        const {state, forward} = this.page, isNoise = (id) => state.quiet && forward.a && this.page.compare.isNoise(columns[2].v[id], columns[3].v[id]);
        for (let id = 0; id < names.n; id++)
            if (this.occurs[id] > 0 && (!found || found.error || found.hit[id]) && !isNoise(id))
                ids.push(id);
        return ids.sort(key ? (a, b) => sign * (key[a] - key[b]) || a - b : (a, b) => sign * (a - b));
    }

    build() {
        const {box, page} = this, columns = this.columns(), ids = this.ids(columns), {root} = this, row = element('tr');

        for (const {key, title} of [...columns, {key: 'name', title: 'Function'}]) {
            const th = element('th', '', {scope: 'col'}), sort = button(title, '', () => {
                this.down = key === this.by ? !this.down : key !== 'name';
                this.by = key;
                this.build();
                box.querySelector(`[data-sort=${key}]`).focus();
            });
            sort.dataset.sort = key;
            if (key === this.by)
                th.setAttribute('aria-sort', this.down ? 'descending' : 'ascending');
            th.append(sort);
            row.append(th);
        }
        box.querySelector('thead').replaceChildren(row);
        box.querySelector('caption').textContent = plural(ids.length, 'function') +
            (root > 0 ? ' in ' + page.view.nameOf(page.view.zoomed) : '') + (ids.length > tableRows ? `, the first ${tableRows} shown` : '');
        box.querySelector('tbody').replaceChildren(...ids.slice(0, tableRows).map((id) => this.line(id, columns)));
    }

    line(id, columns) {
        const row = element('tr'), cell = element('th', '', {scope: 'row'}), {page} = this;

        for (const {v, text, small, whole} of columns) {
            const td = element('td', text(v[id], id) + ' ');
            td.append(element('span', small ? small(v[id], id) : ''));
            td.style.backgroundSize = barSize(v[id], whole, page.state.log);
            row.append(td);
        }
        cell.append(button(cut(visible(page.names.get(id)), 500), '', () => page.pick(id)));
        row.append(cell);
        return row;
    }

    csv() {
        const columns = this.columns(), quote = (text) => '"' + text.replaceAll('"', '""') + '"';
        const lines = [['function', ...columns.map((c) => c.key)].join(',')];

        for (const id of this.ids(columns)) // a leading = + - @ would be a formula to some readers
            lines.push([quote(this.page.names.get(id).replace(/^(?=[=+\-@\t\r])/, "'")), ...columns.map((c) => c.v[id])].join(','));
        return lines.join('\n') + '\n';
    }
}
