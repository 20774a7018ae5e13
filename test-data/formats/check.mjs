// check.mjs - readers of the formats, written from their published descriptions alone. Each throws
// where a file breaks the rules of its format, and prints a summary that the caller compares.
//     node check.mjs otlp|labels|csv|sums|firefox|trace|d3|nested|schema FILE [...]
import {readFileSync} from 'node:fs';

const [, , what, file, more] = process.argv;

function check(good, text) {
    if (!good)
        throw new Error(text);
}

function strictUtf8(bytes) {
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
}

// --- protobuf: fields by number; no schema is known ---------------------------------------------

function* fields(bytes) {
    let at = 0;
    const varint = () => {
        let v = 0n;
        for (let shift = 0n; ; shift += 7n) {
            check(at < bytes.length && shift < 70n, 'varint is cut');
            const b = bytes[at++];
            v |= BigInt(b & 127) << shift;
            if (b < 128)
                return BigInt.asUintN(64, v);
        }
    };
    while (at < bytes.length) {
        const tag = Number(varint()), number = tag >> 3, wire = tag & 7;
        check(number > 0, 'field number 0');
        if (wire === 0) {
            yield [number, varint()];
        } else if (wire === 1) {
            check(at + 8 <= bytes.length, 'fixed64 is cut');
            yield [number, Buffer.from(bytes.buffer, bytes.byteOffset + at, 8).readBigUInt64LE()];
            at += 8;
        } else {
            check(wire === 2, `wire type ${wire}`);
            const n = Number(varint());
            check(at + n <= bytes.length, 'bytes are cut');
            yield [number, bytes.subarray(at, at + n)];
            at += n;
        }
    }
}

// {name: [number, kind]}; kinds: message names in `types`, 'string', 'bytes', 'int', 'ints', and []
// around what is repeated.
const types = {
    Data: {resources: [1, ['Resource']], dictionary: [2, 'Dictionary']},
    Resource: {scopes: [2, ['Scopes']]},
    Scopes: {scope: [1, 'Scope'], profiles: [2, ['Profile']]},
    Scope: {name: [1, 'string']},
    Dictionary: {mappings: [1, ['Mapping']], locations: [2, ['Location']], functions: [3, ['Function']],
        links: [4, ['Link']], strings: [5, ['string']], attributes: [6, ['Attribute']], stacks: [7, ['Stack']]},
    Mapping: {start: [1, 'int']},
    Location: {mapping: [1, 'int'], address: [2, 'int'], lines: [3, ['Line']], attributes: [4, 'ints']},
    Line: {function: [1, 'int'], line: [2, 'int']},
    Function: {name: [1, 'int']},
    Link: {trace: [1, 'bytes'], span: [2, 'bytes']},
    Attribute: {key: [1, 'int'], value: [2, 'Any'], unit: [3, 'int']},
    Any: {string: [1, 'string'], int: [3, 'int']},
    Stack: {locations: [1, 'ints']},
    Profile: {type: [1, 'ValueType'], samples: [2, ['Sample']], time: [3, 'int'], duration: [4, 'int']},
    ValueType: {type: [1, 'int'], unit: [2, 'int']},
    Sample: {stack: [1, 'int'], attributes: [2, 'ints'], link: [3, 'int'], values: [4, 'ints'], times: [5, 'ints']},
};

Object.assign(types, {
    Snapshot: {contexts: [1, ['ContextEntry']], strings: [2, ['StringEntry']]},
    ContextEntry: {key: [1, 'int'], value: [2, 'Context']},
    Context: {labels: [1, ['Pair']]},
    Pair: {key: [1, 'int'], value: [2, 'int']},
    StringEntry: {key: [1, 'int'], value: [2, 'string']},
});

function ints(v) {
    const all = [];
    if (typeof v === 'bigint')
        return [Number(BigInt.asIntN(64, v))];
    for (let at = 0; at < v.length;) {
        let n = 0n, shift = 0n;
        do {
            n |= BigInt(v[at] & 127) << shift;
            shift += 7n;
        } while (v[at++] >= 128);
        all.push(Number(BigInt.asIntN(64, n)));
    }
    return all;
}

