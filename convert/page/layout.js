// layout.js - which bars are on the screen, and where: a walk that never enters what is too narrow
// or out of sight, so its cost is bounded by pixels, not by frames.

const tooNarrow = 0.5; // px; the subtree is not entered
const narrow = 1; // px; neighbours on a row become one neutral bar

// The bars of one drawing. A bar stands for `node`, or for `count` > 1 neighbours from `node` to
// `last`. x and width in px, clipped to the screen; row counts from the root.
class Bars {
    constructor() {
        this.n = 0;
        for (const column of ['node', 'last', 'count', 'row', 'x', 'width'])
            this[column] = [];
    }

    add(node, last, count, row, x, width) {
        const i = this.n++;
        this.node[i] = node;
        this.last[i] = last;
        this.count[i] = count;
        this.row[i] = row;
        this.x[i] = x;
        this.width[i] = width;
    }

    // The bar at a point, or -1.
    at(x, row) {
        for (let i = 0; i < this.n; i++)
            if (this.row[i] === row && x >= this.x[i] && x < this.x[i] + Math.max(this.width[i], 1))
                return i;
        return -1;
    }

    // The bar that shows this very node, or -1.
    of(node) {
        for (let i = 0; i < this.n; i++)
            if (this.node[i] === node && this.count[i] === 1)
                return i;
        return -1;
    }
}

// Fills `bars` with what is between the weights view.from and view.to (`width` px) and between
// rows firstRow and lastRow. Returns the deepest row that is wide enough to be drawn at all.
function layout(tree, view, width, firstRow, lastRow, bars) {
    const {n, depth, end, parent, total} = tree, next = new Float64Array(tree.deepest + 2); // per row: where the next node begins
    const px = width / (view.to - view.from), left = view.from;
    const open = []; // per row, the narrow bar that still grows: {node, last, count, x, to}
    let deepest = 0;
    const close = (row) => {
        const b = open[row];
        if (b && b.count > 0)
            bars.add(b.node, b.last, b.count, row, b.x, b.to - b.x);
        if (b)
            b.count = 0;
    };
    const join = (i, row, x, to) => {
        const b = open[row] ??= {node: 0, last: 0, count: 0, x: 0, to: 0};
        if (b.count > 0 && x - b.to > narrow)
            close(row);
        if (b.count++ === 0) {
            b.node = i;
            b.x = x;
        }
        b.last = i;
        b.to = to;
    };

    bars.n = 0;
    for (let i = 0; i < n;) {
        const row = depth[i], start = next[row], w = total[i] * px, x = (start - left) * px;
        const seen = row >= firstRow && row <= lastRow;
        next[row] = start + total[i];
        next[row + 1] = start;
        if (x >= width) { // and so are all siblings behind it
            i = i === 0 ? n : end[parent[i]];
        } else if (x + w <= 0) {
            i = end[i];
        } else if (w < tooNarrow) {
            if (seen && w > 0)
                join(i, row, x, x + w);
            i = end[i];
        } else {
            deepest = Math.max(deepest, row);
            if (seen && w < narrow) {
                join(i, row, x, x + w);
            } else if (seen) {
                close(row);
                bars.add(i, i, 1, row, Math.max(x, -2), Math.min(x + w, width + 2) - Math.max(x, -2));
            }
            i++;
        }
    }
    for (let row = firstRow; row < open.length; row++)
        close(row);
    return deepest;
}
