// subset.js - a smaller page with nothing in it but the samples that are chosen: the same document
// around data that is written as flame.h and flame/facets.h tell.

// The document before anything in it was touched.
// It has no report: that names other samples than those of the subset.
const skeleton = [...document.body.children].filter((e) => e.tagName !== 'SCRIPT').map((e) => {
    const copy = e.cloneNode(true);
    copy.querySelector('#report')?.replaceChildren();
    return copy.outerHTML;
}).join('\n');

// The inverse of fromText().
function toText(bytes) {
    const digits = new TextEncoder().encode(digits91), out = new Uint8Array(Math.ceil(bytes.length / 13) * 16 + 2);
    let bits = 0, have = 0, at = 0;

    for (const byte of bytes) {
        bits |= byte << have;
        have += 8;
        if (have > 12) {
            out[at++] = digits[(bits & 8191) % 91];
            out[at++] = digits[(bits & 8191) / 91 | 0];
            bits >>= 13;
            have -= 13;
        }
    }
    if (have > 0)
        out[at++] = digits[bits % 91];
    if (have > 6)
        out[at++] = digits[bits / 91 | 0];
    return new TextDecoder().decode(out.subarray(0, at));
}

const numbersOf = (list, m = new Message()) => list.forEach((v) => m.varint(v)) ?? m.done;

// Planes of bytes, low ones first; with `most`, of numbers that say 0 for "as the one before".
function planesOf(list, most, repeats) {
    const width = most < 256 ? 1 : most < 65536 ? 2 : most < 1 << 24 ? 3 : 4, out = new Uint8Array(width * list.length);

    for (let p = 0, at = 0; p < width; p++)
        for (let i = 0; i < list.length; i++)
            out[at++] = repeats ? list[i] === list[i - 1] ? 0 : list[i] + 1 >>> 8 * p : list[i] >>> 8 * p;
    return out;
}

// Numbers those that are marked: a number by place, and how many.
function numbered(marks) {
    let n = 0;
    const number = Uint32Array.from(marks, (mark) => mark ? n++ : 0);

    return {number, n, places: Uint32Array.from({length: n}, ((at) => () => {
        while (!marks[at])
            at++;
        return at++;
    })(0))};
}

// {text, directory} of sections [name, bytes].
async function packed(sections) {
    const stream = new Blob(sections.map(([, bytes]) => bytes)).stream().pipeThrough(new CompressionStream('gzip'));

    return {text: toText(new Uint8Array(await new Response(stream).arrayBuffer())),
        directory: '[' + sections.map(([name, {length}]) => `\n{"name":"${name}","bytes":${length}}`).join(',') + ']'};
}

// The names and frames that stacks of these leaves need.
function treeSections({forward: tree, names}, leaves) {
    const used = new Uint8Array(tree.n), named = new Uint8Array(names.n);
    used[0] = 1;
    leaves.forEach((node) => used[node] = 1);
    for (let i = tree.n - 1; i > 0; i--)
        used[tree.parent[i]] |= used[i];
    const nodes = numbered(used);
    nodes.places.forEach((i) => i > 0 && (named[tree.name[i]] = 1));
    const ids = numbered(named), text = new Message(), keep = [], more = [], up = [0], last = new Uint8Array(ids.n), type = [];
    let before = new Uint8Array();
    for (const id of ids.places) {
        const bytes = names.bytes.subarray(names.from[id], names.from[id + 1]);
        let k = 0;
        while (k < before.length && k < bytes.length && before[k] === bytes[k])
            k++;
        keep.push(k);
        more.push(bytes.length - k);
        text.raw(bytes.subarray(k));
        before = bytes;
    }
    for (let k = 1; k < nodes.n; k++)
        up.push(tree.depth[nodes.places[k - 1]] + 1 - tree.depth[nodes.places[k]]);
    const name = gather(ids.number, gather(tree.name, nodes.places));
    nodes.places.forEach((i, k) => {
        type.push(tree.type[i] === last[name[k]] ? 0 : tree.type[i] + 1);
        last[name[k]] = tree.type[i];
    });
    return {nodes, names: ids.n, sections: [['names.keep', numbersOf(keep)], ['names.more', numbersOf(more)], ['names.text', text.done],
        ['tree.up', numbersOf(up)], ['tree.name', planesOf(name, Math.max(ids.n - 1, 0))], ['tree.type', Uint8Array.from(type)]]};
}

