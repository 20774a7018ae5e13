// time.js - the weight over time, where a range can be selected; two recordings that are compared have an axis each. The
// same for each value of a dimension, as lanes of heat below it, is in lanes.js.

class Strip {
    constructor(page) {
        const {samples} = page, range = byId('range');

        this.page = page;
        this.canvas = byId('strip');
        this.lanes = new Lanes(page, this, byId('lanes'));
        this.from = 0; // what the strip shows, in ticks
        this.to = samples.last;
        this.inputs = ''; // of a comparison of two recordings: which
        for (const canvas of [this.canvas, this.lanes.canvas])
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

    // The band of the strip at a height in px: the only one, or A above B.
    bandAt(canvas, y) {
        return canvas === this.canvas && y < this.bands.at(-1).top ? this.bands[0] : this.bands.at(-1);
    }

    tickAt(canvas, x, {from, to} = this.bands.at(-1)) {
        return Math.round(from + (to - from) * (x - this.gutter) / (canvas.clientWidth - this.gutter));
    }

    bind(canvas) {
        let start = null;
        const at = (e) => ({x: e.offsetX, y: e.offsetY});

        canvas.addEventListener('pointerdown', (e) => {
            start = at(e);
            canvas.setPointerCapture(e.pointerId);
        });
        canvas.addEventListener('pointermove', (e) => {
            this.tip(canvas, at(e));
            if (!start)
                return;
            this.brush = {canvas, from: start, to: at(e)};
            this.paint();
        });
        canvas.addEventListener('pointerup', (e) => {
            const end = at(e), from = start;
            start = this.brush = null;
            if (from && (Math.abs(end.x - from.x) > 3 || canvas === this.lanes.canvas))
                this.take(canvas, from, end);
            else
                this.paint();
        });
        canvas.addEventListener('pointerleave', () => byId('timetip').hidden = true);
        canvas.addEventListener('dblclick', () => this.page.change(({choice}) => {
            this.inputs = '';
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
        const band = this.bandAt(canvas, a.y), [x, y] = [Math.min(a.x, b.x), Math.max(a.x, b.x)].map((px) => this.tickAt(canvas, px, band));
        const rows = canvas === this.canvas ? [] : this.lanes.valuesAt(a.y, b.y), {samples} = this.page;

        this.page.change((state) => {
            const {choice} = state, other = band.isA ? readChoice(samples, new URLSearchParams(state.a)) : choice;
            if (Math.abs(a.x - b.x) > 3)
                this.choose(other, x, y);
            if (band.isA)
                state.a = writeChoice(samples, other, new URLSearchParams()).toString();
            if (rows.length > 0)
                Object.assign(choice.picks[this.lanes.dim], {only: new Set(rows), not: new Set()});
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

    // The time of one recording, in ticks.
    rangeOfInput(input) {
        const {samples} = this.page, k = samples.dim('input');

        return samples.rangeOf(k, bits([input], samples.dims[k].texts.length));
    }

    // Bars of A in a comparison of two recordings, over all of its own time; the samples must have been tested for A last.
    barsOfA(choice, input) {
        const [from, to] = this.rangeOfInput(input), {samples} = this.page;

        return {isA: true, from, to, choice, bars: samples.histogram(choice, from, to, Math.max(this.canvas.clientWidth, 1))};
    }

    build() {
        const {page, canvas, lanes} = this, {samples, state} = page, inputs = page.compare.inputs();
        const isTwo = Boolean(inputs && page.base.band), key = isTwo ? inputs.join() : '';

        if (this.inputs !== key) {
            this.inputs = key;
            [this.from, this.to] = isTwo ? this.rangeOfInput(inputs[1]) : [0, samples.last];
        }
        canvas.classList.toggle('two', isTwo);
        const width = Math.max(canvas.clientWidth, 1), high = canvas.clientHeight;
        this.gutter = lanes.choose(state.lanes) || isTwo ? Math.floor(Math.min(150, width / 4)) : 0; // one axis for the strip and the lanes
        const bars = samples.histogram(page.choice, this.from, this.to, Math.max(width - this.gutter, 1));
        this.bands = [{from: this.from, to: this.to, choice: state.choice, bars, top: 0, height: high}];
        if (isTwo) {
            const [a, b] = page.compare.names();
            this.bands = [{...page.base.band, name: 'A ' + a, top: 0, height: high / 2 - 2}, {...this.bands[0], name: 'B ' + b, top: high / 2, height: high / 2}];
        }
        lanes.build(this);
        this.paint();
    }

    // The chosen range, in words.
    showRange() {
        const {samples, state} = this.page, {from, to} = state.choice;

        for (const [id, tick] of [['from', from], ['to', to]]) {
            byId(id).value = clockOf(samples, tick);
            byId(id).removeAttribute('aria-invalid');
        }
        byId('all-time').hidden = from === 0 && to >= samples.last;
    }

    paint() {
        const {canvas} = this, h = canvas.clientHeight, c = sized(canvas, canvas.clientWidth, h);

        this.bands.forEach((band) => this.paintBand(c, band));
        this.paintBrush(c, canvas, h);
        this.lanes.paint();
    }

    paintBand(c, {name, isA, from, to, bars, top, height, choice}) {
        const {gutter, canvas, page} = this, {colours} = page, most = largest(bars), wide = canvas.clientWidth - gutter, scale = (to - from) / bars.length;

        for (let x = 0; x < bars.length; x++) {
            const t = from + x * scale, high = most > 0 ? Math.ceil((height - 2) * bars[x] / most) : 0;
            c.fillStyle = t + scale > choice.from && t < choice.to ? isA ? colours.pale : colours.accent : colours.line;
            c.fillRect(gutter + x * wide / bars.length, top + height - high, Math.max(wide / bars.length, 1), high);
        }
        this.paintAxis(c, {from, to, top});
        if (name) {
            c.fillStyle = colours.text;
            c.fillText(cutMiddle(name, gutter / 6.6), 2, top + height / 2);
        }
    }

    // Marks with their times, over the bars.
    paintAxis(c, {from, to, top}) {
        const {page, gutter, canvas} = this, {samples, colours} = page, px = (canvas.clientWidth - gutter) / (to - from || 1);
        const {step, digits} = axisOf(samples, 90 / px), offset = samples.first / samples.tick;

        c.font = `10px ${getComputedStyle(document.documentElement).fontFamily}`;
        c.textBaseline = 'top';
        for (let t = Math.ceil((from + offset) / step) * step - offset; t < to; t += step) {
            const x = Math.round(gutter + (t - from) * px), text = clockOf(samples, t, digits), wide = c.measureText(text).width;
            c.fillStyle = colours.pale;
            c.fillRect(x, top, 1, 4);
            if (x + wide + 4 > canvas.clientWidth)
                continue;
            c.fillStyle = colours.shade; // times are readable over bars
            c.fillRect(x + 2, top, wide + 2, 11);
            c.fillStyle = colours.text;
            c.fillText(text, x + 3, top);
        }
    }

    paintBrush(c, canvas, h) {
        const {brush, lanes, page} = this;

        if (!brush || brush.canvas !== canvas)
            return;
        const x = Math.min(brush.from.x, brush.to.x), {top, height} = this.bandAt(canvas, brush.from.y);
        const [y, high] = canvas === this.canvas ? [top, height] : lanes.box(brush.from.y, brush.to.y);
        c.globalAlpha = 0.25;
        c.fillStyle = page.colours.accent;
        c.fillRect(x, y, Math.abs(brush.to.x - brush.from.x), Math.min(high, h));
        c.globalAlpha = 1;
    }

    // What is under the pointer: the time, and the weight of the bar or of the lane's cell there.
    tip(canvas, {x, y}) {
        if (!this.bands)
            return; // nothing was built yet
        const {page, gutter, lanes} = this, {samples, unit} = page, tip = byId('timetip'), band = this.bandAt(canvas, y), inside = x >= gutter && x <= canvas.clientWidth;
        const place = (n) => Math.min(Math.floor((x - gutter) / (canvas.clientWidth - gutter) * n), n - 1), text = inside && (canvas === this.canvas
            ? weightText(band.bars[place(band.bars.length)], unit) : lanes.textAt(place(lanes.bins), y));

        tip.hidden = !text;
        if (!text)
            return;
        tip.textContent = `${clockOf(samples, this.tickAt(canvas, x, band))} \u00b7 ${text}`;
        const box = tip.parentElement.getBoundingClientRect(), own = canvas.getBoundingClientRect(), wide = tip.offsetWidth;
        tip.style.left = Math.max(Math.min(own.x - box.x + x + 12, box.width - wide - 4), 0) + 'px';
        tip.style.top = own.y - box.y + Math.min(y, own.height) + 16 + 'px';
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
