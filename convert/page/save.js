// save.js - the current view as a file, a picture, or the command that gives it. Files are made in
// the page and handed over as blobs; nothing is sent anywhere.

function saveBlob(blob, name) {
    const link = document.createElement('a');

    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const saveText = (text, type, name) => saveBlob(new Blob([text].flat(), {type}), name);

// With `times` as many pixels as the screen shows.
function savePng(view, times) {
    const canvas = document.createElement('canvas'), {width, height} = view.painter;

    canvas.getBoundingClientRect = () => ({width, height});
    view.paint(new Painter(canvas, view.names, times));
    canvas.toBlob((blob) => blob && saveBlob(blob, 'flame.png'));
    view.draw();
}

// A stand-in for the canvas's context that makes elements of what the painter draws.
class SvgContext {
    constructor({width, height, context, rowHeight}) {
        this.svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
        this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
        this.svg.setAttribute('font-size', rowHeight * 0.6);
        this.svg.setAttribute('font-family', 'sans-serif');
        this.context = context;
    }

    add(tag, attributes, text = '') {
        const e = document.createElementNS(this.svg.namespaceURI, tag);

        for (const key of Object.keys(attributes))
            e.setAttribute(key, attributes[key]);
        e.textContent = text;
        this.svg.append(e);
    }

    // The colour in words that every reader of SVG has: #rrggbb, and an opacity.
    fill() {
        this.context.fillStyle = this.fillStyle;
        const [, rgb, opacity] = this.context.fillStyle.match(/^rgba\((\d+, \d+, \d+), ([\d.]+)\)$/) ?? [];

        return rgb ? {fill: `rgb(${rgb})`, 'fill-opacity': opacity} : {fill: this.context.fillStyle};
    }

    fillRect(x, y, width, height) {
        this.add('rect', {x, y, width, height, ...this.fill()});
    }

    fillText(text, x, y) {
        this.add('text', {x, y, ...this.fill(), 'dominant-baseline': 'central'}, text);
    }

    measureText(text) {
        return this.context.measureText(text);
    }

    strokeRect() {}

    setTransform() {}
}

function saveSvg(view) {
    const {painter} = view, {context} = painter, drawing = painter.context = new SvgContext(painter);

    view.paint();
    painter.context = context;
    saveText(new XMLSerializer().serializeToString(drawing.svg), 'image/svg+xml', 'flame.svg');
}

// One line per stack of the zoomed part: frames from the root, separated by ';', and the weight: of
// the samples that are chosen now, in a comparison those of B.
function collapsedOf({forward: tree, names, view, state, sums}) {
    const root = state.sandwich || state.reverse ? 0 : view.tree.placeIn(tree, view.zoomed), lines = [], stack = [];
    const text = (i) => visible(names.get(tree.name[i])).replaceAll(';', ':');

    tree.path(root).slice(0, -1).forEach((i) => stack.push(text(i)));
    for (let i = root; i < tree.end[root]; i++) {
        stack.length = tree.depth[i];
        stack.push(text(i));
        if (sums.own[i] > 0)
            lines.push((i > 0 ? stack.slice(1).join(';') : '[no frames]') + ' ' + sums.own[i] + '\n');
    }
    return lines;
}

const literally = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

// The regular expression for other programs of a search, or null where there is none.
function expressionOf(query) {
    const [, re, i] = query.match(/^\/(.+)\/(i?)$/) ?? [], [, prefix, value] = query.match(/^(pkg|line):(\S+)$/) ?? [];
    const anyCase = (text) => text.replace(/[a-z]/g, (c) => `[${c}${c.toUpperCase()}]`);

    if (re)
        return i ? null : re;
    if (prefix)
        return prefix === 'pkg' ? `^${literally(value)}([./]|$)` : `:${literally(value)}$`;
    return /(^|\s)(-\S|(pkg|line|ctx\.\S*):)/.test(query) ? null : query === query.toLowerCase() ? anyCase(literally(query)) : literally(query);
}

// The command that makes a page of what is chosen now, or with `cut` a recording of these events; what
// it cannot say stands behind a #.
function commandOf({head, samples, state}, cut) {
    const quote = (text) => /^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
    const {choice} = state, words = [cut ? 'jfrkit cut' : head.command || 'jfrkit flame'], rest = [];
    const glob = (text) => /[*?]|^\/.*\/$/.test(text) ? `/^${literally(text)}$/` : text;
    const put = (...more) => words.push(...more.map(quote)), time = (tick) => {
        const us = Math.round((samples.first + tick * samples.tick) * 1000), rest = String(us % 1000).padStart(3, '0');
        return new Date(Math.floor(us / 1000)).toISOString().replace('Z', rest + 'Z').replace('000Z', 'Z');
    };
    const told = () => rest.length > 0 ? ' # ' + visible(rest.join(', ')) : '';
    const options = {thread: ['-t', '-T'], state: ['-s'], event: ['-e']};
    const sides = state.a === null || cut ? null : [new URLSearchParams(state.a), writeChoice(samples, choice, new URLSearchParams())].map(operandOf);

    const event = samples.dims[samples.dim('event')], kind = samples.kinds.find(({name}) => name === state.kind);
    if (cut && kind.events && choice.picks[samples.dim('event')].only.size === 0)
        kind.events.forEach((v) => put('-e', event.texts[v]));
    else if (!cut && (state.kind !== head.facets?.start || !/ -k /.test(words[0])))
        put('-k', state.kind || 'all');
    if ((state.weight !== 'count' || (kind.weight ?? 'count') !== 'count') && !cut)
        put('-u', samples.units.find((w) => w.name === state.weight).title);
    let inputs = samples.dims.find((d) => d.name === 'input')?.texts.slice(1) ?? [];
    const conditions = () => samples.dims.forEach(({name, texts}, k) => ['only', 'not'].forEach((how, not) => choice.picks[k][how].forEach((v) => {
        const text = texts[v] ?? '', option = options[name]?.[not];
        if (name === 'input')
            inputs = inputs.filter((file) => (file === text) !== (not === 1));
        else if (!options[name] && /^\((JVM: \w+|idle pool threads|empty)\)$/.test(text))
            rest.push(`${not ? 'not ' : 'only '}${text}`);
        else if (!options[name])
            put(not ? '-C' : '-c', `${name}=${glob(text)}`);
        else if (option)
            put(option, glob(text));
    })));
    if (sides?.every(Boolean)) {
        put('--diff');
        if (state.norm !== 'samples')
            put('--diff-norm', state.norm);
    } else {
        conditions();
        if (sides)
            rest.push('compared with ' + (state.a || 'everything'));
        if (choice.from > 0)
            put('--from', time(choice.from));
        if (choice.to < samples.last)
            put('--to', time(choice.to));
    }
    if (cut) {
        state.hide.forEach((name) => rest.push('without ' + name));
        state.tops.forEach((key) => rest.push('only with on top: ' + nameOfTop(key)));
        put('-o', 'selection.jfr', ...inputs.length > 0 ? inputs : [head.title]);
        return words.join(' ') + told();
    }
    for (const name of state.hide)
        put('-X', '^' + literally(name) + '$');
    if (state.tops.length > 0)
        rest.push('only with on top: ' + state.tops.map(nameOfTop).join(', '));
    if (state.keep && expressionOf(state.keep))
        put('-I', expressionOf(state.keep));
    else if (state.keep)
        rest.push('with ' + state.keep);
    if (state.query && state.query !== state.keep)
        put('--highlight', state.query);
    for (const key of ['icicle', 'reverse'])
        if (state[key])
            put('--' + key);
    for (const key of ['theme', 'palette'])
        if (state[key] !== [themes, palettes][key === 'theme' ? 0 : 1][0])
            put('--' + key, state[key]);
    put('-o', 'page.html', ...sides?.every(Boolean) ? sides : [],
        ...sides?.every((side) => side && !side.includes('=')) ? [] : inputs.length > 0 ? inputs : [head.title]);
    return words.join(' ') + told();
}

// One side of a comparison as an operand: the condition, or the recording; '' where it takes more.
function operandOf(side) {
    const [[key, value] = [], ...more] = [...side], [, how, name] = key?.match(/^(only|not)\.(.*)$/) ?? [];

    if (!name || more.length > 0 || /[*?]|^\/|^\(/.test(value))
        return '';
    return name === 'input' ? how === 'only' ? value : '' : name + (how === 'not' ? '!=' : '=') + value;
}
