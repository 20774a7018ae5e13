// time.js - the weight over time, where a range can be brushed, and below it the same for each value
// of a dimension as lanes of heat, where a box of rows and time can be.

const laneHeight = 15, lanesMost = 16;

class Strip {
    constructor(page) {
        const {samples} = page, range = byId('range');

        this.page = page;
        this.canvas = byId('strip');
        this.lanes = byId('lanes');
        this.from = 0; // what the strip shows, in ticks
        this.to = samples.last;
        for (const canvas of [this.canvas, this.lanes])
            this.bind(canvas);
        range.addEventListener('submit', (e) => e.preventDefault());
        range.addEventListener('change', (e) => (e.target.id === 'from' || e.target.id === 'to') && this.type());
    }

    // Takes over what was typed, unless it is no time.
    type() {
        const ticks = ['from', 'to'].map((id) => {
            const t = ticksOf(this.page.samples, byId(id).value);
            byId(id).setAttribute('aria-invalid', Number.isNaN(t));
            return t;
        });

        if (!ticks.some(Number.isNaN))
            this.page.change(({choice}) => this.choose(choice, ...ticks));
    }

    choose(choice, from, to) {
        const {last} = this.page.samples;

        choice.from = Math.max(Math.min(from, last - 1), 0);
        choice.to = Math.min(Math.max(to, choice.from + 1), last);
    }

    tickAt(canvas, x) {
        return Math.round(this.from + (this.to - this.from) * (x - this.gutter) / (canvas.clientWidth - this.gutter));
    }

    bind(canvas) {
        let start = null;
        const at = (e) => ({x: e.offsetX, y: Math.max(Math.floor(e.offsetY / laneHeight), 0)});

        canvas.addEventListener('pointerdown', (e) => {
            start = at(e);
            canvas.setPointerCapture(e.pointerId);
        });
        canvas.addEventListener('pointermove', (e) => {
            if (!start)
                return;
            this.brush = {canvas, from: start, to: at(e)};
            this.paint();
        });
        canvas.addEventListener('pointerup', (e) => {
            const end = at(e), from = start;
            start = this.brush = null;
            if (from && (Math.abs(end.x - from.x) > 3 || canvas === this.lanes))
                this.take(canvas, from, end);
            else
                this.paint();
        });
        canvas.addEventListener('dblclick', () => this.page.change(({choice}) => {
            [this.from, this.to] = [0, this.page.samples.last];
            this.choose(choice, 0, Infinity);
        }));
        canvas.addEventListener('wheel', (e) => {
            const mid = this.tickAt(canvas, e.offsetX), f = Math.exp(e.deltaY / 300), {last} = this.page.samples;
            e.preventDefault();
            this.from = Math.max(0, mid - (mid - this.from) * f);
            this.to = Math.min(last, Math.max(mid + (this.to - mid) * f, this.from + 8));
            this.build();
        }, {passive: false});
    }

    // Takes over what was brushed: time, and the rows of lanes.
    take(canvas, a, b) {
        const [x, y] = [Math.min(a.x, b.x), Math.max(a.x, b.x)].map((px) => this.tickAt(canvas, px));
        const rows = canvas === this.lanes ? this.rows.slice(Math.min(a.y, b.y), Math.max(a.y, b.y) + 1) : [];

        this.page.change(({choice}) => {
            if (Math.abs(a.x - b.x) > 3)
                this.choose(choice, x, y);
            if (rows.length > 0)
                Object.assign(choice.picks[this.dim], {only: new Set(rows), not: new Set()});
        });
    }

    // Moves the chosen range by its own length; at first a tenth of all.
    step(way) {
        this.page.change(({choice}) => {
            const {last} = this.page.samples, all = choice.from === 0 && choice.to >= last;
            const width = all ? Math.ceil(last / 10) : choice.to - choice.from;
            const from = all ? way > 0 ? 0 : last - width : Math.min(Math.max(choice.from + way * width, 0), last - width);
            this.choose(choice, from, from + width);
        });
    }

