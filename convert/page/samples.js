// samples.js - which samples a choice means, and what they sum up to. One pass serves the tree and
// every facet: a facet counts what fulfils all conditions but its own.

// What is chosen: kind and weight by name; picks per dimension: {only, not}, sets of values; from and
// to in ticks, to exclusive; stacks with a function of `hide` go, those without a match of `keep` too.
function anything(samples) {
    return {picks: samples.dims.map(() => ({only: new Set(), not: new Set()})), from: 0, to: Infinity};
}

function bits(list, n = 0) {
    const out = new Uint8Array(Math.max(n, list.length > 0 ? largest(list) + 1 : 0));

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

// The weight of the samples at these places, by value.
function tally(places, column, weight, n) {
    const out = new Float64Array(n);

    for (let k = 0; k < places.length; k++)
        out[column[places[k]]] += weight[places[k]];
    return out;
}

// The same where each weighs 1, which takes half as long.
function tallyOnes(places, column, n) {
    const out = new Uint32Array(n);

    for (let k = 0; k < places.length; k++)
        out[column[places[k]]]++;
    return out;
}

const nounOf = (kind) => ['cpu', 'wall'].includes(kind) ? 'samples' : 'events';

class Samples {
    constructor(data, head) {
        const {facets} = head, s = Object.assign(this, data.samples), {n} = s;
        this.nodes = data.depth.length;
        this.ones = s.weights.get('count') ?? new Uint8Array(n).fill(1);
        this.fails = new Uint8Array(n);
        this.unwanted = new Uint8Array(n); // 9 where fails begins with that, for the kind of this.bit
        this.places = new Uint32Array(n); // behind this.passed and this.near
        this.tick = facets?.tick ?? 1;
        this.first = facets?.first ?? 0;
        this.last = n > 0 ? largest(s.time) + 1 : 1;
        this.kinds = facets?.kinds ?? [{name: '', title: head.kind}];
        this.units = [{name: 'count', title: facets ? 'samples' : head.weight || head.unit, unit: facets ? 'samples' : head.unit},
            ...(facets?.weights ?? []).filter((w) => w.name !== 'count')];
        this.kind = new Uint16Array(n);
        this.kinds.forEach((kind, k) => this.findKind(kind, 1 << k, bits(facets?.sleeping ?? [])));
    }

    dim(name) {
        return this.dims.findIndex((d) => d.name === name);
    }

    // Marks the samples of a kind with its bit: events of its types that count, are awake and take time, as the kind wants.
    findKind(kind, bit, sleeping) {
        const {n, event, ones, kind: out} = this, state = kind.awake ? this.dims[this.dim('state')].column : null;
        const lasted = kind.lasting ? this.weights.get('duration') : null, counts = this.weights.has('count') ? ones : null;

        if (event === null) {
            out.fill(bit);
            return;
        }
        const wanted = new Uint8Array(this.dims[this.dim('event')].texts.length).fill(kind.events ? 0 : 1), awake = new Uint8Array(state ? this.dims[this.dim('state')].texts.length : 0).fill(1);
        kind.events?.forEach((v) => wanted[v] = 1);
        sleeping.forEach((sleeps, v) => awake[v] = sleeps ? 0 : 1);
        if (state)
            for (let i = 0; i < n; i++)
                out[i] |= bit * (wanted[event[i]] & awake[state[i]]);
        else
            for (let i = 0; i < n; i++)
                out[i] |= bit * wanted[event[i]];
        for (let i = 0; (lasted || counts) && i < n; i++)
            if ((lasted && !(lasted[i] > 0)) || (counts && !(counts[i] > 0)))
                out[i] &= ~bit;
    }

    // The weight of a kind's samples at these places, by the weight that the kind opens with.
    totalOf({name, weight}, places) {
        const bit = 1 << this.kinds.findIndex((k) => k.name === name), own = this.weights.get(weight) ?? this.ones;

        return places.reduce((sum, i) => sum + (this.kind[i] & bit ? own[i] : 0), 0);
    }

    // What is counted of a kind: "samples" of what runs, "events" of all that happens.
    nounOf(name) {
        return this.dims.length > 0 ? nounOf(name) : this.units[0].unit;
    }

    // The weights that events of a kind have.
    weightsOf(name) {
        const {events} = this.kinds.find((kind) => kind.name === name);

        return this.units.filter((w) => !w.events || !events || w.events.some((e) => events.includes(e)))
            .map((w) => w.name === 'count' ? {...w, title: this.nounOf(name)} : w);
    }

    // Finds out who fulfils the conditions: this.passed are the places of samples that fulfil all,
    // this.near of those that miss one. `bad` marks nodes whose stacks are not wanted.
    test(choice, bad) {
        const {n, fails, stack, leaves, kind, dims, time, unwanted, places} = this, gone = bad && leaves.map((node) => bad[node]);
        const bit = 1 << this.kinds.findIndex((k) => k.name === choice.kind);
        let passed = 0, near = n;

        for (let i = 0; i < n && (gone || this.bit !== bit); i++)
            unwanted[i] = kind[i] & bit && !(gone && gone[stack[i]]) ? 0 : 9;
        this.bit = gone ? 0 : bit;
        fails.set(unwanted);
        this.masks = choice.picks.map((pick, k) => maskOf(pick, dims[k].texts.length));
        this.masks.forEach((mask, k) => mask && countFails(fails, dims[k].column, mask));
        this.late = choice.from > 0 || choice.to < this.last;
        if (this.late)
            countLate(fails, time, choice.from, choice.to);
        for (let i = 0; i < n; i++) { // both ends grow, without branches: which way to go would be a guess each time
            places[passed] = places[near - 1] = i;
            passed += fails[i] - 1 >>> 31;
            near -= (fails[i] ^ 1) - 1 >>> 31;
        }
        this.passed = places.subarray(0, passed);
        this.near = places.subarray(near).reverse();
    }

    weight(choice) {
        return this.weights.get(choice.weight) ?? this.ones;
    }

    tally(places, column, choice, n) {
        const w = this.weight(choice);

        return w === this.ones && !this.weights.has('count') ? tallyOnes(places, column, n) : tally(places, column, w, n);
    }

    // {own: by node, total, n: samples, effective: as many samples of equal weight err as much}. The
    // own of before is overwritten.
    sum(choice, bad, {own = new Float64Array(this.nodes)} = {}) {
        const w = this.weight(choice), {ones, leaves} = this;
        let total = 0, squares = 0, n = 0;

        this.test(choice, bad);
        const sums = this.tally(this.passed, this.stack, choice, leaves.length);
        for (let i = 0; i < leaves.length; i++)
            total += own[leaves[i]] = sums[i];
        if (w === ones && !this.counts)
            return {own, total, n: total, effective: total};
        for (const i of this.passed) {
            const each = w === ones ? 1 : w[i] / ones[i], times = this.counts ? this.counts[i] : ones[i];
            n += times;
            squares += times * each * each;
        }
        return {own, total, n, effective: this.counts ? n : squares > 0 ? total * total / squares : 0};
    }

    // Weight per value of dimension k under all other conditions of the choice tested last.
    countsOf(k, choice) {
        const {column, texts} = this.dims[k], n = texts.length, mask = this.masks[k], out = this.tally(this.passed, column, choice, n);
        const more = mask && this.tally(this.near, column, choice, n);

        for (let v = 0; v < n && mask; v++)
            out[v] += mask[v] ? 0 : more[v];
        return out;
    }

    // Weight per bin of the window from..to (ticks), the choice of time left out. With a dimension k
    // also per row: rows[value] is the row, 255 none; its own condition does not matter either.
    histogram(choice, from, to, bins, k = -1, rows = null, height = 1) {
        const {fails, time, late, masks, passed, near} = this, w = this.weight(choice), out = new Float64Array(bins * height), scale = bins / (to - from);
        const first = late ? choice.from : 0, last = late ? choice.to : Infinity;

        if (k < 0) {
            for (let j = 0; j < passed.length; j++) {
                const i = passed[j], t = time[i];
                if (t >= from && t < to)
                    out[(t - from) * scale | 0] += w[i];
            }
            for (let j = 0; late && j < near.length; j++) { // those inside of the choice of time miss another condition
                const i = near[j], t = time[i];
                if (t >= from && t < to && (t < first || t >= last))
                    out[(t - from) * scale | 0] += w[i];
            }
            return out;
        }
        const {column} = this.dims[k], mask = masks[k], misses = mask ? mask.map((passes) => passes ^ 1) : new Uint8Array(rows.length);
        for (let i = 0; i < time.length; i++) {
            const v = column[i], t = time[i], row = rows[v];
            if (row < height && t >= from && t < to && fails[i] === misses[v] + (t < first || t >= last))
                out[row * bins + ((t - from) * scale | 0)] += w[i];
        }
        return out;
    }

    // By node, what the samples of the choice tested last weigh whose values pass all of [dimension,
    // mask].
    part(choice, masks) {
        const {stack, leaves} = this, w = this.weight(choice), own = new Float64Array(this.nodes);

        for (const i of this.passed)
            if (masks.every(([k, mask]) => mask[this.dims[k].column[i]]))
                own[leaves[stack[i]]] += w[i];
        return own;
    }

    // How long the choice's range of time is, in s; of recordings that are chosen, their part of it.
    seconds({picks, from, to}) {
        const k = this.dim('input'), mask = k < 0 ? null : maskOf(picks[k], this.dims[k].texts.length), range = mask ? this.rangeOf(k, mask, from, to) : [from, Math.min(to, this.last)];

        return (range[1] - range[0]) * this.tick / 1000;
    }

    // From the first to the last sample of the time from..to whose value of dimension k passes the mask, in ticks, the end
    // exclusive; [0, 0] if there is none.
    rangeOf(k, mask, from = 0, to = Infinity) {
        const {column} = this.dims[k], {time} = this;
        let first = Infinity, last = -1;

        for (let i = 0; i < time.length; i++)
            if (mask[column[i]] && time[i] >= from && time[i] < to) {
                first = Math.min(first, time[i]);
                last = Math.max(last, time[i]);
            }
        return last < 0 ? [0, 0] : [first, last + 1];
    }

    // How many values of dimension k the samples have that passed last.
    distinct(k) {
        const {column, texts} = this.dims[k], seen = new Uint8Array(texts.length);

        for (const i of this.passed)
            seen[column[i]] = 1;
        return seen.subarray(1).reduce((a, b) => a + b, 0);
    }

    // Weight per value of every dimension of the samples that end in a subtree.
    payers(choice, tree, node) {
        const {stack, leaves} = this, w = this.weight(choice), from = lowerBound(leaves, node), to = lowerBound(leaves, tree.end[node]);

        return this.dims.map(({column, texts}) => {
            const out = new Float64Array(texts.length);
            for (const i of this.passed)
                if (stack[i] >= from && stack[i] < to)
                    out[column[i]] += w[i];
            return out;
        });
    }
}

// Nodes whose stacks are not wanted: those with a function of `hide`, those without one of `keep`, and with `tops`
// those that do not end in a frame that it has a 1 for.
function unwanted(tree, hide, keep, tops) {
    if (hide.size === 0 && !keep && !tops)
        return null;
    const bad = new Uint8Array(tree.n), kept = new Uint8Array(tree.n);

    for (let i = 0; i < tree.n; i++) {
        const up = tree.parent[i], id = tree.name[i];
        bad[i] = i > 0 && (bad[up] || hide.has(id)) ? 1 : 0;
        kept[i] = !keep || (i > 0 && (kept[up] || keep[id])) ? 1 : 0;
    }
    for (let i = 0; i < tree.n; i++)
        bad[i] |= kept[i] ^ 1 | (tops ? tops[i] ^ 1 : 0);
    return bad;
}
