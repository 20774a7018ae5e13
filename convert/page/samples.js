// samples.js - which samples a choice means, and what they sum up to. One pass serves the tree and
// every facet: a facet counts what fulfils all conditions but its own.

// What is chosen: kind and weight by name; picks per dimension: {only, not}, sets of values; from and
// to in ticks, to exclusive; stacks with a function of `hide` go, those without a match of `keep` too.
function anything(samples) {
    return {picks: samples.dims.map(() => ({only: new Set(), not: new Set()})), from: 0, to: Infinity};
}

function bits(list, n = 0) {
    const out = new Uint8Array(Math.max(n, ...list.map((v) => v + 1)));

    list.forEach((v) => out[v] = 1);
    return out;
}

// 1 for every value that the pick lets pass; null when it lets all.
function maskOf({only, not}, n) {
    if (only.size + not.size === 0)
        return null;
    const mask = only.size > 0 ? bits([...only], n) : new Uint8Array(n).fill(1);
    not.forEach((v) => mask[v] = 0);
    return mask;
}

// Loops of their own, as they are the fastest that way.
function countFails(fails, column, mask) {
    for (let i = 0; i < fails.length; i++)
        fails[i] += mask[column[i]] ^ 1;
}

function countLate(fails, time, from, to) {
    for (let i = 0; i < fails.length; i++)
        fails[i] += time[i] < from || time[i] >= to;
}

function addPassing(fails, column, weight, out) {
    for (let i = 0; i < fails.length; i++)
        if (fails[i] === 0)
            out[column[i]] += weight[i];
    return out;
}

// The same and samples that fail for their own value alone.
function addNearly(fails, column, weight, out, mask) {
    for (let i = 0; i < fails.length; i++)
        if (fails[i] === 0 || (fails[i] === 1 && mask[column[i]] === 0))
            out[column[i]] += weight[i];
    return out;
}

class Samples {
    constructor(data, head) {
        const {facets} = head, s = Object.assign(this, data.samples), {n} = s;
        this.nodes = data.depth.length;
        this.ones = s.weights.get('count') ?? new Float64Array(n).fill(1);
        this.fails = new Uint8Array(n);
        this.tick = facets?.tick ?? 1;
        this.first = facets?.first ?? 0;
        this.last = n > 0 ? s.time[n - 1] + 1 : 1;
        this.kinds = facets?.kinds ?? [{name: '', title: head.kind}];
        this.units = [{name: 'count', title: facets ? 'samples' : head.weight || head.unit, unit: facets ? 'samples' : head.unit},
            ...(facets?.weights ?? []).filter((w) => w.name !== 'count')];
        this.kind = new Uint16Array(n);
        this.kinds.forEach((kind, k) => this.findKind(kind, 1 << k, bits(facets?.sleeping ?? [])));
    }

    dim(name) {
        return this.dims.findIndex((d) => d.name === name);
    }

    findKind(kind, bit, sleeping) {
        const {n, event, ones} = this, wanted = kind.events && bits(kind.events);
        const state = kind.awake ? this.dims[this.dim('state')].column : null;
        const lasted = kind.lasting ? this.weights.get('duration') : null;

        for (let i = 0; i < n; i++)
            if (ones[i] > 0 && (!wanted || wanted[event[i]]) && !(state && sleeping[state[i]]) && (!lasted || lasted[i] > 0))
                this.kind[i] |= bit;
    }

    // The weights that events of a kind have.
    weightsOf(name) {
        const {events} = this.kinds.find((kind) => kind.name === name);

        return this.units.filter((w) => !w.events || !events || w.events.some((e) => events.includes(e)));
    }

