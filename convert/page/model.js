// model.js - a stack tree as parallel arrays in pre-order, and the same tree read from the leaves.
// Children are sorted by name, so a function keeps its place when the weights change.

// depth: 0 for the root; parent: index; end: first index behind the subtree; self, total: weights;
// start: weight left of the node; samples: how many, for the subtree, or null.
class Tree {
    constructor({depth, name, type, self, hidden = null, samples = null}) {
        const n = depth.length;
        this.n = n;
        this.depth = depth;
        this.name = name;
        this.type = type;
        this.self = self;
        this.hidden = hidden;
        this.parent = new Uint32Array(n);
        this.end = new Uint32Array(n);
        this.start = new Float64Array(n);
        this.deepest = depth.reduce((a, b) => Math.max(a, b), 0);
        this.link();
        this.total = this.sums(self, hidden);
        this.samples = samples && this.sums(samples, null);
        this.place();
    }

    // last[d] is the last node seen at depth d, and still open while deeper ones follow.
    link() {
        const {n, depth, parent, end} = this, last = new Uint32Array(this.deepest + 2);
        let open = 0;

        for (let i = 1; i <= n; i++) {
            const d = i < n ? depth[i] : 0;
            for (; open >= d; open--)
                end[last[open]] = i;
            if (i === n)
                break;
            parent[i] = last[d - 1];
            last[d] = i;
            open = d;
        }
    }

    sums(own, more) {
        const {n, parent} = this, sum = Float64Array.from(own);

        if (more !== null)
            for (let i = 0; i < n; i++)
                sum[i] += more[i];
        for (let i = n - 1; i > 0; i--)
            sum[parent[i]] += sum[i];
        return sum;
    }

    place() {
        const {n, depth, start, total} = this, next = new Float64Array(this.deepest + 2);

        for (let i = 0; i < n; i++) {
            const d = depth[i];
            start[i] = next[d];
            next[d] += total[i];
            next[d + 1] = start[i];
        }
    }

    firstChild(i) {
        return i + 1 < this.end[i] ? i + 1 : -1;
    }

    nextSibling(i) {
        return i > 0 && this.end[i] < this.end[this.parent[i]] ? this.end[i] : -1;
    }

    widestChild(i) {
        let best = this.firstChild(i);

        for (let c = best; c >= 0; c = this.nextSibling(c))
            if (this.total[c] > this.total[best])
                best = c;
        return best;
    }

    // All siblings of i, itself included, in order.
    siblings(i) {
        const out = [];

        for (let c = i > 0 ? this.firstChild(this.parent[i]) : 0; c >= 0; c = this.nextSibling(c))
            out.push(c);
        return out;
    }

    // From the root to i.
    path(i) {
        const out = [i];

        while (i > 0)
            out.push(i = this.parent[i]);
        return out.reverse();
    }
}

// The tree of callers: its root's children are the functions in which samples ended, their children
// who called them. Every stack is an entry that climbs from its leaf to the root; entries with the
// same names so far stand side by side, and a range of them is one node of the new tree.
// Beyond `limit` nodes, what is narrower than 1/50000 of all is not followed any further.
function reverse(tree, limit = 4e6) {
    const ends = [];
    let steps = 0, at = 0;

    for (let i = 1; i < tree.n; i++)
        if (tree.self[i] > 0) {
            ends.push(i);
            steps += tree.depth[i];
        }
    const least = steps > limit ? tree.total[0] / 5e4 : 0, m = ends.length;
    const cursor = Uint32Array.from(ends), weight = Float64Array.from(ends, (i) => tree.self[i]);
    const out = {depth: [0], name: [tree.name[0]], type: [tree.type[0]], self: [tree.self[0]],
        hidden: [tree.hidden === null ? 0 : tree.hidden.reduce((a, b) => a + b)]};
    const todo = [];
    const group = (from, to, depth) => {
        sortEntries(tree, cursor, weight, from, to);
        for (let hi = to; hi > from;) {
            let lo = hi - 1;
            while (lo > from && sameFrame(tree, cursor[lo - 1], cursor[hi - 1]))
                lo--;
            todo.push(lo, hi, depth);
            hi = lo;
        }
    };
    group(0, m, 1);
    while (todo.length > 0) {
        const depth = todo.pop(), hi = todo.pop(), lo = todo.pop(), frame = cursor[lo];
        let self = 0, rest = 0;
        at = lo;
        for (let k = lo; k < hi; k++) {
            const up = tree.parent[cursor[k]], w = weight[k];
            if (up === 0) {
                self += w;
                continue;
            }
            rest += w;
            cursor[at] = up;
            weight[at++] = w;
        }
        out.depth.push(depth);
        out.name.push(tree.name[frame]);
        out.type.push(tree.type[frame]);
        out.self.push(self);
        out.hidden.push(rest < least ? rest : 0);
        if (rest >= least && at > lo)
            group(lo, at, depth + 1);
    }
    return new Tree({depth: Uint32Array.from(out.depth), name: Uint32Array.from(out.name),
        type: Uint8Array.from(out.type), self: Float64Array.from(out.self), hidden: Float64Array.from(out.hidden)});
}

function sameFrame(tree, a, b) {
    return tree.name[a] === tree.name[b] && tree.type[a] === tree.type[b];
}

// Sorts the entries from..to by name, then type: the place is made part of the key, so that plain
// numbers can be sorted. Exact while names * 16 * entries < 2^53.
function sortEntries(tree, cursor, weight, from, to) {
    const n = to - from;

    if (n < 2)
        return;
    const keys = new Float64Array(n), c = cursor.slice(from, to), w = weight.slice(from, to);
    for (let k = 0; k < n; k++)
        keys[k] = (tree.name[c[k]] * 16 + tree.type[c[k]]) * n + k;
    keys.sort();
    for (let k = 0; k < n; k++) {
        const place = keys[k] % n;
        cursor[from + k] = c[place];
        weight[from + k] = w[place];
    }
}

// Weight per function in the subtree of `root`: a function that calls itself counts once in total.
function functions(tree, root, n) {
    const self = new Float64Array(n), total = new Float64Array(n), open = new Uint32Array(n);

    for (let i = Math.max(root, 1); i < tree.end[root]; i++) {
        const id = tree.name[i];
        self[id] += tree.self[i];
        if (i >= open[id]) {
            total[id] += tree.total[i];
            open[id] = tree.end[i];
        }
    }
    return {self, total};
}