    build() {
        const {page, canvas, lanes} = this, {samples, state} = page, {from, to} = state.choice;
        const width = Math.max(canvas.clientWidth, 1), dim = this.dim = samples.dim(state.lanes);

        this.gutter = dim >= 0 ? Math.floor(Math.min(150, width / 4)) : 0; // one axis for the strip and the lanes
        this.bars = samples.histogram(page.choice, this.from, this.to, Math.max(width - this.gutter, 1));
        lanes.hidden = dim < 0;
        if (dim >= 0) {
            const {texts} = samples.dims[dim], counts = samples.countsOf(dim, page.choice);
            const all = [...texts.keys()].filter((v) => counts[v] > 0).sort((x, y) => counts[y] - counts[x] || x - y);
            this.rows = all.slice(0, lanesMost);
            this.left = all.length - this.rows.length;
            const rows = new Uint8Array(texts.length).fill(255);
            this.rows.forEach((v, row) => rows[v] = row);
            this.bins = Math.max(Math.floor((width - this.gutter) / 4), 1);
            this.heat = samples.histogram(page.choice, this.from, this.to, this.bins, dim, rows, this.rows.length);
            lanes.style.height = (this.rows.length + (this.left > 0 ? 1 : 0)) * laneHeight + 'px';
        }
        for (const [id, tick] of [['from', from], ['to', to]]) {
            byId(id).value = clockOf(samples, tick);
            byId(id).removeAttribute('aria-invalid');
        }
        byId('all-time').hidden = from === 0 && to >= samples.last;
        this.paint();
    }

    paint() {
        const {page, canvas, bars, from, to, gutter} = this, {colours, state} = page, h = canvas.clientHeight, c = sized(canvas, canvas.clientWidth, h);
        const most = bars.reduce((a, b) => a > b ? a : b, 0), scale = (to - from) / bars.length, {choice} = state;

        for (let x = 0; x < bars.length; x++) {
            const t = from + x * scale, high = most > 0 ? Math.ceil((h - 2) * bars[x] / most) : 0;
            c.fillStyle = t + scale > choice.from && t < choice.to ? colours.accent : colours.line;
            c.fillRect(gutter + x, h - high, 1, high);
        }
        this.paintAxis(c);
        this.paintBrush(c, canvas, h);
        if (this.dim >= 0)
            this.paintLanes();
    }

    // Marks with their times, over the bars.
    paintAxis(c) {
        const {page, from, to, gutter, canvas} = this, {samples, colours} = page, px = (canvas.clientWidth - gutter) / (to - from || 1);
        const {step, digits} = axisOf(samples, 90 / px), offset = samples.first / samples.tick;

        c.font = `10px ${getComputedStyle(document.documentElement).fontFamily}`;
        c.textBaseline = 'top';
        c.fillStyle = colours.pale;
        for (let t = Math.ceil((from + offset) / step) * step - offset; t < to; t += step) {
            const x = Math.round(gutter + (t - from) * px);
            c.fillRect(x, 0, 1, 4);
            if (x + 60 < canvas.clientWidth)
                c.fillText(clockOf(samples, t, digits), x + 3, 0);
        }
    }

    paintLanes() {
        const {page, lanes, heat, bins, rows, gutter, from, to} = this, {colours, state, samples} = page, c = sized(lanes, lanes.clientWidth, lanes.clientHeight);
        const most = heat.reduce((a, b) => a > b ? a : b, 0), width = (lanes.clientWidth - gutter) / bins, {name, texts} = samples.dims[this.dim];
        const {only, not} = state.choice.picks[this.dim], style = getComputedStyle(document.documentElement);

        c.font = `11px ${style.fontFamily}`;
        c.textBaseline = 'middle';
        rows.forEach((v, row) => {
            const y = row * laneHeight, off = (only.size > 0 && !only.has(v)) || not.has(v);
            c.fillStyle = off ? colours.pale : colours.text;
            c.fillText(cutMiddle(visible(cut(shownText(name, texts[v]), 200)), gutter / 6.6), 2, y + laneHeight / 2);
            c.globalAlpha = off ? 0.35 : 1;
            for (let x = 0; x < bins; x++) {
                const v = heat[row * bins + x];
                c.fillStyle = colours.heat[v > 0 ? Math.max(1, Math.round(8 * Math.sqrt(v / most))) : 0];
                c.fillRect(gutter + x * width, y, width + 0.5, laneHeight - 1);
            }
            c.globalAlpha = 1;
        });
        c.fillStyle = colours.pale;
        if (this.left > 0)
            c.fillText(grouped(this.left) + ' more', 2, (rows.length + 0.5) * laneHeight);
        c.strokeStyle = colours.accent;
        const px = (lanes.clientWidth - gutter) / (to - from), {choice} = state;
        if (choice.from > 0 || choice.to < samples.last)
            c.strokeRect(gutter + (choice.from - from) * px, 0.5, (choice.to - choice.from) * px, lanes.clientHeight - 1);
        this.paintBrush(c, lanes, lanes.clientHeight);
    }

