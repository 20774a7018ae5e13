// inflate.js - raw deflate (RFC 1951) for browsers without DecompressionStream('deflate-raw').
// Throws on damage; never writes beyond the size that it was told to expect.

class Bits {
    constructor(bytes) {
        this.bytes = bytes;
        this.at = 0;
        this.word = 0;
        this.have = 0;
    }

    // At least n (<= 16) bits in the word; behind the end come a few zero bits, then an error.
    need(n) {
        for (; this.have < n; this.have += 8) {
            check(this.at < this.bytes.length + 4, 'data ends too early');
            this.word |= this.bytes[this.at++] << this.have;
        }
    }

    take(n) {
        this.need(n);
        const v = this.word & (1 << n) - 1;
        this.word >>>= n;
        this.have -= n;
        return v;
    }

    symbol(table) {
        this.need(15);
        const entry = table[this.word & 0x7fff];
        check(entry > 0, 'unknown code');
        this.take(entry & 15);
        return entry >> 4;
    }
}

// All 15-bit patterns -> symbol * 16 + bits of its code; 0 where no code begins like that.
function codeTable(lengths) {
    const table = new Uint16Array(1 << 15);
    let code = 0;

    for (let bits = 1; bits <= 15; bits++, code <<= 1)
        lengths.forEach((length, symbol) => {
            if (length !== bits)
                return;
            check(code >> bits === 0, 'too many codes');
            let first = 0;
            for (let k = 0; k < bits; k++)
                first |= (code >> k & 1) << bits - 1 - k;
            for (let i = first; i < table.length; i += 1 << bits)
                table[i] = symbol << 4 | bits;
            code++;
        });
    return table;
}

// The tables of a block: for literals and lengths, and for distances.
function readTables(bits, fixed) {
    const all = [];
    let literals = 288, distances = 32;

    if (fixed) {
        for (let s = 0; s < literals + distances; s++)
            all.push(s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : s < 288 ? 8 : 5);
    } else {
        literals = bits.take(5) + 257;
        distances = bits.take(5) + 1;
        const lengths = new Array(19).fill(0), n = bits.take(4) + 4;
        [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15].slice(0, n)
            .forEach((symbol) => lengths[symbol] = bits.take(3));
        for (const table = codeTable(lengths); all.length < literals + distances;) {
            const s = bits.symbol(table), value = s < 16 ? s : s > 16 ? 0 : all.at(-1) ?? 0;
            const times = s < 16 ? 1 : s === 16 ? 3 + bits.take(2) : s === 17 ? 3 + bits.take(3) : 11 + bits.take(7);
            for (let i = 0; i < times; i++)
                all.push(value);
        }
    }
    return [codeTable(all.slice(0, literals)), codeTable(all.slice(literals, literals + distances))];
}

// Lengths come in groups of four per extra bit, distances in groups of two.
function extended(bits, i, group, least) {
    const extra = i < 2 * group ? 0 : Math.floor(i / group) - 1;

    return least + (extra === 0 ? i : (group + i % group << extra) + bits.take(extra));
}

// Fills `out` and returns how many bytes there were.
function inflateRaw(packed, out) {
    const bits = new Bits(packed);
    let at = 0, last = 0;
    const room = (n) => check(at + n <= out.length, 'more data than announced');

    while (last === 0) {
        last = bits.take(1);
        const kind = bits.take(2);
        check(kind < 3, 'unknown block');
        if (kind === 0) {
            bits.take(bits.have & 7);
            const n = bits.take(16);
            bits.take(16);
            room(n);
            for (let i = 0; i < n; i++)
                out[at++] = bits.take(8);
            continue;
        }
        const [literals, distances] = readTables(bits, kind === 1);
        for (let s; (s = bits.symbol(literals)) !== 256;) {
            if (s < 256) {
                room(1);
                out[at++] = s;
                continue;
            }
            const n = s === 285 ? 258 : extended(bits, s - 257, 4, 3), back = extended(bits, bits.symbol(distances), 2, 1);
            check(back <= at, 'copy from before the start');
            room(n);
            for (let i = 0; i < n; i++, at++)
                out[at] = out[at - back];
        }
    }
    return at;
}
