// model.js - a stack tree as parallel arrays in pre-order, and the same tree read from the leaves.
// Children are sorted by name, so a function keeps its place when the weights change.

// depth: 0 for the root; parent: index; end: first index behind the subtree; self, total: weights. In a comparison a and b are the shares of the two sides (0..1),
// selfA and selfB their own parts, and the weights say only how wide a frame is drawn.
class Tree {
    constructor({depth, name, type}, own) {
        const n = depth.length;
        this.n = n;
        this.depth = depth;
        this.name = name;
        this.type = type;
        this.parent = new Uint32Array(n);
        this.end = new Uint32Array(n);
        this.deepest = largest(depth);
        this.link();
        if (own)
            this.weigh(own);
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

    // own: what ends at each node: [weights], or [widths, share of A, share of B].
    weigh(own) {
        this.own = own;
        [this.self, this.selfA, this.selfB] = own;
        [this.total, this.a, this.b] = own.map((column, k) => this.sums(column, [this.total, this.a, this.b][k]));
        this.isPlaced = false;
    }

    // `sum` is the column of before, which is overwritten: new ones of this size take time.
    sums(own, sum = new Float64Array(own.length)) {
        const {n, parent} = this;

        sum.set(own);
        for (let i = n - 1; i > 0; i--)
            sum[parent[i]] += sum[i];
        return sum;
    }

    // The weight left of a node.
    startOf(i) {
        const {parent, end, total} = this;
        let sum = 0;

        for (; i > 0; i = parent[i])
            for (let c = parent[i] + 1; c < i; c = end[c])
                sum += total[c];
        return sum;
    }

    // The same of all nodes: found out when first asked for.
    get start() {
        if (this.isPlaced)
            return this.starts;
        const {n, depth, total} = this, start = this.starts ??= new Float64Array(n), next = new Float64Array(this.deepest + 2);

        this.isPlaced = true;
        for (let i = 0; i < n; i++) {
            const d = depth[i], s = next[d];
            start[i] = s;
            next[d] = s + total[i];
            next[d + 1] = s;
        }
        return start;
    }

    // The place of node i in the tree that this one is an ordering of, or in itself.
    placeIn(tree, i) {
        return this.origin && this !== tree ? this.origin[i] : i;
    }

    // The other way round: the node that is i there.
    nodeOf(i) {
        return this.origin ? Math.max(this.origin.indexOf(i), 0) : i;
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

    children(i) {
        const out = [];

        for (let c = this.firstChild(i); c >= 0; c = this.nextSibling(c))
            if (this.total[c] > 0)
                out.push(c);
        return out;
    }

    // All siblings of i, itself included, in order.
    siblings(i) {
        return i > 0 ? this.children(this.parent[i]) : [0];
    }

    // From the root to i.
    path(i) {
        const out = [i];

        while (i > 0)
            out.push(i = this.parent[i]);
        return out.reverse();
    }
}

// The same tree with the children of each node by weight, and nothing in it that has none. `origin`
// tells the places of its nodes.
function widestFirst(tree) {
    const {end, total} = tree, todo = new Uint32Array(tree.n), origin = new Uint32Array(tree.n), kids = [];
    let open = 1, n = 0;

    while (open > 0) {
        const i = origin[n++] = todo[--open];
        let m = 0;
        for (let c = i + 1; c < end[i]; c = end[c])
            if (total[c] > 0)
                kids[m++] = c;
        if (m === 1)
            todo[open++] = kids[0];
        else if (m > 1) // emptying the list each time would take ten times as long
            for (const c of kids.slice(0, m).sort((x, y) => total[x] - total[y] || y - x))
                todo[open++] = c;
    }
    const places = origin.subarray(0, n), [depth, name, type] = [tree.depth, tree.name, tree.type].map((column) => gather(column, places));
    return Object.assign(new Tree({depth, name, type}, tree.own.map((own) => gather(own, places))), {origin: places});
}

// The nodes of a function that no other of it contains.
function topmost(tree, id) {
    const out = [];

    for (let i = 1; i < tree.n; i++)
        if (tree.name[i] === id && tree.total[i] > 0) {
            out.push(i);
            i = tree.end[i] - 1;
        }
    return out;
}

// A tree that is being made, node by node in pre-order.
class Growing {
    constructor(tree, columns) {
        this.from = tree;
        this.n = 0;
        this.room = 1024;
        this.depth = new Uint32Array(this.room);
        this.node = new Uint32Array(this.room);
        this.own = Array.from({length: columns}, () => new Float64Array(this.room));
        this.add(0, 0);
    }

    // A copy of a node of the other tree. Returns its place; what it has of its own is 0.
    add(node, depth) {
        if (this.n === this.room)
            this.grow();
        this.depth[this.n] = depth;
        this.node[this.n] = node;
        return this.n++;
    }

    grow() {
        const larger = (column) => {
            const out = new column.constructor(this.room);
            out.set(column);
            return out;
        };

        this.room *= 2;
        this.depth = larger(this.depth);
        this.node = larger(this.node);
        this.own = this.own.map(larger);
    }

    tree() {
        const {from, n} = this, node = this.node.subarray(0, n);

        return new Tree({depth: this.depth.slice(0, n), name: gather(from.name, node), type: gather(from.type, node)}, this.own.map((column) => column.slice(0, n)));
    }
}

// The tree of callers: its root's children are the functions in which samples ended (or the nodes
// `ends`, with all below them), their children who called them. Every stack is an entry that climbs
// from its leaf to the root; entries with the same names so far stand side by side, and a range of
// them is one node of the new tree. Beyond `limit` nodes, what is narrower than 1/50000 of all is
// not followed any further.
function reverse(tree, ends, limit = 4e6) {
    const from = ends ? [tree.total, tree.a, tree.b].filter(Boolean) : tree.own;
    let steps = 0, at = 0;

    if (!ends) {
        ends = [];
        for (let i = 1; i < tree.n; i++)
            if (tree.self[i] > 0)
                ends.push(i);
    }
    for (const i of ends)
        steps += tree.depth[i];
    const least = steps > limit ? tree.total[0] / 5e4 : 0, m = ends.length, all = from.length;
    const cursor = Uint32Array.from(ends), weights = from.map((own) => Float64Array.from(ends, (i) => own[i]));
    const out = new Growing(tree, all), todo = [], own = new Float64Array(all), rest = new Float64Array(all);
    for (let c = 0; c < all && ends[0] !== 0; c++)
        out.own[c][0] = from === tree.own ? from[c][0] : 0;
    const group = (lo, hi, depth) => {
        sortEntries(tree, cursor, weights, lo, hi);
        for (let to = hi; to > lo;) {
            let k = to - 1;
            while (k > lo && sameFrame(tree, cursor[k - 1], cursor[to - 1]))
                k--;
            todo.push(k, to, depth);
            to = k;
        }
    };
    // A single entry, as most are: all of its way to the root.
    const climb = (k, depth) => {
        let node = cursor[k], place = out.add(node, depth);
        while (weights[0][k] >= least && (node = tree.parent[node]) !== 0)
            place = out.add(node, ++depth);
        for (let c = 0; c < all; c++)
            out.own[c][place] = weights[c][k];
    };
    group(0, m, 1);
    while (todo.length > 0) {
        const depth = todo.pop(), hi = todo.pop(), lo = todo.pop(), frame = cursor[lo];
        if (hi - lo === 1) {
            climb(lo, depth);
            continue;
        }
        own.fill(0);
        rest.fill(0);
        at = lo;
        for (let k = lo; k < hi; k++) {
            const up = tree.parent[cursor[k]], sum = up === 0 ? own : rest;
            for (let c = 0; c < all; c++)
                sum[c] += weights[c][k];
            if (up === 0)
                continue;
            cursor[at] = up;
            for (let c = 0; c < all; c++)
                weights[c][at] = weights[c][k];
            at++;
        }
        const goesOn = at > lo && rest[0] >= least, place = out.add(frame, depth);
        for (let c = 0; c < all; c++)
            out.own[c][place] = goesOn ? own[c] : own[c] + rest[c];
        if (goesOn)
            group(lo, at, depth + 1);
    }
    return out.tree();
}

// The subtrees of these nodes laid upon each other.
function callees(tree, roots) {
    const out = new Growing(tree, tree.own.length), todo = [[roots, 1]];

    while (todo.length > 0) {
        const [nodes, depth] = todo.pop(), groups = new Map(), key = (i) => tree.name[i] * 16 + tree.type[i], place = out.add(nodes[0], depth);
        tree.own.forEach((own, c) => out.own[c][place] = nodes.reduce((sum, i) => sum + own[i], 0));
        for (const i of nodes)
            for (const c of tree.children(i))
                groups.get(key(c))?.push(c) ?? groups.set(key(c), [c]);
        for (const k of [...groups.keys()].sort((x, y) => y - x))
            todo.push([groups.get(k), depth + 1]);
    }
    return out.tree();
}

function sameFrame(tree, a, b) {
    return tree.name[a] === tree.name[b] && tree.type[a] === tree.type[b];
}

// Sorts the entries from..to by name, then type: the place is made part of the key, so that plain
// numbers can be sorted. Exact while names * 16 * entries < 2^53.
function sortEntries(tree, cursor, weights, from, to) {
    const n = to - from;

    if (n < 2)
        return;
    const keys = new Float64Array(n), c = cursor.slice(from, to), w = weights.map((column) => column.slice(from, to));
    for (let k = 0; k < n; k++)
        keys[k] = (tree.name[c[k]] * 16 + tree.type[c[k]]) * n + k;
    keys.sort();
    for (let k = 0; k < n; k++) {
        const place = keys[k] % n;
        cursor[from + k] = c[place];
        for (let x = 0; x < w.length; x++)
            weights[x][from + k] = w[x][place];
    }
}

// Weights per function in the subtree of `root`: a function that calls itself counts once in total.
function functions(tree, root, n) {
    const columns = () => tree.own.map(() => new Float64Array(n)), self = columns(), total = columns();
    const totals = [tree.total, tree.a, tree.b], open = new Uint32Array(n);

    for (let i = Math.max(root, 1); i < tree.end[root]; i++) {
        const id = tree.name[i], outer = i >= open[id];
        for (let c = 0; c < self.length; c++) {
            self[c][id] += tree.own[c][i];
            if (outer)
                total[c][id] += totals[c][i];
        }
        if (outer)
            open[id] = tree.end[i];
    }
    return {self, total};
}
