// decode.js - the page's data: base64 -> raw deflate -> sections -> columns of numbers and names.
// Whatever is announced is checked against the bytes that are there before it sizes anything.

class Damaged extends Error {}

function check(good, message) {
    if (!good)
        throw new Damaged(message);
}

function fromBase64(text) {
    try {
        return Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    } catch (e) {
        throw new Damaged('not base64');
    }
}

// Deflate makes nothing smaller than 1/1032, so a larger size is a lie.
async function inflate(packed, size) {
    check(size >= 0 && size <= packed.length * 1032 + 64, 'sections too long');
    check(window.DecompressionStream, 'this browser is too old to unpack it');
    const out = new Uint8Array(size);
    const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    for (let at = 0; ;) {
        const part = await reader.read().catch(() => check(false, 'broken compression'));
        if (part.done) {
            check(at === size, 'less data than announced');
            return out;
        }
        check(at + part.value.length <= size, 'more data than announced');
        out.set(part.value, at);
        at += part.value.length;
    }
}

const crcTable = Int32Array.from({length: 256}, (_, i) => {
    for (let k = 0; k < 8; k++)
        i = i & 1 ? i >>> 1 ^ 0xedb88320 : i >>> 1;
    return i;
});

function crc32(bytes) {
    let crc = -1;

    for (let i = 0; i < bytes.length; i++)
        crc = crc >>> 8 ^ crcTable[(crc ^ bytes[i]) & 255];
    return ~crc >>> 0;
}

// The directory's sections by name, each checked.
async function readSections(head, text) {
    const directory = Array.isArray(head.sections) ? head.sections : [];
    const bytes = await inflate(fromBase64(text), directory.reduce((sum, s) => sum + s.bytes, 0));
    const sections = new Map();
    let at = 0;

    for (const s of directory) {
        const part = bytes.subarray(at, at + s.bytes);
        check(part.length === s.bytes && crc32(part) === s.crc, 'wrong checksum of ' + s.name);
        sections.set(s.name, part);
        at += s.bytes;
    }
    return sections;
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
    }

    // The name as it stands in the recording; for the screen it goes through visible().
    get(i) {
        this.strings[i] ??= this.decoder.decode(this.bytes.subarray(this.from[i], this.from[i + 1]));
        return this.strings[i];
    }
}

function readTypes(bytes, n) {
    const out = new Uint8Array(n);
    let at = 0;

    for (let i = 0; i < bytes.length;) {
        let v = 0, scale = 1, b;
        do {
            b = bytes[i++];
            v += (b & 127) * scale;
            scale *= 128;
        } while (b > 127 && scale < 2 ** 53);
        const run = Math.floor(v / 16);
        check(at + run <= n, 'more types than frames');
        out.fill(Math.min(v % 16, frameTypes.length - 1), at, at += run);
    }
    check(at === n, 'fewer types than frames');
    return out;
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

// A column of numbers in planes of bytes, low ones first. Where `threads` are given, 0 stands for
// what the sample before of the thread had. Nothing is larger than `most`.
function column(bytes, n, width, most, threads) {
    const out = new Uint32Array(n);

    check(bytes.length === n * width && width < 5, 'column of another length');
    for (let p = 0; p < width; p++)
        for (let i = 0, at = p * n; i < n; i++)
            out[i] |= bytes[at++] << 8 * p;
    if (threads)
        unfold(out, threads);
    for (let i = 0; i < n; i++)
        check(out[i] <= most, 'unknown value');
    return out;
}

function unfold(out, threads) {
    const last = new Uint32Array(threads.reduce((a, b) => a > b ? a : b, 0) + 1);

    for (let i = 0; i < out.length; i++)
        out[i] = out[i] ? last[threads[i]] = out[i] - 1 : last[threads[i]];
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

// The samples, each a place in columns: {n, stack, leaves, time, dims, weights}, where a stack is the
// place of a node in leaves; see flame_facets.h.
function readSamples({facets}, sections, nodes) {
    const n = facets.samples, dims = facets.dims, leaves = rising(section(sections, 'leaf'), facets.leaves);

    check(n <= 1 << 28 && leaves.every((i) => i < nodes), 'stack without end');
    readValues(sections, dims);
    for (const [k, d] of dims.entries())
        d.column = d.width ? column(section(sections, 's.' + k), n, d.width, d.texts.length - 1, k && dims[0].column)
            : new Uint32Array(n).fill(d.values);
    const stack = column(section(sections, 's.leaf'), n, facets.leafWidth, leaves.length - 1, dims[0].column);
    const event = dims.find((d) => d.name === 'event').column, weights = new Map();
    for (const w of facets.weights) {
        const has = bits(w.events), own = new Float64Array(n), list = event.filter((e) => has[e]).length;
        const values = varints(section(sections, 'w.' + w.name), list, Float64Array);
        for (let i = 0, k = 0; i < n; i++)
            own[i] = has[event[i]] ? values[k++] : w.name === 'count' ? 1 : 0;
        weights.set(w.name, own);
    }
    return {n, stack, leaves, time: rising(section(sections, 's.time'), n), dims, weights, event};
}

// Every node with weight of its own as one sample, for pages that have sums only.
function plainSamples(sections, n) {
    const numbers = (name) => sections.has(name) ? varints(sections.get(name), n, Float64Array) : null;
    const self = varints(section(sections, 'tree.self'), n, Float64Array), hidden = numbers('tree.hidden');

    if (hidden)
        for (let i = 0; i < n; i++)
            self[i] += hidden[i];
    const leaves = Uint32Array.from({length: n}, (_, i) => i);
    return {n, stack: leaves, leaves, time: new Uint32Array(n), dims: [],
        weights: new Map([['count', self]]), counts: numbers('tree.samples'), event: null};
}

// {names, depth, name, type, samples}
async function readData(head, text) {
    check(head.format === 2, 'another version');
    const sections = await readSections(head, text), n = head.nodes;
    check(n >= 1, 'no root');
    const data = {
        names: new Names(sections, head.names),
        depth: readDepths(section(sections, 'tree.up'), n),
        name: varints(section(sections, 'tree.name'), n, Uint32Array),
        type: readTypes(section(sections, 'tree.type'), n),
        samples: head.facets ? readSamples(head, sections, n) : plainSamples(sections, n),
    };
    check(data.name.every((id, i) => id < head.names || i === 0), 'frame without name');
    return data;
}
