// decode.js - the page's data: text -> gzip -> sections -> columns of numbers and names.
// Whatever is announced is checked against the bytes that are there before it sizes anything.

class Damaged extends Error {}

function check(good, message) {
    if (!good)
        throw new Damaged(message);
}

// What boot.js makes of a text, which is the code of the page in it, too.
function bytesOf(text) {
    const bytes = fromText(text);

    check(bytes, 'a character that none of it is');
    return bytes;
}

// Deflate makes nothing smaller than 1/1032, so a larger size is a lie.
async function inflate(packed, size) {
    check(size >= 0 && size <= packed.length * 1032 + 64, 'sections too long');
    const out = new Uint8Array(size), parts = unpacked(packed);
    for (let at = 0; ;) {
        const part = await parts.next().catch(() => check(false, 'broken compression'));
        if (part.done) {
            check(at === size, 'less data than announced');
            return out;
        }
        check(at + part.value.length <= size, 'more data than announced');
        out.set(part.value, at);
        at += part.value.length;
    }
}

// The directory's sections by name.
async function readSections(directory, text) {
    const list = Array.isArray(directory) ? directory : [], sections = new Map();
    const bytes = await inflate(bytesOf(text), list.reduce((sum, s) => sum + s.bytes, 0));
    let at = 0;

    for (const s of list) {
        sections.set(s.name, bytes.subarray(at, at + s.bytes));
        check(s.bytes >= 0 && sections.get(s.name).length === s.bytes, 'no end of ' + s.name);
        at += s.bytes;
    }
    return sections;
}

// reduce() would take ten times as long.
function largest(list) {
    let most = 0;

    for (let i = 0; i < list.length; i++)
        if (list[i] > most)
            most = list[i];
    return most;
}

function section(sections, name) {
    check(sections.has(name), 'no section ' + name);
    return sections.get(name);
}

// n varints (seven bits a byte, low ones first, the ninth byte whole) into a new `Type` array.
function varints(bytes, n, Type) {
    check(n <= bytes.length, 'section too short');
    const out = new Type(n);
    let at = 0;
    for (let i = 0; i < n; i++) {
        let b = bytes[at++], v = b & 127;
        for (let scale = 128, k = 1; b > 127 && k < 9; k++, scale *= 128) {
            b = bytes[at++];
            v += (k < 8 ? b & 127 : b) * scale;
        }
        out[i] = v;
    }
    check(at === bytes.length, 'section too long');
    return out;
}

// Names are kept as bytes and become strings when they are first looked at.
class Names {
    constructor(sections, n) {
        const keep = varints(section(sections, 'names.keep'), n, Uint32Array);
        const more = varints(section(sections, 'names.more'), n, Uint32Array);
        const text = section(sections, 'names.text');
        this.n = n;
        this.from = new Float64Array(n + 1);
        for (let i = 0, before = 0; i < n; before = keep[i] + more[i], i++) {
            check(keep[i] <= before, 'name without beginning');
            this.from[i + 1] = this.from[i] + keep[i] + more[i];
        }
        check(this.from[n] <= 2 ** 30, 'names too long');
        this.bytes = new Uint8Array(this.from[n]);
        for (let i = 0, at = 0; i < n; at += more[i], i++) {
            if (i > 0)
                this.bytes.copyWithin(this.from[i], this.from[i - 1], this.from[i - 1] + keep[i]);
            this.bytes.set(text.subarray(at, at + more[i]), this.from[i] + keep[i]);
        }
        this.strings = new Array(n);
        this.decoder = new TextDecoder('utf-8', {ignoreBOM: true});
        this.text = this.decoder.decode(this.bytes);
        this.isPlain = this.text.length === this.bytes.length; // one character each
    }

    // The name as it stands in the recording; for the screen it goes through visible().
    get(i) {
        this.strings[i] ??= this.isPlain ? this.text.slice(this.from[i], this.from[i + 1])
            : this.decoder.decode(this.bytes.subarray(this.from[i], this.from[i + 1]));
        return this.strings[i];
    }

    // The place of a name, or -1.
    find(name) {
        for (let i = 0; i < this.n; i++)
            if (this.get(i) === name)
                return i;
        return -1;
    }
}

