// lanes.js - the weight over time for each value of a dimension, as lanes of heat below the strip, where a box of rows and
// time can be selected.

const laneHeight = 15, lanesMost = 16; // px; rows

class Lanes {
    constructor(page, strip, canvas) {
        this.page = page;
        this.strip = strip;
        this.canvas = canvas;
        this.rows = [];
    }

    // Is there a dimension to show?
    choose(name) {
        this.dim = this.page.samples.dim(name);
        this.canvas.hidden = byId('heat').hidden = this.dim < 0;
        return this.dim >= 0;
    }

    build({from, to, gutter}) {
        const {page, dim, canvas} = this, {samples} = page;

        if (dim < 0)
            return;
        const {texts} = samples.dims[dim], counts = samples.countsOf(dim, page.choice);
        const all = [...texts.keys()].filter((v) => counts[v] > 0).sort((x, y) => counts[y] - counts[x] || x - y);
        this.rows = all.slice(0, lanesMost);
        this.left = all.length - this.rows.length;
        const rows = new Uint8Array(texts.length).fill(255);
        this.rows.forEach((v, row) => rows[v] = row);
        canvas.style.height = (this.rows.length + (this.left > 0 ? 1 : 0)) * laneHeight + 'px';
        this.bins = Math.max(Math.floor((canvas.clientWidth - gutter) / 4), 1);
        this.heat = samples.histogram(page.choice, from, to, this.bins, dim, rows, this.rows.length);
        this.most = largest(this.heat);
        this.legend((to - from) / this.bins * samples.tick);
    }

    // What the colours of the cells mean. ms: how long a cell is.
    legend(ms) {
        const {page, most} = this, {colours, unit} = page, time = ms >= 1000 ? `${(ms / 1000).toPrecision(3)} s` : `${ms.toPrecision(3)} ms`;

        byId('heat').replaceChildren('0 ', ...[0, 2, 4, 6, 8].map((k) => chip(colours.heat[k])), ` ${weightText(most, unit)} in ${time}`);
    }

    rowAt(y) {
        return Math.min(Math.max(Math.floor(y / laneHeight), 0), this.rows.length - 1);
    }

    // The values between two heights, and the box of px that their rows take.
    valuesAt(a, b) {
        return this.rows.slice(this.rowAt(Math.min(a, b)), this.rowAt(Math.max(a, b)) + 1);
    }

    box(a, b) {
        const first = this.rowAt(Math.min(a, b));

        return [first * laneHeight, (this.rowAt(Math.max(a, b)) - first + 1) * laneHeight];
    }

    textAt(bin, y) {
        const {page, rows, heat, bins, dim} = this, {samples, unit} = page, row = Math.floor(y / laneHeight), {name, texts} = samples.dims[dim];

        return row < rows.length ? `${visible(cut(shownText(name, texts[rows[row]]), 100))} \u00b7 ${weightText(heat[row * bins + bin], unit)}` : '';
    }

    paint() {
        const {page, canvas, heat, bins, rows, dim, most, strip} = this;

        if (dim < 0)
            return;
        const {colours, state, samples} = page, {gutter, from, to} = strip, c = sized(canvas, canvas.clientWidth, canvas.clientHeight);
        const width = (canvas.clientWidth - gutter) / bins, {name, texts} = samples.dims[dim], {only, not} = state.choice.picks[dim];

        c.font = `11px ${getComputedStyle(document.documentElement).fontFamily}`;
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
        const px = (canvas.clientWidth - gutter) / (to - from), {choice} = state;
        if (choice.from > 0 || choice.to < samples.last)
            c.strokeRect(gutter + (choice.from - from) * px, 0.5, (choice.to - choice.from) * px, canvas.clientHeight - 1);
        strip.paintBrush(c, canvas, canvas.clientHeight);
    }
}
