// decode.js - the page's data: base64 -> raw deflate -> sections -> columns of numbers and names.
// Whatever is announced is checked against the bytes that are there before it sizes anything.

class Damaged extends Error {}

function check(good, message) {
    if (!good)
        throw new Damaged(message);
}

function fromBase64(text) {
    let bytes;

    try {
        bytes = atob(text);
    } catch (e) {
        throw new Damaged('not base64');
    }
    const out = new Uint8Array(bytes.length);
    for (let i = 0; i < out.length; i++)
        out[i] = bytes.charCodeAt(i);
    return out;
}

// Deflate makes nothing smaller than 1/1032, so a larger size is a lie.
async function inflate(packed, size) {
    check(size >= 0 && size <= packed.length * 1032 + 64, 'sections too long');
    const out = new Uint8Array(size);
    const stream = deflateStream();
    const n = stream ? await inflateStream(packed, stream, out) : inflateRaw(packed, out);
    check(n === size, 'less data than announced');
    return out;
}

function deflateStream() {
    try {
        return new DecompressionStream('deflate-raw');
    } catch (e) {
        return null;
    }
}

async function inflateStream(packed, stream, out) {
    const reader = new Blob([packed]).stream().pipeThrough(stream).getReader();
    let at = 0;

    for (;;) {
        const part = await reader.read().catch(() => {
            throw new Damaged('broken compression');
        });
        if (part.done)
            return at;
        check(at + part.value.length <= out.length, 'more data than announced');
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

// {names, depth, name, type, self, hidden, samples}; the last two may be null.
async function readData(head, text) {
    check(head.format === 1, 'another version');
    const sections = await readSections(head, text), n = head.nodes;
    const numbers = (name) => sections.has(name) ? varints(sections.get(name), n, Float64Array) : null;
    check(n >= 1, 'no root');
    const data = {
        names: new Names(sections, head.names),
        depth: readDepths(section(sections, 'tree.up'), n),
        name: varints(section(sections, 'tree.name'), n, Uint32Array),
        type: readTypes(section(sections, 'tree.type'), n),
        self: varints(section(sections, 'tree.self'), n, Float64Array),
        hidden: numbers('tree.hidden'),
        samples: numbers('tree.samples'),
    };
    check(data.name.every((id, i) => id < head.names || i === 0), 'frame without name');
    return data;
}