function decode(type, bytes) {
    const result = {}, byNumber = {};
    for (const [name, [number, kind]] of Object.entries(types[type])) {
        byNumber[number] = [name, kind];
        if (Array.isArray(kind) || kind === 'ints')
            result[name] = [];
        else if (kind === 'int')
            result[name] = 0;
    }
    const one = (kind, v) => kind === 'string' ? strictUtf8(v) : kind === 'bytes' ? v : kind === 'int'
        ? Number(BigInt.asIntN(64, v)) : decode(kind, v);
    for (const [number, v] of fields(bytes)) {
        check(byNumber[number], `${type} has an unknown field ${number}`);
        const [name, kind] = byNumber[number];
        if (kind === 'ints')
            result[name].push(...ints(v));
        else if (Array.isArray(kind))
            result[name].push(one(kind[0], v));
        else
            result[name] = one(kind, v);
    }
    return result;
}

// Prints "TYPE/UNIT TOTAL SAMPLES" of every profile; then, with KEY=VALUE, the same of the samples
// that have this attribute; and how many have a link. With "links" the table of links alone.
function otlp() {
    const data = decode('Data', readFileSync(file)), d = data.dictionary;
    const within = (i, table, name) => check(i >= 0 && i < table.length, `${name} ${i} of ${table.length}`);
    const isZero = (o) => Object.values(o).every((v) => v === 0 || v === undefined || v.length === 0);

    for (const [name, table] of Object.entries(d))
        check(name === 'strings' ? table[0] === '' : isZero(table[0]), `entry 0 of ${name} is not empty`);
    check(new Set(d.strings).size === d.strings.length, 'a string stands twice');
    d.functions.forEach((f) => within(f.name, d.strings, 'name'));
    d.locations.forEach((l) => {
        l.lines.forEach((line) => within(line.function, d.functions, 'function'));
        l.attributes.forEach((a) => within(a, d.attributes, 'attribute'));
    });
    d.stacks.forEach((s) => s.locations.forEach((l) => within(l, d.locations, 'location') || check(l > 0, 'location 0')));
    d.attributes.slice(1).forEach((a) => within(a.key, d.strings, 'key') || check(a.value, 'no value'));
    d.links.slice(1).forEach((l) => check(l.trace.length === 16 && l.span.length === 8, 'length of a link'));
    if (more === 'links')
        return console.log(d.links.slice(1).map((l) => [l.trace, l.span].map((id) => Buffer.from(id).toString('hex')).join('/')).join('\n'));
    const text = (a) => `${d.strings[a.key]}=${a.value.string ?? a.value.int}`;
    for (const p of data.resources[0].scopes[0].profiles) {
        let total = 0, n = 0, links = 0;
        for (const s of p.samples) {
            check(s.values.length === 1 && s.values[0] > 0, 'values');
            within(s.stack, d.stacks, 'stack');
            within(s.link, d.links, 'link');
            s.attributes.forEach((a) => within(a, d.attributes, 'attribute') || check(a > 0, 'attribute 0'));
            const keys = s.attributes.map((a) => d.strings[d.attributes[a].key]);
            check(new Set(keys).size === keys.length, 'a key stands twice');
            if (more && !s.attributes.some((a) => text(d.attributes[a]) === more))
                continue;
            total += s.values[0];
            links += s.link > 0;
            n++;
        }
        console.log(`${d.strings[p.type.type]}/${d.strings[p.type.unit]} ${total} ${n}${links ? ` ${links} links` : ''}`);
    }
}