// The sections of samples, which are places in the order of the file, and what the header says of the
// values that they have.
function sampleSections(samples, weights, places, stack, nLeaves) {
    const encoder = new TextEncoder(), sizes = [], texts = new Message(), ends = [], runs = [], groups = [], first = new Array(nLeaves).fill(-1), n = places.length;
    const dims = samples.dims.map((d) => {
        const seen = new Uint8Array(d.texts.length), column = gather(d.column, places), rest = d.more > 0 ? 1 : 0;
        column.forEach((v) => seen[v] = 1);
        seen[0] = 1;
        if (rest)
            seen[seen.length - 1] = 1;
        const {number, n: values, places: kept} = numbered(seen);
        for (const v of kept.subarray(1, values - rest)) {
            const text = encoder.encode(d.texts[v]);
            texts.raw(text);
            sizes.push(text.length);
        }
        return {d, number, seen, column: gather(number, column), head: {name: d.name, values: values - 1 - rest, more: d.more, width: 0}};
    });
    const thread = dims[0].column, time = gather(samples.time, places), ticks = new Message();
    for (let i = 0; i < n; i++) {
        const isNew = i === 0 || thread[i] !== thread[i - 1];
        if (isNew)
            groups.push(i);
        ticks.varint(time[i] - (isNew ? 0 : time[i - 1]));
        if (isNew || stack[i] !== stack[i - 1] || dims.some(({column}) => column[i] !== column[i - 1]))
            runs.push(i);
        if (first[stack[i]] < 0)
            first[stack[i]] = groups.length - 1;
    }
    const lengths = (starts) => numbersOf(starts.map((at, k) => (starts[k + 1] ?? n) - at)), number = new Uint32Array(nLeaves);
    sortedPlaces(Uint32Array.from(first)).forEach((leaf, k) => number[leaf] = k);
    for (const [k, dim] of dims.entries()) {
        const most = dim.head.values + (dim.d.more > 0) + 1, column = planesOf(gather(dim.column, runs), most, true);
        dim.head.width = column.length / (runs.length || 1) || 1;
        ends.push(k > 0 ? ['s.' + k, column] : ['s.0', numbersOf([...gather(thread, groups)])]);
    }
    const event = samples.dim('event');
    return {dims, sections: [['dim.size', numbersOf(sizes)], ['dim.text', texts.done],
        ['s.group', lengths(groups)], ['s.time', ticks.done], ['s.run', lengths(runs)], ['s.first', numbersOf(first)],
        ['s.stack', planesOf(gather(gather(number, stack), runs), nLeaves, true)], ...ends,
        ...weights.map((w) => ['w.' + w.name, numbersOf([...places].filter((i) =>
            w.events.includes(samples.dims[event].column[i])).map((i) => samples.weights.get(w.name)[i]))])]};
}

const inScript = (v) => JSON.stringify(v).replace(/[<>&\u2028\u2029]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));

// What the page is saved as. Samples of other kinds go along, where they fulfil the conditions.
async function subsetOf(page) {
    const {samples, state, head, sums, choice, bad} = page, {facets} = head, kind = samples.kinds.some((k) => k.name === 'all') ? 'all' : choice.kind;
    samples.test({...choice, kind}, bad);
    const by = (column, list) => gather(list, sortedPlaces(gather(column, list)));
    const places = by(samples.dims[0].column, by(samples.time, samples.passed)); // threads that are one have their samples in a row
    samples.test(choice, bad); // what the rest of the page goes by
    const marks = new Uint8Array(samples.leaves.length);
    places.forEach((i) => marks[samples.stack[i]] = 1);
    const leaves = numbered(marks), tree = treeSections(page, gather(samples.leaves, leaves.places));
    const ends = gather(tree.nodes.number, gather(samples.leaves, leaves.places));
    const data = await packed([...tree.sections, ['leaf', numbersOf([...ends].map((node, k) => node - (k > 0 ? ends[k - 1] : 0)))],
        ['leaf.self', numbersOf([...leaves.places].map((k) => sums.own[samples.leaves[k]]))]]);
    const {dims, sections} = sampleSections(samples, facets.weights, places, gather(leaves.number, gather(samples.stack, places)), leaves.n), rest = await packed(sections);
    const values = (list, name) => list.filter((v) => dims[samples.dim(name)].seen[v] && v > 0).map((v) => dims[samples.dim(name)].number[v]);
    const ofEvents = (list) => list.map((k) => ({...k, events: values(k.events, 'event')})), {diff, ...others} = facets;
    const all = {...head, report: false, kind: samples.kinds.find((k) => k.name === state.kind).title, weight: '', unit: page.unit,
        facets: {...others, samples: places.length, leaves: leaves.n, dims: dims.map((d) => d.head), kinds: ofEvents(facets.kinds).map((k) => ({...k, total: samples.totalOf(k, places)})),
            start: state.kind, weight: state.weight, weights: ofEvents(facets.weights), sleeping: values(facets.sleeping, 'state')},
        total: sums.total, names: tree.names, nodes: tree.nodes.n};
    delete all.sections;
    const lines = Object.entries(all).map(([key, v]) => `"${key}":${inScript(v)}`).join(',\n') + ',\n"sections":' + data.directory;
    const script = (attributes, text) => `<script${attributes}>${text}</script>\n`, text = (id, type, content) => script(` type="${type}" id="${id}"`, `\n${content}\n`);
    return ['<!doctype html>\n<html lang="en">\n<head>\n', [...document.querySelectorAll('meta')].map((m) => m.outerHTML).join('\n'),
        '\n<title>Flame graph</title>\n<style>', document.querySelector('style').textContent, '</style>\n</head>\n<body>\n', skeleton, '\n',
        text('data', 'text/plain', data.text), text('head', 'application/json', `{${lines}}`), script(' type="text/plain" id="code"', byId('code').textContent),
        script('', document.querySelector('script:not([type])').textContent), text('samples', 'text/plain', rest.text),
        text('directory', 'application/json', rest.directory), '</body>\n</html>\n'];
}