    paintBrush(c, canvas, h) {
        const {brush} = this;

        if (!brush || brush.canvas !== canvas)
            return;
        const x = Math.min(brush.from.x, brush.to.x), rows = [brush.from.y, brush.to.y].sort((a, b) => a - b);
        const [y, high] = canvas === this.lanes ? [rows[0] * laneHeight, (rows[1] - rows[0] + 1) * laneHeight] : [0, h];
        c.globalAlpha = 0.25;
        c.fillStyle = this.page.colours.accent;
        c.fillRect(x, y, Math.abs(brush.to.x - brush.from.x), high);
        c.globalAlpha = 1;
    }
}

// The whole graph, small; what the window shows of it is framed.
class Minimap {
    constructor(page, canvas) {
        this.page = page;
        this.canvas = canvas;
        this.bars = new Bars();
        this.image = document.createElement('canvas');
        const go = (e) => {
            const {view} = page, {from, to, scroll, icicle} = view.range, width = to - from;
            const at = view.whole * e.offsetX / canvas.clientWidth - width / 2;
            if (e.buttons & 1)
                view.go(view.clamp({from: at, to: at + width, scroll, icicle}), false);
        };
        canvas.addEventListener('pointerdown', go);
        canvas.addEventListener('pointermove', go);
    }

    // Paints the graph aside; frame() copies it and adds what changes with every move.
    build() {
        const {page, canvas, bars, image} = this, {view, colours} = page, {icicle} = view;
        const width = canvas.clientWidth, h = canvas.clientHeight, range = {from: 0, to: view.whole || 1};
        const deepest = layout(view.tree, range, width, 0, 1e6, bars), row = Math.min(4, h / (deepest + 1));
        const c = sized(image, width, h);

        this.row = row;
        for (const [colour, list] of byColour(bars.n, (i) => bars.count[i] > 1 ? colours.bar
            : view.tree.a ? colours.change[page.compare.strength(view.tree.a[bars.node[i]], view.tree.b[bars.node[i]]) + 4]
            : colours.css[view.painter.hueOf(colours, view.tree, bars.node[i]) * shades + shades / 2])) {
            c.fillStyle = colour;
            for (const i of list) {
                const y = bars.row[i] * row;
                c.fillRect(bars.x[i], icicle ? y : h - y - row, Math.max(bars.width[i] - 0.3, 0.3), Math.max(row - 0.3, 0.4));
            }
        }
    }

    frame() {
        const {canvas, image, page, row} = this, {view, colours} = page, width = canvas.clientWidth, h = canvas.clientHeight;
        const c = sized(canvas, width, h), {from, to, scroll, icicle} = view.range, px = width / (view.whole || 1);
        const k = row / view.painter.rowHeight, high = Math.min(view.painter.height * k, h), y = scroll * k;

        if (image.width > 0 && image.height > 0)
            c.drawImage(image, 0, 0, width, h);
        c.strokeStyle = colours.outline;
        c.strokeRect(from * px + 0.5, (icicle ? y : h - y - high) + 0.5, (to - from) * px - 1, high - 1);
    }
}

// A canvas's context, as large as the screen needs it and empty.
function sized(canvas, width, height) {
    const c = canvas.getContext('2d'), dpr = window.devicePixelRatio || 1;

    canvas.width = Math.round(width * dpr);
    canvas.height = Math.round(height * dpr);
    c.setTransform(dpr, 0, 0, dpr, 0, 0);
    return c;
}