// Prints "ID KEY=VALUE ..." of every context of a LabelsSnapshot.
function labels() {
    const snapshot = decode('Snapshot', readFileSync(file));
    const strings = new Map(snapshot.strings.map((s) => [s.key, s.value]));
    check(strings.size === snapshot.strings.length && !strings.has(0), 'keys of strings');
    check(new Set(snapshot.contexts.map((c) => c.key)).size === snapshot.contexts.length, 'a context stands twice');
    for (const c of snapshot.contexts) {
        check(c.key > 0 && c.value.labels.length > 0, 'an empty context');
        const pairs = c.value.labels.map((l) => {
            check(strings.has(l.key) && strings.has(l.value), 'a string is missing');
            check(/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(strings.get(l.key)), `a label called ${strings.get(l.key)}`);
            return [strings.get(l.key), strings.get(l.value)];
        });
        check(new Set(pairs.map((p) => p[0])).size === pairs.length, 'a label stands twice');
        console.log(c.key, pairs.map((p) => p.join('=')).sort().join(' '));
    }
}

// --- CSV of RFC 4180, nothing more ---------------------------------------------------------------

function parseCsv() {
    const text = strictUtf8(readFileSync(file)), rows = [];
    let at = 0, row = [];
    while (at < text.length) {
        let cell = '';
        if (text[at] === '"') {
            for (at++; ; at++) {
                check(at < text.length, 'a quote is not closed');
                if (text[at] === '"' && text[++at] !== '"')
                    break;
                cell += text[at];
            }
        } else {
            for (; at < text.length && text[at] !== ',' && text[at] !== '\r'; at++) {
                check(text[at] !== '"' && text[at] !== '\n', `a bare ${JSON.stringify(text[at])} in a cell`);
                cell += text[at];
            }
        }
        row.push(cell);
        if (text[at] === ',') {
            at++;
            continue;
        }
        check(text.startsWith('\r\n', at), 'a line does not end in CR LF');
        at += 2;
        rows.push(row);
        row = [];
    }
    check(row.length === 0 && rows.length > 0, 'the last line is open');
    check(rows.every((r) => r.length === rows[0].length), 'lines of several lengths');
    return rows;
}

// What the columns TYPE/UNIT add up to: "TYPE/UNIT TOTAL ROWS-WITH-ANY".
function sums() {
    const rows = parseCsv(), names = rows[0];
    check(names.at(-1) === 'stack' && names.slice(0, 3).join() === 'thread,tid,state', 'names of the columns');
    check(new Set(names).size === names.length, 'a column stands twice');
    names.forEach((name, i) => {
        const v = rows.slice(1).map((r) => Number(r[i]));
        if (name.includes('/'))
            console.log(`${name} ${v.reduce((a, b) => a + b, 0)} ${v.filter((x) => x > 0).length}`);
    });
}

// --- JSON formats --------------------------------------------------------------------------------

function json() {
    return JSON.parse(strictUtf8(readFileSync(file)));
}

function trace() {
    const pids = new Set(), counts = {}, flows = new Map(), slices = new Map();
    for (const e of json().traceEvents) {
        counts[e.ph] = (counts[e.ph] ?? 0) + 1;
        check(typeof e.name === 'string' && Number.isInteger(e.pid) && Number.isInteger(e.tid), 'name, pid, tid');
        if (e.ph === 'M') {
            check(['process_name', 'thread_name'].includes(e.name) && typeof e.args.name === 'string', 'metadata');
            pids.add(e.pid + '/' + e.tid);
            continue;
        }
        if ('stf'.includes(e.ph)) {
            check(typeof e.ts === 'number' && typeof e.cat === 'string' && Number.isInteger(e.id), 'ts, cat, id');
            check((e.bp ?? 'e') === 'e' && (e.ph !== 'f' || e.bp), 'what an arrow is bound to');
            const key = `${e.cat} ${e.name} ${e.id}`;
            flows.set(key, [...(flows.get(key) ?? []), e]);
            continue;
        }
        check(typeof e.ts === 'number' && typeof e.cat === 'string' && e.cat && typeof e.args === 'object', 'ts, cat, args');
        check(e.tid === 0 || pids.has(e.pid + '/' + e.tid), `thread ${e.tid} has no name`);
        if (e.ph === 'X') {
            check(e.dur > 0, 'a slice without duration');
            const place = `${e.pid}/${e.tid}`;
            slices.set(place, (slices.get(place) ?? new Set()).add(e.ts));
        } else if (e.ph === 'C') {
            check(Object.values(e.args).every((v) => typeof v === 'number' || v === null), 'a counter that does not count');
        } else {
            check(e.ph === 'i' && ['t', 'g', 'p'].includes(e.s), `phase ${e.ph}`);
        }
    }
    // An arrow starts once and ends once, at slices, in the order of time, and changes the thread.
    for (const [key, steps] of flows) {
        check(steps.length > 1 && steps[0].ph === 's' && steps.at(-1).ph === 'f' &&
            steps.slice(1, -1).every((e) => e.ph === 't'), `the steps of ${key}`);
        steps.forEach((e, i) => {
            check(slices.get(`${e.pid}/${e.tid}`)?.has(e.ts), 'an arrow beside every slice');
            check(i === 0 || (e.ts >= steps[i - 1].ts && `${e.pid}/${e.tid}` !== `${steps[i - 1].pid}/${steps[i - 1].tid}`),
                'an arrow goes back, or stays');
        });
    }
    console.log(Object.entries(counts).sort().map(([k, v]) => `${k}=${v}`).join(' '));
}

