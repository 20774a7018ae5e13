// view.js - one graph on one canvas: which tree, which part of it, and how that changes.

const easeTime = 120; // ms

class View {
    constructor(page, canvas, down) {
        this.page = page;
        this.names = page.names;
        this.down = down; // the root on top, whatever the page says
        this.painter = new Painter(canvas, page.names);
        this.bars = new Bars();
        this.focused = false; // does the keyboard act on the graph
        this.hover = -1;
        this.calm = matchMedia('(prefers-reduced-motion: reduce)');
        this.back = []; // what was zoomed before
        this.zoomed = this.focus = 0;
    }

    get state() {
        return this.page.state;
    }

    get icicle() {
        return this.down || (this.state.icicle && this.page.view === this && !this.state.sandwich);
    }

    get whole() {
        return this.tree.total[0];
    }

    // Shows a tree; the same one with other weights keeps what is zoomed.
    set(tree, zoom) {
        const isNew = tree !== this.tree;

        if (isNew)
            this.back = [];
        this.tree = tree;
        this.zoomed = zoom > 0 && zoom < tree.n && tree.total[zoom] > 0 ? zoom : 0;
        if (isNew || !(tree.total[this.focus] > 0))
            this.focus = this.zoomed;
        this.motion = null;
        this.hover = -1;
        this.range = this.rangeOf(this.zoomed);
        this.search();
        this.draw();
    }

    // The range that shows `node` over the whole width, and its row not too far from the edge.
    rangeOf(node) {
        const {tree, painter, icicle} = this, from = tree.startOf(node);
        const range = {from, to: from + (tree.total[node] || 1), scroll: 0, icicle};
        const rows = painter.rows(), row = tree.depth[node];

        if (row > rows * 0.6)
            range.scroll = (row - Math.floor(rows / 4)) * painter.rowHeight;
        return this.clamp(range);
    }

    // Keeps a range inside the graph.
    clamp(range) {
        const {painter, whole} = this;
        const width = Math.min(Math.max(range.to - range.from, whole * 1e-9), whole || 1);

        range.from = Math.min(Math.max(range.from, 0), (whole || 1) - width);
        range.to = range.from + width;
        if (range.scroll > 0) {
            const rows = layout(this.tree, range, painter.width, 1, 0, new Bars()) + 1;
            range.scroll = Math.min(range.scroll, rows * painter.rowHeight - (painter.height - rulerHeight));
        }
        range.scroll = Math.max(range.scroll, 0);
        return range;
    }

    // Goes to a range, at once or eased.
    go(range, eased = true) {
        const start = performance.now(), old = this.range;

        this.motion = null;
        if (!eased || this.calm.matches) {
            this.range = range;
            this.draw();
            return;
        }
        const step = (now) => {
            if (this.motion !== step)
                return;
            const t = Math.min(Math.max((now - start) / easeTime, 0), 1), part = 1 - (1 - t) ** 3;
            const mix = (a, b) => a + (b - a) * part;
            this.range = t === 1 ? range : {from: mix(old.from, range.from), to: mix(old.to, range.to),
                scroll: mix(old.scroll, range.scroll), icicle: range.icicle};
            this.paint();
            if (t < 1)
                requestAnimationFrame(step);
            else
                this.motion = null;
        };
        this.motion = step;
        requestAnimationFrame(step);
    }

    // Moves by pixels.
    pan(dx, dy) {
        const {from, to, scroll, icicle} = this.range, w = dx * (to - from) / this.painter.width;

        this.go(this.clamp({from: from + w, to: to + w, scroll: scroll + (icicle ? dy : -dy), icicle}), false);
    }

    // Zooms by `factor` around the pixel column x.
    scale(factor, x, eased) {
        const {from, to, scroll, icicle} = this.range, at = from + (to - from) * x / this.painter.width;

        this.go(this.clamp({from: at - (at - from) / factor, to: at + (to - at) / factor, scroll, icicle}), eased);
    }

    zoomTo(node, remember = true) {
        if (remember && node !== this.zoomed)
            this.back.push(this.zoomed);
        this.zoomed = node;
        this.setFocus(node);
        this.go(this.rangeOf(node));
        this.page.changed();
        this.page.say(node === 0 ? this.page.isFiltered() ? 'Showing the whole selection' : 'Showing everything' : 'Zoomed to ' + this.nameOf(node) + ', ' + this.share(node));
    }

