// draw.js - paints bars onto a canvas that is as large as the window shows, whatever the tree.

const rulerHeight = 8; // px above the graph, for matches too small to see
const labelRoom = 24; // px; narrower bars have no text

// Bars of one colour together: setting a colour costs more than a rectangle.
function byColour(n, colourOf) {
    const lists = new Map();

    for (let i = 0; i < n; i++) {
        const colour = colourOf(i), list = lists.get(colour);
        if (list)
            list.push(i);
        else
            lists.set(colour, [i]);
    }
    return lists;
}

class Painter {
    constructor(canvas, names, dpr = 0) {
        this.fixed = dpr; // for pictures that are not on the screen
        this.canvas = canvas;
        this.context = canvas.getContext('2d', {alpha: false});
        this.names = names;
        this.shade = new Int8Array(names.n).fill(-1);
        this.hues = new Int8Array(names.n * frameTypes.length); // per name and type: the hue of this.palette, -1: not known yet
        this.forms = new Array(names.n); // per name: its shorter forms and their widths
        this.resize();
    }

    // Follows the window's size, the device's pixels and the reader's font size.
    resize() {
        const style = getComputedStyle(document.documentElement), rem = parseFloat(style.fontSize) || 16;
        const box = this.canvas.getBoundingClientRect();

        this.dpr = this.fixed || window.devicePixelRatio || 1;
        this.width = Math.max(box.width, 1);
        this.height = Math.max(box.height, 1);
        const width = Math.round(this.width * this.dpr), height = Math.round(this.height * this.dpr);

        if (this.canvas.width !== width || this.canvas.height !== height) { // which makes it black
            this.canvas.width = width;
            this.canvas.height = height;
        }
        this.rowHeight = Math.round(rem * 1.25);
        this.font = `${rem * 0.75}px ${style.fontFamily}`;
        this.context.font = this.font;
        if (this.measured !== this.font) {
            this.measured = this.font;
            this.advance = new Map();
            this.forms.fill(undefined);
        }
    }

    rows() {
        return Math.ceil((this.height - rulerHeight) / this.rowHeight);
    }

    // The top of a row. `scroll` px of rows are out of sight beyond the root's edge.
    top(row, view) {
        return view.icicle ? rulerHeight + row * this.rowHeight - view.scroll
            : this.height - (row + 1) * this.rowHeight + view.scroll;
    }

    rowAt(y, view) {
        return Math.floor((view.icicle ? y - rulerHeight + view.scroll : this.height - y + view.scroll) / this.rowHeight);
    }

    textWidth(text) {
        let sum = 0;

        for (const c of text) {
            let w = this.advance.get(c);
            if (w === undefined)
                this.advance.set(c, w = this.context.measureText(c).width);
            sum += w;
        }
        return sum;
    }

    // The longest form of the name that fits into `room` px, or its beginning, or ''.
    label(id, room) {
        const forms = this.forms[id] ??= shorter(cut(visible(this.names.get(id).slice(0, 400)), 300))
            .map((text) => ({text, width: this.textWidth(text)}));

        for (const form of forms)
            if (form.width <= room)
                return form.text;
        return this.beginning(forms[forms.length - 1].text, room);
    }

    beginning(text, room) {
        const dots = '\u2026';
        let n = 0, left = room - this.textWidth(dots);

        for (const c of text) {
            left -= this.textWidth(c);
            if (left < 0)
                break;
            n += c.length;
        }
        return n > 3 ? text.slice(0, n) + dots : '';
    }

    shadeOf(id) {
        if (this.shade[id] < 0)
            this.shade[id] = shadeOf(this.names.get(id));
        return this.shade[id];
    }

    // Which colour of the palette a node has.
    hueOf({palette}, tree, node) {
        const id = tree.name[node], type = tree.type[node], key = id * frameTypes.length + type;

        if (node === 0)
            return 0;
        if (this.palette !== palette) {
            this.palette = palette;
            this.hues.fill(-1);
        }
        if (this.hues[key] < 0)
            this.hues[key] = hueOf(palette, this.names.get(id), type);
        return this.hues[key];
    }

    // The colour of a node's class, without the shade of its name.
    middleColour(colours, tree, node) {
        return colours.css[this.hueOf(colours, tree, node) * shades + shades / 2];
    }

    // Which bars a search found; null when there is none.
    matches(scene) {
        const {bars, tree, found} = scene;

        if (!found || found.error)
            return null;
        const out = new Uint8Array(bars.n);
        for (let i = 0; i < bars.n; i++) {
            const first = bars.node[i], k = lowerBound(found.nodes, first);
            out[i] = bars.count[i] > 1 ? found.nodes[k] < tree.end[bars.last[i]] : found.nodes[k] === first;
        }
        return out;
    }

    // scene: tree, view, bars, colours, found, match (the current one; -1: none), zoomed, focus (-1: none),
    // hover, deepest, rootLabel, strength: of the change of a node in a comparison, -4..4; null when there is none; quiet: what did
    // not change has no name
    paint(scene) {
        const c = this.context, matches = this.matches(scene);

        c.setTransform(this.dpr, 0, 0, this.dpr, 0, 0);
        c.font = this.font;
        c.textBaseline = 'middle';
        c.direction = 'ltr';
        c.fillStyle = scene.colours.ground;
        c.fillRect(0, 0, this.width, this.height);
        this.paintBars(scene, matches);
        if (scene.strength)
            this.paintShapes(scene);
        this.paintLabels(scene, matches);
        this.outline(scene, scene.hover, 1);
        this.outline(scene, scene.focus < 0 ? -1 : scene.bars.of(scene.focus), 2);
        this.outline(scene, scene.match < 0 ? -1 : scene.bars.of(scene.match), 3);
        this.paintRuler(scene);
        this.paintThumb(scene);
    }