// Column tables as src/types/profile.ts of Firefox's profiler has them, version 53.
function firefox() {
    const p = json();
    const columns = {
        stackTable: ['frame', 'prefix'], samples: ['stack', 'timeDeltas', 'weight'],
        frameTable: ['address', 'inlineDepth', 'category', 'subcategory', 'func', 'nativeSymbol', 'innerWindowID',
            'implementation', 'line', 'column'],
        funcTable: ['name', 'isJS', 'relevantForJS', 'resource', 'fileName', 'lineNumber', 'columnNumber'],
        resourceTable: ['lib', 'name', 'host', 'type'], nativeSymbols: ['libIndex', 'address', 'name', 'functionSize'],
        markers: ['data', 'name', 'startTime', 'endTime', 'phase', 'category'],
    };
    const formats = new Set(['string', 'nanoseconds', 'bytes', 'percentage', 'integer', 'decimal']);
    check(p.meta.preprocessedProfileVersion === 53 && typeof p.meta.startTime === 'number' &&
        p.meta.categories.some((c) => c.color === 'grey') && Array.isArray(p.libs), 'meta');
    check(p.meta.categories.every((c) => c.subcategories[0] === 'Other'), 'categories');
    const schemas = new Map(p.meta.markerSchema.map((s) => [s.name, s]));
    check(schemas.size === p.meta.markerSchema.length, 'a schema stands twice');
    for (const s of schemas.values())
        s.data.forEach((f) => check(f.key && f.label !== undefined && formats.has(f.format), 'a field of a schema'));
    check(p.threads.length > 0, 'no thread');
    const tids = new Set();
    for (const t of p.threads) {
        const within = (table, column, to, canBeNull) => t[table][column].forEach((i) =>
            check((canBeNull && i === null) || (Number.isInteger(i) && i >= 0 && i < to), `${table}.${column}: ${i} of ${to}`));
        for (const [table, names] of Object.entries(columns))
            for (const name of names)
                check(t[table][name].length === t[table].length, `${table}.${name} has ${t[table][name].length} of ${t[table].length}`);
        within('samples', 'stack', t.stackTable.length, true);
        within('stackTable', 'frame', t.frameTable.length);
        within('stackTable', 'prefix', t.stackTable.length, true);
        t.stackTable.prefix.forEach((prefix, i) => check(prefix === null || prefix < i, 'a prefix behind its stack'));
        within('frameTable', 'func', t.funcTable.length);
        within('frameTable', 'category', p.meta.categories.length);
        within('funcTable', 'name', t.stringArray.length);
        within('markers', 'name', t.stringArray.length);
        check(t.samples.timeDeltas.every((d) => d >= 0), 'time goes back');
        check(['samples', 'bytes', 'tracing-ms'].includes(t.samples.weightType), 'weightType');
        check(typeof t.name === 'string' && typeof t.pid === 'string' && !tids.has(t.tid), 'name, pid, tid');
        tids.add(t.tid);
        t.markers.data.forEach((d, i) => {
            check(schemas.has(d.type) && t.stringArray[t.markers.name[i]] === d.type, 'type of a marker');
            check(t.markers.endTime[i] > t.markers.startTime[i] && t.markers.phase[i] === 1, 'an interval');
            check(Object.entries(d).every(([k, v]) => v === null || typeof v !== 'object'), 'a value that is no scalar');
        });
        const sum = t.samples.weight.reduce((a, b) => a + b, 0);
        console.log(`${JSON.stringify(t.name)} ${t.samples.length} ${sum} ${t.markers.length}`);
    }
}