    zoomBack() {
        this.zoomTo(this.back.length > 0 ? this.back.pop() : this.tree.parent[this.zoomed], false);
    }

    setFocus(node) {
        this.focus = node;
        this.page.moved();
        this.draw();
    }

    // Focuses a node and sees to it that it can be seen: not out of the window, not a sliver.
    show(node) {
        const {tree, painter, range} = this, px = painter.width / (range.to - range.from);
        const x = (tree.startOf(node) - range.from) * px, w = tree.total[node] * px;
        const y = painter.top(tree.depth[node], range);

        this.setFocus(node);
        if (x + w <= 8 || x >= painter.width - 8 || w < 8) {
            let around = node;
            while (around > 0 && tree.total[around] < 8 * tree.total[node])
                around = tree.parent[around];
            this.zoomTo(around);
            this.setFocus(node);
        }
        if (y < rulerHeight || y + painter.rowHeight > painter.height) {
            const scroll = (tree.depth[node] - Math.floor(painter.rows() / 2)) * painter.rowHeight;
            const goal = this.motion ? this.rangeOf(this.zoomed) : this.range;
            this.go(this.clamp({...goal, scroll}));
        }
    }

    search() {
        this.found = search(this.tree, this.names, this.state.query, (contexts) => partOf(this.page, contexts, this.tree));
        this.match = -1; // which of found.nodes was visited last
    }

    nextMatch(step) {
        const n = this.found ? this.found.nodes.length : 0;

        if (n === 0)
            return;
        this.match = this.match < 0 ? step > 0 ? 0 : n - 1 : (this.match + step + n) % n;
        this.show(this.found.nodes[this.match]);
        this.page.changed();
        this.page.say(`Match ${this.match + 1} of ${n}: ${this.nameOf(this.focus)}, ${this.share(this.focus)}`);
    }

    nameOf(node) {
        return node === 0 ? 'all' : cut(visible(this.names.get(this.tree.name[node])), 500);
    }

    share(node) {
        const {tree} = this;

        return tree.a ? `${this.page.compare.text('base', tree.a[node])} \u2192 ${this.page.compare.text('sums', tree.b[node])}`
            : percentText(tree.total[node], this.whole);
    }

    // What is known about a node: pairs of a label and a text.
    facts(node) {
        const {tree, page, zoomed, whole} = this, total = tree.total[node], self = tree.self[node];
        const out = node === 0 ? [] : [['Type', frameTypes[tree.type[node]]]];

        if (tree.a)
            return [...out, ...page.compare.facts(tree.a[node], tree.b[node]),
                ['Self', `${page.compare.text('base', tree.selfA[node])} \u2192 ${page.compare.text('sums', tree.selfB[node])}`]];
        out.push(['Total', page.amount(total, whole)]);
        if (zoomed > 0 && node > zoomed && node < tree.end[zoomed])
            out.push(['', percentText(total, tree.total[zoomed]) + ' of ' + cut(this.nameOf(zoomed), 60)]);
        if (!this.state.reverse && !this.state.sandwich)
            out.push(['Self', page.amount(self, whole)]);
        return out;
    }

    draw() {
        if (this.waiting || this.motion)
            return;
        this.waiting = requestAnimationFrame(() => this.paint());
    }

    // Paints everything, on the screen or with another painter.
    paint(painter = this.painter) {
        const {tree, range, bars, page} = this, start = performance.now();
        const first = Math.max(Math.floor(range.scroll / painter.rowHeight), 0);

        if (painter === this.painter) {
            cancelAnimationFrame(this.waiting);
            this.waiting = 0;
        }
        this.deepest = layout(tree, range, painter.width, first, first + painter.rows() + 1, bars);
        painter.paint({tree, view: range, bars, colours: page.colours, found: this.found, zoomed: this.zoomed,
            match: this.match >= 0 ? this.found.nodes[this.match] : -1,
            focus: this.focused ? this.focus : -1, hover: this.hover, deepest: this.deepest,
            quiet: tree.a && this.state.quiet, strength: tree.a && ((node) => page.compare.strength(tree.a[node], tree.b[node])), rootLabel: page.rootLabel(this)});
        page.count('paint', start);
        page.painted(this);
    }

    resize() {
        this.painter.resize();
        this.hover = -1;
        if (this.tree) {
            this.go(this.clamp({...(this.motion ? this.rangeOf(this.zoomed) : this.range)}), false);
            this.paint(); // a canvas of a new size is black, and the next frame comes after this one is shown
        }
    }
}
