// pprof.js - the stacks as a profile for pprof: profile.proto, packed with gzip.

// A message that grows: fields are a number and a varint, or bytes.
class Message {
    constructor() {
        this.bytes = new Uint8Array(1024);
        this.n = 0;
    }

    room(more) {
        if (this.n + more > this.bytes.length) {
            const old = this.bytes;
            this.bytes = new Uint8Array(2 * (this.n + more));
            this.bytes.set(old.subarray(0, this.n));
        }
    }

    varint(v) {
        this.room(10);
        for (; v > 127; v = Math.floor(v / 128))
            this.bytes[this.n++] = v % 128 | 128;
        this.bytes[this.n++] = v;
    }

    number(field, v) {
        this.varint(field * 8);
        this.varint(v);
    }

    put(field, bytes) {
        this.varint(field * 8 + 2);
        this.varint(bytes.length);
        this.raw(bytes);
    }

    raw(bytes) {
        this.room(bytes.length);
        this.bytes.set(bytes, this.n);
        this.n += bytes.length;
    }

    // The fields are given by `fill`, which writes them into a message that is used again and again.
    message(field, inner, fill) {
        inner.n = 0;
        fill(inner);
        this.put(field, inner.done);
    }

    get done() {
        return this.bytes.subarray(0, this.n);
    }
}

// Functions that occur are locations, numbered from 1; a stack is a sample, its leaf first. Weights are
// those of the samples that are chosen now, in a comparison those of B.
function pprofOf({forward: tree, names, sums, state, samples, unit}) {
    const out = new Message(), part = new Message(), ids = new Message(), encoder = new TextEncoder();
    const texts = new Map([['', 0]]), id = (text) => texts.get(text) ?? (texts.set(text, texts.size), texts.size - 1);
    const used = new Uint32Array(names.n), type = samples.units.find((w) => w.name === state.weight).title;
    let n = 0;

    out.message(1, part, (m) => {
        m.number(1, id(type));
        m.number(2, id({samples: 'count', events: 'count', bytes: 'bytes', ns: 'nanoseconds'}[unit] ?? unit));
    });
    for (let i = 0; i < tree.n; i++) {
        if (!(sums.own[i] > 0))
            continue;
        ids.n = 0;
        for (let k = i; k > 0; k = tree.parent[k])
            ids.varint(used[tree.name[k]] ||= ++n);
        out.message(2, part, (m) => {
            m.put(1, ids.done);
            m.number(2, sums.own[i]);
        });
    }
    for (let name = 0; name < names.n; name++) {
        if (!used[name])
            continue;
        out.message(4, part, (m) => {
            m.number(1, used[name]);
            ids.n = 0;
            ids.number(1, used[name]);
            m.put(4, ids.done);
        });
        out.message(5, part, (m) => {
            m.number(1, used[name]);
            m.number(2, id(names.get(name)));
        });
    }
    for (const text of texts.keys())
        out.put(6, encoder.encode(text));
    if (samples.first > 0)
        out.number(9, Math.round((samples.first + state.choice.from * samples.tick) * 1000) * 1000);
    return out.done;
}

async function savePprof(page) {
    const packed = new Blob([pprofOf(page)]).stream().pipeThrough(new CompressionStream('gzip'));

    saveBlob(await new Response(packed).blob(), 'flame.pb.gz');
}
