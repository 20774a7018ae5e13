// pprof.mjs - reads profiles of pprof, as far as tests need it.

// The fields of a message of protobuf: [[field, number or bytes], ...].
function fieldsOf(bytes) {
    const out = [];
    let at = 0;
    const varint = () => {
        for (let v = 0, scale = 1; ; scale *= 128) {
            v += (bytes[at] & 127) * scale;
            if (bytes[at++] < 128)
                return v;
        }
    };

    while (at < bytes.length) {
        const key = varint(), v = varint();
        out.push([key >> 3, key & 2 ? bytes.subarray(at, at += v) : v]);
    }
    return out;
}

// What a profile holds, its stacks as collapsed lines.
export function stacksOfPprof(bytes) {
    const all = fieldsOf(bytes), of = (field) => all.filter(([f]) => f === field).map(([, v]) => v), text = of(6).map(String);
    const one = (message, field) => fieldsOf(message).find(([f]) => f === field)[1], map = (field, value) => new Map(of(field).map((m) => [one(m, 1), value(m)]));
    const functions = map(5, (m) => text[one(m, 2)]), locations = map(4, (m) => functions.get(one(one(m, 4), 1)));
    const ids = (packed) => {
        const out = [];
        for (let i = 0; i < packed.length; i++) {
            let v = packed[i] & 127;
            for (let scale = 128; packed[i] > 127; scale *= 128)
                v += (packed[++i] & 127) * scale;
            out.push(v);
        }
        return out;
    };

    return {type: text[one(of(1)[0], 1)], unit: text[one(of(1)[0], 2)],
        lines: of(2).map((m) => ids(one(m, 1)).reverse().map((id) => locations.get(id)).join(';') + ' ' + one(m, 2))};
}