function readDepths(bytes, n) {
    const depth = varints(bytes, n, Uint32Array);

    depth[0] = 0;
    for (let i = 1; i < n; i++) {
        check(depth[i] <= depth[i - 1], 'frame without caller');
        depth[i] = depth[i - 1] + 1 - depth[i];
    }
    return depth;
}

// 0 stands for what the one before of the same name had, at first 0, and the others are one more.
function readTypes(bytes, name, names) {
    const type = bytes.slice(), last = new Uint8Array(names);

    for (let i = 0; i < type.length; i++)
        last[name[i]] = type[i] = type[i] > 0 ? type[i] - 1 : last[name[i]];
    check(largest(type) < frameTypes.length, 'unknown type');
    return type;
}

// A column of numbers in planes of bytes, low ones first, none larger than `most`. Where it `repeats`, 0
// stands for what the one before had, at first 0, and the others are one more.
function column(bytes, n, most, repeats) {
    const out = new Uint32Array(n), width = n > 0 ? bytes.length / n : 0;

    check(bytes.length === n * width && [0, 1, 2, 3, 4].includes(width), 'column of another length');
    if (width === 1)
        out.set(bytes);
    else if (width > 1)
        for (let i = 0, high = bytes.subarray(n); i < n; i++)
            out[i] = bytes[i] | high[i] << 8;
    for (let p = 2; p < width; p++)
        for (let i = 0, at = p * n; i < n; i++)
            out[i] |= bytes[at++] << 8 * p;
    let top = 0;
    for (let i = 0, last = 0; i < n; i++) {
        const v = out[i];
        if (repeats)
            last = out[i] = v > 0 ? v - 1 : last;
        top = Math.max(top, out[i]);
    }
    check(top <= most, 'unknown value');
    return out;
}

// How many varints there are.
function count(bytes) {
    let n = 0;

    for (let i = 0; i < bytes.length; i++)
        n += bytes[i] < 128;
    return n;
}

// Running sums of varints.
function rising(bytes, n) {
    const out = varints(bytes, n, Uint32Array);

    for (let i = 1; i < n; i++)
        out[i] += out[i - 1];
    return out;
}

// The texts of the values of all dimensions; 0 is "no value", the last one all that were not kept.
function readValues(sections, dims) {
    const sizes = varints(section(sections, 'dim.size'), dims.reduce((n, d) => n + d.values, 0), Uint32Array);
    const text = section(sections, 'dim.text'), decoder = new TextDecoder('utf-8', {ignoreBOM: true});
    let at = 0, k = 0;

    for (const d of dims) {
        d.texts = [''];
        while (d.texts.length <= d.values)
            d.texts.push(decoder.decode(text.subarray(at, at += sizes[k++])));
        if (d.more > 0)
            d.texts.push('(other)');
    }
}

// Each of the values, none larger than `most`, as often as `sizes` says, one after the other: n in all.
function spread(values, sizes, n, most) {
    const out = columnFor(n, most);
    let at = 0;

    check(values.length >= sizes.length, 'fewer values than announced');
    for (let k = 0; k < sizes.length; k++) {
        const end = at + sizes[k], v = values[k];
        check(end <= n, 'samples without end');
        while (at < end)
            out[at++] = v;
    }
    check(at === n, 'fewer samples than announced');
    return out;
}

// A column of n numbers up to `most`: the narrower, the faster to go through.
const columnFor = (n, most) => new (most < 65536 ? Uint16Array : Uint32Array)(n);

// Places 0..keys.length-1 in the order of their keys; equal ones stay as they are.
function sortedPlaces(keys) {
    let from = Uint32Array.from(keys, (_, i) => i), to = new Uint32Array(keys.length);

    for (let shift = 0, most = keys.length > 0 ? largest(keys) : 0; most / 2 ** shift >= 1; shift += 11) {
        const at = new Uint32Array(2049);
        for (let i = 0; i < keys.length; i++)
            at[(keys[i] >>> shift & 2047) + 1]++;
        for (let k = 1; k < 2049; k++)
            at[k] += at[k - 1];
        for (let i = 0; i < keys.length; i++)
            to[at[keys[from[i]] >>> shift & 2047]++] = from[i];
        [from, to] = [to, from];
    }
    return from;
}

