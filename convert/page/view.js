// view.js - what is shown: which tree, which part of it, what was searched; and how that changes.

const easeTime = 120; // ms

class View {
    constructor(head, data, canvas, hooks) {
        this.head = head;
        this.names = data.names;
        this.forward = new Tree(data);
        this.backward = null;
        this.whole = this.forward.total[0];
        this.hooks = hooks; // changed(), moved()
        this.say = hooks.say; // tells a screen reader, too
        this.painter = new Painter(canvas, this.names);
        this.bars = new Bars();
        this.focused = false; // does the keyboard act on the graph
        this.hover = -1;
        this.calm = matchMedia('(prefers-reduced-motion: reduce)');
    }

    // Takes over a state of the address; the first time, this completes the view.
    apply(state) {
        this.state = state;
        this.tree = this.forward;
        if (state.reverse)
            this.tree = this.backward ??= reverse(this.forward);
        this.zoomed = state.zoom > 0 && state.zoom < this.tree.n ? state.zoom : 0;
        this.focus = this.zoomed;
        this.back = []; // what was zoomed before
        this.range = this.rangeOf(this.zoomed);
        this.recolour();
        this.search(state.query);
    }

    recolour() {
        const {theme, palette} = this.state;

        this.dark = theme === 'dark' || (theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
        this.colours = makeColours(this.dark, palette);
        this.draw();
    }

    changed() {
        this.state.zoom = this.zoomed;
        this.hooks.changed();
        this.draw();
    }

    // The range that shows `node` over the whole width, and its row not too far from the edge.
    rangeOf(node) {
        const {tree, painter} = this, from = tree.start[node], icicle = this.state.icicle;
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
        const rows = layout(this.tree, range, painter.width, 1, 0, new Bars()) + 1;
        const room = rows * painter.rowHeight - (painter.height - rulerHeight);
        range.scroll = Math.max(0, Math.min(range.scroll, room));
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
        this.changed();
        this.say(node === 0 ? 'Showing everything' : 'Zoomed to ' + this.nameOf(node) + ', ' + this.share(node));
    }

    zoomBack() {
        this.zoomTo(this.back.length > 0 ? this.back.pop() : this.tree.parent[this.zoomed], false);
    }

    setFocus(node) {
        this.focus = node;
        this.hooks.moved();
        this.draw();
    }

    // Focuses a node and sees to it that it can be seen: not out of the window, not a sliver.
    show(node) {
        const {tree, painter, range} = this, px = painter.width / (range.to - range.from);
        const x = (tree.start[node] - range.from) * px, w = tree.total[node] * px;
        const y = painter.top(tree.depth[node], range);
        const visible = x + w > 8 && x < painter.width - 8;

        this.setFocus(node);
        if (!visible || w < 8) {
            let around = node;
            while (around > 0 && tree.total[around] < 8 * tree.total[node])
                around = tree.parent[around];
            this.zoomTo(around);
            this.setFocus(node);
        }
        if (y < rulerHeight || y + painter.rowHeight > painter.height) {
            const scroll = (tree.depth[node] - Math.floor(painter.rows() / 2)) * painter.rowHeight;
            this.go(this.clamp({...this.goal(), scroll}));
        }
    }

    // Where the view is, or is going to.
    goal() {
        return this.motion ? this.rangeOf(this.zoomed) : this.range;
    }

    search(text) {
        this.state.query = text;
        this.found = search(this.tree, this.names, text);
        this.match = -1; // which of found.nodes was visited last
        this.changed();
    }

    nextMatch(step) {
        const n = this.found ? this.found.nodes.length : 0;

        if (n === 0)
            return;
        this.match = this.match < 0 ? step > 0 ? 0 : n - 1 : (this.match + step + n) % n;
        this.show(this.found.nodes[this.match]);
        this.changed();
        this.say(`Match ${this.match + 1} of ${n}: ${this.nameOf(this.focus)}, ${this.share(this.focus)}`);
    }

    toggle(key) {
        this.state[key] = !this.state[key];
        if (key === 'icicle') {
            this.range = this.clamp({...this.range, icicle: this.state.icicle});
        } else if (key === 'reverse') {
            const name = this.focus > 0 ? this.tree.name[this.focus] : -1;
            this.apply({...this.state, zoom: 0});
            if (this.state.reverse && name >= 0)
                this.setFocus(this.tree.siblings(1).find((i) => this.tree.name[i] === name) ?? 0);
        }
        this.changed();
    }

    nameOf(node) {
        return node === 0 ? 'all' : cut(visible(this.names.get(this.tree.name[node])), 500);
    }

    share(node) {
        return percentText(this.tree.total[node], this.whole);
    }

    // What is known about a node: pairs of a label and a text.
    facts(node) {
        const {tree, head, zoomed} = this, total = tree.total[node], unit = head.unit;
        const out = [['Type', frameTypes[tree.type[node]]],
            ['Total', `${weightText(total, unit)}, ${percentText(total, this.whole)}`]];

        if (node === 0)
            out.shift();
        if (zoomed > 0 && node > zoomed && node < tree.end[zoomed])
            out.push(['', percentText(total, tree.total[zoomed]) + ' of ' + cut(this.nameOf(zoomed), 60)]);
        if (tree === this.forward)
            out.push(['Self', `${weightText(tree.self[node], unit)}, ${percentText(tree.self[node], this.whole)}`]);
        if (tree.hidden !== null && tree.hidden[node] > 0)
            out.push(['Not shown', `${weightText(tree.hidden[node], unit)} in smaller frames`]);
        if (tree.samples !== null)
            out.push(['Samples', grouped(tree.samples[node])]);
        return out;
    }

    draw() {
        if (this.waiting || this.motion)
            return;
        this.waiting = true;
        requestAnimationFrame(() => {
            this.waiting = false;
            this.paint();
        });
    }

    paint() {
        const {painter, range, bars} = this, rows = painter.rows();
        const first = Math.max(Math.floor(range.scroll / painter.rowHeight), 0);

        this.deepest = layout(this.tree, range, painter.width, first, first + rows + 1, bars);
        painter.paint({tree: this.tree, view: range, bars, colours: this.colours, found: this.found,
            zoomed: this.zoomed, focus: this.focused ? this.focus : -1, hover: this.hover, deepest: this.deepest,
            rootLabel: 'all: ' + weightText(this.whole, this.head.unit)});
    }

    resize() {
        this.painter.resize();
        this.hover = -1;
        this.go(this.clamp({...this.goal()}), false);
    }
}