    // Fills this.fails: how many conditions a sample does not fulfil, 9 and more where kind or stack
    // is not wanted. `bad` marks nodes whose stacks are not.
    test(choice, bad) {
        const {n, fails, stack, leaves, kind, dims, time} = this, gone = bad && leaves.map((node) => bad[node]);
        const bit = 1 << this.kinds.findIndex((k) => k.name === choice.kind);

        for (let i = 0; i < n; i++)
            fails[i] = kind[i] & bit && !(gone && gone[stack[i]]) ? 0 : 9;
        this.masks = choice.picks.map((pick, k) => maskOf(pick, dims[k].texts.length));
        this.masks.forEach((mask, k) => mask && countFails(fails, dims[k].column, mask));
        this.late = choice.from > 0 || choice.to < this.last;
        if (this.late)
            countLate(fails, time, choice.from, choice.to);
    }

    weight(choice) {
        return this.weights.get(choice.weight) ?? this.ones;
    }

    // {own: by node, total, n: samples, effective: as many samples of equal weight err as much}
    sum(choice, bad) {
        const w = this.weight(choice), {fails, ones} = this;
        let total = 0, squares = 0, n = 0;

        this.test(choice, bad);
        const sums = addPassing(fails, this.stack, w, new Float64Array(this.leaves.length)), own = new Float64Array(this.nodes);
        this.leaves.forEach((node, i) => own[node] = sums[i]);
        for (let i = 0; i < fails.length; i++)
            if (fails[i] === 0) {
                const each = w === ones ? 1 : w[i] / ones[i], times = this.counts ? this.counts[i] : ones[i];
                total += w[i];
                n += times;
                squares += times * each * each;
            }
        return {own, total, n, effective: this.counts ? n : squares > 0 ? total * total / squares : 0};
    }

    // Weight per value of dimension k under all other conditions of the choice tested last.
    countsOf(k, choice) {
        const {fails, dims, masks} = this, {column, texts} = dims[k], out = new Float64Array(texts.length);

        return masks[k] ? addNearly(fails, column, this.weight(choice), out, masks[k])
            : addPassing(fails, column, this.weight(choice), out);
    }

    // Weight per bin of the window from..to (ticks), the choice of time left out. With a dimension k
    // also per row: rows[value] is the row, 255 none; its own condition does not matter either.
    histogram(choice, from, to, bins, k = -1, rows = null, height = 1) {
        const {fails, time, late, masks} = this, w = this.weight(choice), out = new Float64Array(bins * height);
        const column = k < 0 ? null : this.dims[k].column, mask = k < 0 ? null : masks[k], scale = bins / (to - from);

        for (let i = 0; i < fails.length; i++) {
            const t = time[i];
            if (t < from || t >= to || fails[i] > 2)
                continue;
            const v = column ? column[i] : 0, row = rows ? rows[v] : 0;
            const forgiven = (late && (t < choice.from || t >= choice.to)) + (mask !== null && mask[v] === 0);
            if (fails[i] === forgiven && row < height)
                out[row * bins + ((t - from) * scale | 0)] += w[i];
        }
        return out;
    }

    // Weight per value of every dimension of the samples that end in a subtree.
    payers(choice, tree, node) {
        const {fails, stack, leaves} = this, w = this.weight(choice), from = lowerBound(leaves, node), to = lowerBound(leaves, tree.end[node]);

        return this.dims.map(({column, texts}) => {
            const out = new Float64Array(texts.length);
            for (let i = 0; i < fails.length; i++)
                if (fails[i] === 0 && stack[i] >= from && stack[i] < to)
                    out[column[i]] += w[i];
            return out;
        });
    }
}

// Nodes whose stacks are not wanted: those with a function of `hide`, those without one of `keep`.
function unwanted(tree, hide, keep) {
    if (hide.size === 0 && !keep)
        return null;
    const bad = new Uint8Array(tree.n), kept = new Uint8Array(tree.n);

    for (let i = 0; i < tree.n; i++) {
        const up = tree.parent[i], id = tree.name[i];
        bad[i] = i > 0 && (bad[up] || hide.has(id)) ? 1 : 0;
        kept[i] = !keep || (i > 0 && (kept[up] || keep[id])) ? 1 : 0;
    }
    for (let i = 0; i < tree.n; i++)
        bad[i] |= kept[i] ^ 1;
    return bad;
}
