// calltree.js - the graph as a tree with columns. Only the rows that can be seen are in the document; keys act on the
// focused frame, as in the graph, and screen readers follow in twin.js.

const treeIndent = 40; // levels that are indented; deeper ones are not indented any further
const hotPart = 0.2; // of the whole: frames this wide are open at first

class CallTree {
    constructor(page, box) {
        this.page = page;
        this.box = box;
        this.head = element('div', '', {class: 'head'});
        this.space = element('div', '', {class: 'rows', 'aria-hidden': true}); // as high as all rows would be
        box.append(this.head, this.space);
        this.sorting = new Sorting(() => {
            this.build();
            this.head.querySelector(`[data-sort=${this.sorting.by}]`).focus();
        }, 'total');
        box.addEventListener('scroll', () => this.paint());
        this.space.addEventListener('click', (e) => this.press(e));
        this.space.addEventListener('dblclick', (e) => this.nodeAt(e) >= 0 && page.view.zoomTo(this.nodeAt(e)));
    }

    // Takes over the page's tree. What was open stays open while the tree is the same.
    build() {
        const {page} = this, {tree, zoomed} = page.view;

        if (this.tree !== tree) {
            this.tree = tree;
            this.open = new Set();
            for (let i = 0; i < tree.n; i = tree.total[i] >= hotPart * tree.total[0] ? (this.open.add(i), i + 1) : tree.end[i])
                ;
        }
        this.root = zoomed;
        this.open.add(zoomed);
        this.columns = columnsOf(page, page.state.reverse ? {...tree, self: tree.total} : tree, tree.total[0], true)
            .filter(({key}) => !page.state.reverse || !key.startsWith('self'));
        this.head.replaceChildren(...[...this.columns, {key: 'origin', title: 'Origin'}, {key: 'name', title: 'Frame'}].map((column) =>
            column.key === 'origin' ? element('span', column.title, {'data-of': 'origin'}) : this.sorting.head('span', column, this.columns)));
        this.box.style.setProperty('--columns', this.columns.map(({key}) => key === 'change' ? '11rem' : '8.5rem').join(' '));
        this.sorted = new Map(); // children in order, by node
        this.list();
        this.reveal(page.view.focus);
    }

    children(node) {
        if (!this.sorted.has(node))
            this.sorted.set(node, this.sorting.sort(this.tree.children(node), this.columns));
        return this.sorted.get(node);
    }

    // The rows: nodes in order, whose callers are all open.
    list() {
        const todo = [this.root];

        this.rows = [];
        while (todo.length > 0) {
            const node = todo.pop();
            this.rows.push(node);
            if (this.open.has(node))
                for (const child of [...this.children(node)].reverse())
                    todo.push(child);
        }
        this.places = new Map(this.rows.map((node, row) => [node, row]));
    }

    // Opens what leads to a node and scrolls it into sight.
    reveal(node) {
        const {tree, box, root} = this, path = tree.path(node).slice(0, -1);
        const isInside = node >= root && node < tree.end[root];

        if (isInside && !this.places.has(node)) {
            path.forEach((i) => i >= root && this.open.add(i));
            this.list();
        }
        const row = this.places.get(node), {rowHeight} = this.measure();
        if (row !== undefined && (row * rowHeight < box.scrollTop || (row + 2) * rowHeight + this.head.offsetHeight > box.scrollTop + box.clientHeight))
            box.scrollTop = (row + 1) * rowHeight - box.clientHeight / 2;
        this.paint();
    }

    measure() {
        return {rowHeight: 1.5 * (parseFloat(getComputedStyle(document.documentElement).fontSize) || 16)};
    }

    // Puts the rows into the document that can be seen.
    paint() {
        const {box, rows, space} = this, {rowHeight} = this.measure(), first = Math.max(Math.floor(box.scrollTop / rowHeight) - 4, 0);
        const last = Math.min(first + Math.ceil(box.clientHeight / rowHeight) + 8, rows.length);

        space.style.height = rows.length * rowHeight + 'px';
        space.replaceChildren(...rows.slice(first, last).map((node, k) => {
            const row = this.row(node);
            row.style.top = (first + k) * rowHeight + 'px';
            return row;
        }));
    }

    row(node) {
        const {page, tree, columns, open, root} = this, {view, colours, names} = page, {found} = view, row = element('div', '', {class: 'row'});
        const origin = node > 0 ? origins[originOf(names.get(tree.name[node]), tree.type[node])] : '', name = element('span', '', {class: 'name'});
        const hasMore = tree.firstChild(node) >= 0 && tree.children(node).length > 0, twisty = element('b', hasMore ? open.has(node) ? '\u25be' : '\u25b8' : '');

        row.dataset.node = node;
        row.classList.toggle('focus', node === view.focus);
        row.classList.toggle('match', Boolean(found && !found.error && found.nodes[lowerBound(found.nodes, node)] === node));
        name.style.paddingInlineStart = `calc(${Math.min(tree.depth[node] - tree.depth[root], treeIndent)} * var(--indent))`;
        name.append(twisty, chip(view.painter.middleColour(colours, tree, node)), element('span', view.nameOf(node)));
        row.append(...columns.map((column) => cellOf('span', column, node)), element('span', origin, {'data-of': 'origin'}), name);
        return row;
    }

    nodeAt(e) {
        const row = e.target.closest('.row');

        return row ? Number(row.dataset.node) : -1;
    }

    press(e) {
        const {page} = this, node = this.nodeAt(e);

        if (node < 0)
            return;
        page.grid.focus({preventScroll: true});
        if (e.target.tagName === 'B')
            this.toggle(node);
        page.view.setFocus(node);
    }

    toggle(node, open = !this.open.has(node)) {
        if (open)
            this.open.add(node);
        else
            this.open.delete(node);
        this.list();
        this.paint();
    }

    // The row that is `step` rows away from the focused frame.
    beside(step) {
        const {rows, places} = this, at = places.get(this.page.view.focus) ?? 0;

        return rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
    }

    // What the keys do that walk: {key: act}.
    keys() {
        const {page} = this, {view} = page, go = (node) => view.setFocus(node), page1 = () => Math.floor(this.box.clientHeight / this.measure().rowHeight) - 2;

        return {
            ArrowUp: () => go(this.beside(-1)),
            ArrowDown: () => go(this.beside(1)),
            Home: () => go(this.rows[0]),
            End: () => go(this.rows.at(-1)),
            PageUp: () => go(this.beside(-page1())),
            PageDown: () => go(this.beside(page1())),
            ArrowRight: () => this.open.has(view.focus) ? go(this.children(view.focus)[0] ?? view.focus) : this.toggle(view.focus, true),
            ArrowLeft: () => this.open.has(view.focus) && view.focus !== this.root ? this.toggle(view.focus, false)
                : go(view.focus === this.root ? this.root : this.tree.parent[view.focus]),
        };
    }
}
