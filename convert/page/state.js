// state.js - the view in the address, behind the #: to be bookmarked, passed on and gone back to. The
// page stores nothing anywhere else.

const themes = ['auto', 'light', 'dark'];
const palettes = ['origin', 'safe', 'type', 'package', 'grey'];
const flags = ['icicle', 'reverse', 'details', 'quiet', 'widest', 'log'];

// Which view a state is of: one function's callers and callees go before the others.
const viewOf = ({view, sandwich}) => sandwich ? 'sandwich' : view;
const norms = [['samples', 'Shares of all'], ['none', 'Totals'], ['time', 'Per second'], ['requests', 'Per request']];

// A value in the address, and on the screen: samples without one are not those of an empty one.
const valueText = (text) => text === '' ? '(none)' : text;
const shownText = (dim, text) => text === '' ? `(no ${dim})` : text;

// Puts a choice of samples into the parameters `out`; times are in ms from the first sample.
function writeChoice(samples, choice, out) {
    samples.dims.forEach(({name, texts}, k) => {
        for (const how of ['only', 'not'])
            choice.picks[k][how].forEach((v) => out.append(how + '.' + name, valueText(texts[v])));
    });
    if (choice.from > 0)
        out.set('from', choice.from * samples.tick);
    if (choice.to < samples.last)
        out.set('to', choice.to * samples.tick);
    return out;
}

// Values that the page does not have choose nothing, rather than everything.
function readChoice(samples, given) {
    const choice = anything(samples), ticks = (key, standard) => given.has(key) && +given.get(key) >= 0
        ? Math.round(+given.get(key) / samples.tick) : standard;

    samples.dims.forEach(({name, texts}, k) => {
        for (const how of ['only', 'not'])
            for (const text of given.getAll(how + '.' + name)) {
                const v = texts.findIndex((t) => valueText(t) === text);
                if (v >= 0 || how === 'only')
                    choice.picks[k][how].add(v >= 0 ? v : texts.length);
            }
    });
    choice.from = Math.min(ticks('from', 0), samples.last);
    choice.to = Math.max(ticks('to', samples.last), choice.from);
    return choice;
}

// "user=alice", "user!=alice" as parameters.
function choiceOf(text) {
    const [, key, not, value] = text.match(/^([^=]*?)(!?)=([^]*)$/);

    return new URLSearchParams([[(not ? 'not.' : 'only.') + key, value]]);
}

// With which weight a kind is shown unless the address says another.
function standardWeight(samples, facets, kind) {
    return kind === facets?.start ? facets.weight : samples.kinds.find(({name}) => name === kind)?.weight;
}

// What stands in the address; whatever is missing or wrong is as the page's header says.
function readState({head, samples}, hash) {
    const given = new URLSearchParams(hash), {facets} = head, diff = facets?.diff && !given.has('a') && !given.has('whole');
    const flag = (key) => given.has(key) ? given.get(key) === '1' : head[key] === true;
    const one = (list, key, standard) => list.includes(given.get(key)) ? given.get(key)
        : list.includes(standard) ? standard : list[0];
    const first = head.report ? 'report' : 'flame';
    const state = {
        zoom: /^\d{1,9}$/.test(given.get('zoom')) ? Number(given.get('zoom')) : 0,
        query: (given.get('q') ?? head.highlight ?? '').slice(0, 1000),
        theme: one(themes, 'theme', head.theme),
        palette: one(palettes, 'palette', head.palette),
        kind: one(samples.kinds.map((k) => k.name), 'kind', facets?.start),
        hide: given.getAll('hide'),
        tops: given.getAll('top'),
        keep: given.get('keep') ?? '',
        view: one(['flame', 'tree', 'table', first], 'view', first),
        sandwich: given.get('sandwich') ?? '',
        norm: one(norms.map(([name]) => name), 'norm', facets?.norm),
        lanes: one(['', ...samples.dims.map((d) => d.name)], 'lanes', ''),
        a: given.get('a') ?? (diff ? choiceOf(facets.diff[0]).toString() : null),
        choice: readChoice(samples, diff ? choiceOf(facets.diff[1]) : given),
    };

    flags.forEach((key) => state[key] = flag(key));
    state.weight = one(samples.weightsOf(state.kind).map((w) => w.name), 'weight', standardWeight(samples, facets, state.kind));
    return state;
}

function writeState({head, samples, state}) {
    const out = new URLSearchParams(), {facets} = head;
    const put = (key, standard) => state[key] !== standard && out.set(key, state[key]);

    if (state.zoom > 0)
        out.set('zoom', state.zoom);
    if (state.query !== (head.highlight ?? ''))
        out.set('q', state.query);
    for (const key of flags)
        if (state[key] !== (head[key] === true))
            out.set(key, state[key] ? '1' : '0');
    put('view', head.report ? 'report' : 'flame');
    put('theme', head.theme);
    put('palette', head.palette);
    put('kind', facets?.start ?? '');
    put('weight', standardWeight(samples, facets, state.kind) ?? 'count');
    put('norm', facets?.norm ?? 'samples');
    for (const key of ['keep', 'sandwich', 'lanes'])
        put(key, '');
    state.hide.forEach((name) => out.append('hide', name));
    state.tops.forEach((key) => out.append('top', key));
    if (state.a !== null)
        out.set('a', state.a);
    else if (facets?.diff)
        out.set('whole', 1);
    return writeChoice(samples, state.choice, out).toString();
}
