// table.js - all functions as a plain table: of the zoomed part, filtered by the search.

const tableRows = 500;
const firstRows = 60; // at once; the others come after the next frame

class Table {
    constructor(page, box) {
        this.page = page;
        this.box = box;
        this.sorting = new Sorting(() => {
            this.build();
            box.querySelector(`[data-sort=${this.sorting.by}]`).focus();
        }, 'self');
    }

    columns() {
        const {page} = this, {view, forward, names} = page, root = page.state.reverse ? 0 : view.tree.placeIn(forward, view.zoomed);
        const {self, total} = functions(forward, root, names.n);

        this.root = root;
        this.occurs = total[0];
        return columnsOf(page, {self: self[0], total: total[0], selfA: self[1], selfB: self[2], a: total[1], b: total[2]}, forward.total[root]);
    }

    // The functions to show, in order.
    ids(columns) {
        const {view, names, state, forward, compare} = this.page, {found} = view, ids = [], side = (key) => columns.find((c) => c.key === key)?.v;
        const a = side('a'), b = side('total'), isHidden = (id) => state.quiet && forward.a && compare.isNoise(a[id], b[id]);

        for (let id = 0; id < names.n; id++)
            if (this.occurs[id] > 0 && (!found || found.error || found.hit[id]) && !isHidden(id))
                ids.push(id);
        return this.sorting.sort(ids, columns);
    }

    build() {
        const {box, page, sorting} = this, columns = this.columns(), ids = this.ids(columns), {root} = this, row = element('tr');

        row.append(...[...columns, {key: 'name', title: 'Function'}].map((column) => sorting.head('th', column, columns)));
        box.querySelector('thead').replaceChildren(row);
        box.querySelector('caption').textContent = plural(ids.length, 'function') +
            (root > 0 ? ' in ' + page.view.nameOf(page.view.zoomed) : '') + (ids.length > tableRows ? `, the first ${tableRows} shown` : '');
        const lines = (from, to) => ids.slice(from, to).map((id) => this.line(id, columns)), body = box.querySelector('tbody');
        body.replaceChildren(...lines(0, firstRows));
        page.later('table', () => body.children.length === firstRows && body.append(...lines(firstRows, tableRows)));
    }

    line(id, columns) {
        const row = element('tr'), cell = element('th', '', {scope: 'row'}), {page} = this;

        cell.append(button(cut(visible(page.names.get(id)), 500), '', () => page.pick(id)));
        row.append(...columns.map((column) => cellOf('td', column, id)), cell);
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