// out[i] = column[places[i]]
function gather(column, places) {
    const out = new column.constructor(places.length);

    for (let i = 0; i < places.length; i++)
        out[i] = column[places[i]];
    return out;
}

// The samples as they are in the page, thread by thread (those that are "(other)" too) and there by time: {n, stack, leaves,
// time, dims, weights}, where a stack is the place of a node in leaves. In the page equal neighbours are one run; see
// flame/facets.h.
function readSamples({facets}, sections, {leaves}) {
    const n = facets.samples, dims = facets.dims, numbers = (name) => varints(section(sections, name), count(section(sections, name)), Uint32Array);

    check(n <= 1 << 28, 'more samples than can be');
    readValues(sections, dims);
    const groups = numbers('s.group'), time = varints(section(sections, 's.time'), n, Uint32Array), sizes = numbers('s.run');
    for (let k = 0, i = 0; k < groups.length; k++)
        for (const end = Math.min(i + groups[k], n), first = i; i < end; i++)
            if (i > first)
                time[i] += time[i - 1];
    const runs = sizes.length;
    for (const [k, d] of dims.entries()) {
        const most = d.texts.length - 1;
        if (k === 0) {
            const threads = numbers('s.0');
            check(largest(threads) <= most, 'unknown thread');
            d.column = spread(threads, groups, n, most);
        } else {
            d.column = d.width ? spread(column(section(sections, 's.' + k), runs, most, true), sizes, n, most) : columnFor(n, most).fill(d.values);
        }
    }
    const stacks = sortedPlaces(varints(section(sections, 's.first'), leaves.length, Uint32Array)); // by number
    const number = column(section(sections, 's.stack'), runs, leaves.length - 1, true);
    const stack = spread(gather(stacks, number), sizes, n, leaves.length), event = dims.find((d) => d.name === 'event').column, weights = new Map();
    for (const w of facets.weights) {
        const has = bits(w.events), own = new Float64Array(n), list = event.filter((e) => has[e]).length;
        const values = varints(section(sections, 'w.' + w.name), list, Float64Array);
        for (let i = 0, k = 0; i < n; i++)
            own[i] = has[event[i]] ? values[k++] : w.name === 'count' ? 1 : 0;
        weights.set(w.name, own);
    }
    return {n, stack, leaves, time, dims, weights, event};
}

// Every node with weight of its own as one sample, for pages that have sums only.
function plainSamples({own, counts, leaves}) {
    return {n: own.length, stack: leaves, leaves, time: new Uint32Array(own.length), dims: [],
        weights: new Map([['count', own]]), counts, event: null};
}

// What the page opens with, by node, and where stacks end: {own, leaves, counts}.
function readSums(head, sections, n) {
    const numbers = (name) => sections.has(name) ? varints(sections.get(name), n, Float64Array) : null;

    if (head.facets) {
        const leaves = rising(section(sections, 'leaf'), head.facets.leaves), own = new Float64Array(n);
        const sums = varints(section(sections, 'leaf.self'), leaves.length, Float64Array);
        check(leaves.length === 0 || leaves[leaves.length - 1] < n, 'stack without end');
        leaves.forEach((node, i) => own[node] = sums[i]);
        return {own, leaves};
    }
    const own = varints(section(sections, 'tree.self'), n, Float64Array), hidden = numbers('tree.hidden');
    for (let i = 0; hidden && i < n; i++)
        own[i] += hidden[i];
    return {own, leaves: Uint32Array.from({length: n}, (_, i) => i), counts: numbers('tree.samples')};
}

// {names, depth, name, type, own, leaves, counts}
async function readTree(head, text) {
    check(head.format === 4, 'another version');
    const sections = await readSections(head.sections, text), n = head.nodes;
    check(n >= 1 && n === section(sections, 'tree.type').length, 'another number of frames');
    const names = new Names(sections, head.names), name = column(section(sections, 'tree.name'), n, Math.max(head.names - 1, 0));
    return {
        names, name, depth: readDepths(section(sections, 'tree.up'), n),
        type: readTypes(section(sections, 'tree.type'), name, head.names),
        ...readSums(head, sections, n),
    };
}
