// minimap.js - the whole graph, small, below the graph; what the window shows of it is framed.

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
            : colours.strong[view.painter.hueOf(colours, view.tree, bars.node[i])])) {
            c.fillStyle = colour;
            for (const i of list) {
                const y = bars.row[i] * row;
                c.fillRect(bars.x[i], icicle ? y : h - y - row, Math.max(bars.width[i] - 0.3, 0.3), Math.max(row - 0.3, 0.4));
            }
        }
    }

    frame() {
        if (this.row === undefined)
            return; // nothing was built yet
        const {canvas, image, page, row} = this, {view, colours} = page, width = canvas.clientWidth, h = canvas.clientHeight;
        const c = sized(canvas, width, h), {from, to, scroll, icicle} = view.range, px = width / (view.whole || 1);
        const k = row / view.painter.rowHeight, high = Math.min(view.painter.height * k, h), y = scroll * k;

        if (image.width > 0 && image.height > 0)
            c.drawImage(image, 0, 0, width, h);
        c.strokeStyle = colours.outline;
        c.strokeRect(from * px + 0.5, (icicle ? y : h - y - high) + 0.5, (to - from) * px - 1, high - 1);
    }
}