    paintBars(scene, matches) {
        const {bars, tree, colours, view} = scene;
        const colourOf = (i) => {
            const node = bars.node[i];
            if (matches && matches[i])
                return colours.match;
            if (bars.count[i] > 1)
                return colours.bar;
            return scene.strength ? colours.change[scene.strength(node) + 4]
                : colours.css[(this.hueOf(colours, tree, node) + (matches ? colours.types : 0)) * shades + (node === 0 ? 0 : this.shadeOf(tree.name[node]))];
        };

        for (const [colour, list] of byColour(bars.n, colourOf)) {
            this.context.fillStyle = colour;
            for (const i of list) {
                const gap = bars.width[i] > 4 ? 1 : bars.width[i] > 2 ? 0.5 : 0;
                this.context.fillRect(bars.x[i], this.top(bars.row[i], view), Math.max(bars.width[i] - gap, 0.5),
                    this.rowHeight - 1);
            }
        }
    }

    // Both sides of a comparison: the bar is as wide as the wider one; what B lacks is pale, and a
    // line below shows how wide A is.
    paintShapes({bars, tree, colours, view}) {
        const c = this.context, px = this.width / (view.to - view.from), h = this.rowHeight;

        for (let i = 0; i < bars.n; i++) {
            const node = bars.node[i], x = (tree.start[node] - view.from) * px, w = tree.total[node] * px;
            if (bars.count[i] > 1 || w < 3)
                continue;
            const y = this.top(bars.row[i], view), wide = Math.max(tree.a[node], tree.b[node]) || 1;
            const to = Math.min(x + w - 1, this.width), lost = Math.max(x + w * tree.b[node] / wide, 0);
            c.fillStyle = colours.missing;
            if (to > lost)
                c.fillRect(lost, y, to - lost, h - 1);
            const from = Math.max(x, 0), end = Math.min(x + w * tree.a[node] / wide, this.width);
            c.fillStyle = colours.pale;
            if (w > 16 && end - from > 1)
                c.fillRect(from, y + h - 3, end - from - 1, 2);
        }
    }

    paintLabels(scene, matches) {
        const {bars, tree, colours, view, zoomed} = scene, c = this.context, pad = 4;

        for (let i = 0; i < bars.n; i++) {
            const from = Math.max(bars.x[i], 0), to = Math.min(bars.x[i] + bars.width[i], this.width);
            if (to - from < labelRoom || bars.count[i] > 1)
                continue;
            const node = bars.node[i], room = to - from - 2 * pad - 1;
            if (scene.quiet && node > 0 && scene.strength(node) === 0)
                continue;
            const sign = scene.strength ? ['\u25bc ', '', '\u25b2 '][Math.sign(scene.strength(node)) + 1] : '';
            const text = node === 0 ? this.beginning(scene.rootLabel + ' ', room) && scene.rootLabel
                : sign + this.label(tree.name[node], room - (sign && this.textWidth(sign)));
            const above = node < zoomed && tree.end[node] > zoomed;
            c.fillStyle = above || (matches && !matches[i]) ? colours.pale : colours.text;
            c.fillText(text, from + pad, this.top(bars.row[i], view) + this.rowHeight / 2, room);
        }
    }

    outline(scene, i, thick) {
        if (i < 0 || i >= scene.bars.n)
            return;
        const {bars, view, colours} = scene, c = this.context;
        c.strokeStyle = colours.outline;
        c.lineWidth = thick;
        c.strokeRect(bars.x[i] + thick / 2, this.top(bars.row[i], view) + thick / 2,
            Math.max(bars.width[i] - 1 - thick, 1), this.rowHeight - 1 - thick);
    }

    // A mark of at least 2 px for every match, however narrow its bar is.
    paintRuler({tree, view, found, colours}) {
        if (!found || found.error)
            return;
        const px = this.width / (view.to - view.from), columns = new Uint8Array(Math.ceil(this.width) + 2);
        for (const node of found.tops) {
            const from = (tree.start[node] - view.from) * px, to = from + tree.total[node] * px;
            if (to >= 0 && from < this.width)
                columns.fill(1, Math.max(Math.floor(from), 0), Math.min(Math.max(Math.ceil(to), Math.floor(from) + 2), columns.length));
        }
        this.context.fillStyle = colours.mark;
        for (let x = 0; x < columns.length; x++)
            if (columns[x])
                this.context.fillRect(x, 1, 1, rulerHeight - 4);
    }

    // Where the window stands in a graph that is higher than it: {y, height} of the thumb, or null.
    thumb({view, deepest}) {
        const all = (deepest + 1) * this.rowHeight, room = this.height - rulerHeight;

        if (all <= room)
            return null;
        const height = Math.max(room * room / all, 24), part = view.scroll / (all - room);
        return {y: rulerHeight + (room - height) * (view.icicle ? part : 1 - part), height};
    }

    paintThumb(scene) {
        const thumb = this.thumb(scene);

        if (!thumb)
            return;
        this.context.fillStyle = scene.colours.pale;
        this.context.fillRect(this.width - 8, thumb.y, 6, thumb.height);
    }
}