function d3() {
    let n = 0, deepest = 0;
    const stack = [[json(), 0]];
    const root = stack[0][0];
    while (stack.length > 0) {
        const [node, depth] = stack.pop();
        check(typeof node.name === 'string' && node.value >= 0, 'name, value');
        check((node.children ?? []).reduce((a, c) => a + c.value, 0) <= node.value, 'children weigh more');
        (node.children ?? []).forEach((c) => stack.push([c, depth + 1]));
        n++;
        deepest = Math.max(deepest, depth);
    }
    console.log(`${root.value} ${n} ${deepest}`);
}

// level, value, self, label in pre-order: values are what the rows below add up to.
function nested() {
    const rows = parseCsv(), below = [];
    check(rows[0].join() === 'level,value,self,label', 'names of the columns');
    const nodes = rows.slice(1).map((r) => r.slice(0, 3).map(Number));
    for (let i = nodes.length - 1; i >= 0; i--) {
        const [level, value, self] = nodes[i];
        check(i === 0 ? level === 0 : level >= 1 && level <= nodes[i - 1][0] + 1, 'levels');
        check(value === self + (below[level + 1] ?? 0), `row ${i} does not add up`);
        below[level + 1] = 0;
        below[level] = (below[level] ?? 0) + value;
    }
    console.log(`${nodes[0][1]} ${nodes.length} ${Math.max(...nodes.map((n) => n[0]))}`);
}

// The part of JSON Schema that speedscope's uses.
function schema() {
    const root = JSON.parse(readFileSync(more));
    const matches = (s, v, at) => {
        if (s.$ref)
            return matches(root.definitions[s.$ref.replace('#/definitions/', '')], v, at);
        if (s.anyOf)
            return s.anyOf.some((one) => { try { matches(one, v, at); return true; } catch { return false; } }) ||
                check(false, `${at} is nothing that is allowed`);
        if (s.enum)
            check(s.enum.includes(v), `${at} is ${v}`);
        if (s.type === 'object') {
            check(v !== null && typeof v === 'object' && !Array.isArray(v), `${at} is no object`);
            (s.required ?? []).forEach((name) => check(name in v, `${at} has no ${name}`));
            for (const [name, inner] of Object.entries(s.properties ?? {}))
                if (name in v)
                    matches(inner, v[name], `${at}.${name}`);
        } else if (s.type === 'array') {
            check(Array.isArray(v), `${at} is no array`);
            v.forEach((one, i) => matches(s.items, one, `${at}[${i}]`));
        } else if (s.type) {
            check(typeof v === s.type, `${at} is no ${s.type}`);
        }
        return true;
    };
    const data = json();
    matches(root, data, 'file');
    for (const p of data.profiles) {
        check(p.samples.length === p.weights.length && p.endValue >= p.startValue, 'samples, weights');
        p.samples.flat().forEach((f) => check(f < data.shared.frames.length, 'a frame that is not there'));
        console.log(`${JSON.stringify(p.name)} ${p.unit} ${p.weights.reduce((a, b) => a + b, 0)} ${p.samples.length}`);
    }
}

const verbs = {otlp, labels, firefox, trace, d3, nested, schema, sums,
    csv: () => { const rows = parseCsv(); console.log(`${rows.length - 1} ${rows[0].length}`); },
    cell: () => console.log(parseCsv().slice(1).map((r) => JSON.stringify(r[Number(more)])).join('\n'))};
verbs[what]();
