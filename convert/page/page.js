// page.js - keeps all parts of the page in step with its state.

const byId = (id) => document.getElementById(id);

function showMessage(text) {
    byId('message').textContent = text;
    byId('message').hidden = !text;
}

class Page {
    constructor(head, data, forward, times) {
        this.head = head;
        this.names = data.names;
        this.times = times; // durations of what was done, ms: for tests
        this.past = []; // addresses to go back to
        for (const id of ['grid', 'query', 'letters', 'manual', 'functions'])
            this[id] = byId(id);
        this.samples = new Samples(data, head);
        this.forward = forward;
        this.types = [...bits(forward.type.subarray(1))].flatMap((occurs, type) => occurs ? [type] : []);
        const darkness = matchMedia('(prefers-color-scheme: dark)');
        this.isDark = () => this.state.theme === 'dark' || (this.state.theme === 'auto' && darkness.matches);
        this.view = new View(this, byId('canvas'), false);
        this.lower = new View(this, byId('canvas-lower'), true);
        this.size = this.stageSize(); // as they have measured it
        this.facets = new Facets(this, byId('facets'));
        this.table = new Table(this, this.functions);
        this.drawer = new Drawer(this, byId('drawer'));
        this.strip = new Strip(this);
        this.minimap = new Minimap(this, byId('minimap'));
        this.kinds = new Kinds(this, byId('kinds'));
        this.requests = this.samples.dims.findIndex(({name}) => /trace|request|span/i.test(name));
        byId('norm').append(...norms.filter(([name]) => name !== 'requests' || this.requests >= 0).map(([value, text]) => element('option', text, {value})));
        byId('lane').append(...[{name: ''}, ...this.samples.dims].map(({name}) => element('option', visible(name) || 'none', {value: name})));
        this.bind();
        this.apply(location.hash.slice(1));
        this.resize(); // what came beside the graph may have taken room from it
        darkness.addEventListener('change', () => this.recolour());
    }

    select(id, list) {
        byId(id).replaceChildren(...list.map(({name, title}) => element('option', visible(title), {value: name})));
        byId(id).hidden = list.length < 2;
    }

    bind() {
        const {view, lower, grid, query} = this, click = (id, act) => byId(id).addEventListener('click', act);

        for (const v of [view, lower])
            bindPointer(v, v.painter.canvas, new Tip(v, byId('tip'), byId('stage')), () => grid.focus({preventScroll: true}));
        bindKeys(this);
        for (const key of flags)
            click(key, () => this.toggle(key));
        for (const [id, key] of [['weight', 'weight'], ['lane', 'lanes'], ['norm', 'norm'], ['palette', 'palette']])
            byId(id).addEventListener('change', (e) => this.change((state) => state[key] = e.target.value));
        click('dark', () => this.toggleTheme());
        click('reset', () => this.reset());
        click('undo', () => this.undo());
        click('pin', () => this.pin());
        click('swap', () => this.swap());
        click('all-time', () => this.change(({choice}) => Object.assign(choice, {from: 0, to: this.samples.last})));
        click('filters', () => byId('side').hidden = !byId('side').hidden);
        click('before', () => view.nextMatch(-1));
        click('next', () => view.nextMatch(1));
        click('help', () => this.manual.showModal());
        click('close', () => this.manual.close());
        click('save-svg', () => saveSvg(view));
        for (const times of [1, 2, 4])
            click('save-png' + times, () => savePng(view, times));
        click('save-text', () => saveText(this.collapsed(), 'text/plain', 'flame.collapsed'));
        byId('save-page').hidden = !this.head.facets;
        click('save-page', async () => saveText(await subsetOf(this), 'text/html', 'selection.html'));
        click('save-pprof', () => savePprof(this));
        click('save-csv', () => saveText(this.table.csv(), 'text/csv', 'functions.csv'));
        click('copy-link', () => this.copy(location.href.replace(/#.*|$/, '#' + writeState(this))));
        click('copy-command', () => this.copy(this.command()));
        click('copy-cut', () => this.copy(this.command(true)));
        byId('save').addEventListener('click', (e) => e.target.tagName === 'BUTTON' && (byId('save').open = false));
        for (const [event, on] of [['focus', true], ['blur', false]])
            grid.addEventListener(event, () => {
                view.focused = on;
                this.moved();
                view.draw();
            });
        let typing = 0;
        query.addEventListener('input', () => {
            clearTimeout(typing);
            typing = setTimeout(() => this.search(query.value), this.names.n > 1e5 ? 150 : 0);
        });
        addEventListener('hashchange', () => this.apply(location.hash.slice(1)));
        new ResizeObserver(() => this.resize()).observe(byId('stage'));
    }

    stageSize() {
        const {width, height} = byId('stage').getBoundingClientRect();

        return width + ' ' + height;
    }

    resize() {
        const size = this.stageSize();

        if (this.size === size)
            return;
        this.size = size;
        this.view.resize();
        this.lower.resize();
        this.minimap.build();
        if (this.samples.dims.length > 0)
            this.strip.build();
    }

    // Takes over an address.
    apply(hash) {
        const kept = this.state;

        this.state = readState(this, hash);
        this.query.value = this.state.query;
        if (kept && kept.reverse !== this.state.reverse)
            this.view.focus = 0;
        this.update();
    }

    // Does what changes the state, to be undone by undo().
    change(act) {
        const before = writeState(this);

        act(this.state);
        if (!this.samples.weightsOf(this.state.kind).some((w) => w.name === this.state.weight))
            this.state.weight = 'count';
        if (writeState(this) === before)
            return;
        this.past.push(before);
        this.say(''); // the status line describes the state before this change
        this.update();
    }

    undo() {
        if (this.past.length === 0)
            return;
        this.say('');
        this.apply(this.past.pop());
    }

    // Sums up what is chosen, and shows it everywhere.
    update() {
        const start = performance.now(), {state, samples, forward, names} = this, {kind, weight} = state;
        const hide = new Set(), keep = parseQuery(state.keep), kept = keep?.test && new Uint8Array(names.n);

        if (state.hide.length > 0 || kept)
            for (let id = 0; id < names.n; id++) {
                if (state.hide.includes(names.get(id)))
                    hide.add(id);
                if (kept)
                    kept[id] = keep.test(names.get(id));
            }
        const bad = this.bad = unwanted(forward, hide, kept);
        this.choice = {...state.choice, kind, weight};
        this.base = state.a === null ? null
            : this.sum({...readChoice(samples, new URLSearchParams(state.a)), kind, weight}, bad, this.base ?? undefined);
        if (this.base)
            this.base.counts = samples.dims.map((_, k) => samples.countsOf(k, this.choice));
        this.sums = this.sum(this.choice, bad, this.sums);
        this.unit = samples.units.find((w) => w.name === weight).unit;
        this.weigh();
        this.reversed = this.shown = null;
        this.count('sum', start);
        this.recolour(true);
        this.show();
        this.begun = start; // until it is painted
        this.view.paint(); // a frame that comes soon would be too late for it
    }

    // A side of a comparison, with what it is divided by: its total, time or number of requests.
    sum(choice, bad, before) {
        const {samples, state, requests} = this, side = samples.sum(choice, bad, before), {norm} = state;

        if (state.a !== null)
            side.per = norm === 'time' ? samples.seconds(choice) : norm === 'none' ? 1
                : norm === 'requests' && requests >= 0 ? samples.distinct(requests) : side.total;
        return side;
    }

    // The larger side is 1; a side's `scale` is how large it is then.
    weigh() {
        const {base, sums, forward} = this;

        if (base) {
            const rate = (side) => side.per > 0 ? side.total / side.per : 0, most = Math.max(rate(base), rate(sums)) || 1;
            const [a, b] = [base, sums].map((side) => {
                side.scale = rate(side) / most;
                return side.own.map((v) => side.total > 0 ? v / side.total * side.scale : 0);
            });
            forward.weigh([a.map((v, i) => Math.max(v, b[i])), a, b]);
        } else {
            forward.weigh([sums.own]);
        }
    }

    // The weight of samples with these contexts, in the tree that is shown.
    partOf(contexts, tree) {
        const {samples} = this, masks = contexts.map(([key, test]) => [samples.dim(key), test]);

        if (this.state.reverse || this.state.sandwich || tree.a)
            return {error: 'contexts are searched in the plain graph only'};
        if (masks.some(([k]) => k < 0))
            return {error: 'no such context'};
        const part = samples.part(this.choice, masks.map(([k, test]) => [k, samples.dims[k].texts.map((text) => test(text) ? 1 : 0)]));
        return {total: tree.sums(tree.origin ? gather(part, tree.origin) : part)};
    }

    get whole() {
        return this.forward.total[0];
    }

    // Gives the graphs their trees and everything else its text.
    show() {
        const {view, lower, state, forward, samples} = this, id = state.sandwich ? this.idOf(state.sandwich) : -1;
        const order = (tree) => state.widest ? widestFirst(tree) : tree, isForward = id < 0 && !state.reverse;
        const focus = isForward && this.wasForward ? view.tree.placeIn(forward, view.focus) : 0;

        if (byId('canvas-lower').hidden === id >= 0) {
            byId('canvas-lower').hidden = id < 0;
            byId('stage').classList.toggle('both', id >= 0);
            view.painter.resize();
            lower.painter.resize();
        }
        if (id >= 0) {
            const roots = topmost(forward, id);
            view.set(order(reverse(forward, roots)), 0);
            view.focus = Math.min(1, view.tree.n - 1);
            lower.set(order(callees(forward, roots)), 0);
        } else {
            const tree = this.shown ??= order(state.reverse ? this.reversed ??= reverse(forward) : forward);
            view.set(tree, tree.nodeOf(state.zoom));
            if (focus > 0 && tree.total[tree.nodeOf(focus)] > 0)
                view.focus = tree.nodeOf(focus);
        }
        this.wasForward = isForward;
        if (samples.dims.length > 0) {
            this.select('weight', samples.weightsOf(state.kind));
            this.facets.build();
            this.strip.build();
        }
        this.minimap.build();
        this.texts();
        this.changed();
        this.moved();
    }

    idOf(name) {
        for (let id = 0; id < this.names.n; id++)
            if (this.names.get(id) === name)
                return id;
        return -1;
    }

    texts() {
        const {head, sums, base, state, samples, forward} = this, kind = samples.kinds.find((k) => k.name === state.kind);
        const parts = [head.subtitle, [kind.title, state.weight !== 'count' && samples.units.find((w) => w.name === state.weight).title].filter(Boolean).join(', '),
            weightText(sums.total, this.unit), state.weight !== 'count' || samples.counts ? plural(sums.n, 'sample') : '', plural(forward.n - 1, 'frame')];

        byId('subtitle').textContent = visible(parts.filter(Boolean).join(' \u00b7 '));
        showMessage(sums.total > 0 || base?.total > 0 ? '' : this.samples.n > 0 && this.samples.dims.length > 0 ? 'No samples match all filters. Clear one of them.' : 'This page has no samples: none were recorded, or none matched the options of the command.');
        byId('norms').hidden = !base;
        byId('compared').textContent = base ? `A is ${this.nameOfA()}, ${weightText(base.total, this.unit)}. B is the current selection, ${weightText(sums.total, this.unit)}: choose it with the filters.` : '';
        byId('hidden').replaceChildren(...[...state.hide.map((name) => ['\u2212 ' + name, (s) => s.hide = s.hide.filter((n) => n !== name)]),
            ...state.keep ? [['with ' + state.keep, (s) => s.keep = '']] : []].map(([text, act]) =>
            button(cut(visible(text), 60) + ' \u00d7', 'Clear: ' + cut(visible(text), 200), () => this.change(act))));
    }

    nameOfA() {
        return visible(cut([...new URLSearchParams(this.state.a)].map(([key, v]) => key.replace(/^only\./, '').replace(/^not\./, 'not ') + ' ' + v).join(', '), 120)) || 'everything';
    }

    // A weight, its share, and how far that may be off: samples are counts.
    amount(v, whole) {
        return `${weightText(v, this.unit)}, ${percentText(v, whole)}${this.error(v, whole)}`;
    }

    error(v, whole) {
        const p = v / whole, n = this.sums.effective;

        return p > 0 && p < 1 && n > 1 ? ` \u00b1 ${(100 * Math.sqrt(p * (1 - p) / n)).toPrecision(2)}` : '';
    }

    // What a side has of a frame: its share, or its rate where both sides are divided by something else.
    sideText(name, v) {
        const side = this[name], share = side.scale > 0 ? v / side.scale : 0, {norm} = this.state;

        return norm === 'samples' ? percentText(share, 1)
            : weightText(share * side.total / (side.per || 1), this.unit) + {none: '', time: ' a second', requests: ' a request'}[norm];
    }

    // The square of the standard error of what is drawn as v: of a share, or of a count.
    variance(side, v) {
        const {scale, effective} = side, p = scale > 0 ? v / scale : 0;

        return scale * scale * p * (this.state.norm === 'samples' ? 1 - p : 1) / (effective || 1);
    }

    // The difference in standard errors.
    significance(a, b) {
        const error = Math.sqrt(this.variance(this.base, a) + this.variance(this.sums, b));

        return error > 0 ? (b - a) / error : a === b ? 0 : Infinity * (b - a);
    }

    isNoise(a, b) {
        return !(Math.abs(this.significance(a, b)) >= 2);
    }

    // -4..4: how much less or more B is; 0 for what may be chance.
    strength(a, b) {
        return this.isNoise(a, b) ? 0 : Math.sign(b - a) * Math.min(4, Math.ceil(2 * Math.abs(Math.log2(b / a)) || 1));
    }

    changeFacts(a, b) {
        const shares = this.state.norm === 'samples', of = (name, v) => {
            const side = this[name], p = side.scale > 0 ? v / side.scale : 0;
            return this.sideText(name, v) + (shares && p > 0 && p < 1 && side.effective > 1 ? ` \u00b1 ${(100 * Math.sqrt(p * (1 - p) / side.effective)).toPrecision(2)}` : '') +
                (this.state.norm === 'none' ? '' : ', ' + weightText(p * side.total, this.unit));
        };
        const more = a > 0 && a !== b ? `${b >= a ? '+' : '\u2212'}${Math.abs(100 * (b / a - 1)).toPrecision(3)} %` : '';

        return [['A', of('base', a)], ['B', of('sums', b)], ['Change', (shares ? pointsText(b - a) + (more && ` (${more})`) : more || (a === b ? 'none' : 'new')) +
            (a !== b && this.isNoise(a, b) ? ', may be chance' : '')]];
    }

    rootLabel(view) {
        return view.tree.a ? 'all' : 'all: ' + weightText(view.whole, this.unit);
    }

    painted(view) {
        if (view !== this.view)
            return;
        this.minimap.frame();
        clearTimeout(this.telling);
        this.telling = setTimeout(() => this.address());
        if (this.begun)
            this.count('change', this.begun);
        this.begun = 0;
    }

    // Follows the state with everything that shows it.
    changed() {
        const {view, query, state} = this, {found} = view, n = found ? found.nodes.length : 0, whole = view.whole;
        const pressed = {dark: this.isDark(), pin: state.a !== null};

        state.zoom = state.sandwich ? 0 : view.tree.placeIn(null, view.zoomed);
        for (const key of flags)
            pressed[key] = state[key];
        for (const key of Object.keys(pressed))
            byId(key).setAttribute('aria-pressed', pressed[key]);
        this.kinds.update();
        for (const [id, value] of [['weight', state.weight], ['lane', state.lanes], ['norm', state.norm], ['palette', state.palette]])
            byId(id).value = value;
        query.setAttribute('aria-invalid', Boolean(found && found.error));
        byId('found').textContent = !found ? '' : found.error ? found.error
            : `${percentText(found.weight, whole)} \u00b7 ${plural(n, 'frame')}` + (view.match >= 0 ? ` \u00b7 ${view.match + 1}/${n}` : '');
        for (const id of ['before', 'next'])
            byId(id).disabled = n === 0;
        byId('reset').disabled = view.zoomed === 0 && !state.sandwich;
        byId('undo').disabled = this.past.length === 0;
        byId('swap').hidden = state.a === null;
        byId('pin').textContent = state.a === null ? 'Compare' : 'End comparison';
        this.functions.hidden = !state.table;
        this.grid.classList.toggle('seen', state.tree);
        if (state.table)
            this.table.build();
        this.drawer.build();
        this.legend();
        view.draw();
    }

    // Puts the state into the address, which takes longer than a picture.
    address() {
        const hash = '#' + writeState(this);

        if (hash === location.hash || (hash === '#' && location.hash === ''))
            return;
        try {
            history.replaceState(null, '', hash);
        } catch (e) {
            // Some browsers refuse this many changes in a row; the next one will do.
        }
    }

    moved() {
        const {view, grid} = this;

        buildTwin(view, grid);
        byId('detail').textContent = !view.focused ? '' :
            view.nameOf(view.focus) + ' \u2014 ' + view.facts(view.focus).map((f) => f.join(' ').trim()).join(' \u00b7 ');
        this.drawer.build();
    }

    // Is anything left out: by a filter, a time, or a function that is hidden?
    isFiltered() {
        const {state, samples} = this;

        return state.hide.length > 0 || state.keep !== '' || writeChoice(samples, state.choice, new URLSearchParams()).toString() !== '';
    }

    say(text) {
        byId('status').textContent = text;
    }

    recolour(quiet) {
        this.colours = this.view.colours = makeColours(this.isDark(), this.state.palette);
        document.documentElement.dataset.theme = this.colours.theme;
        if (!quiet)
            this.show();
    }

    // The frame types that occur, or what the colours of a comparison mean.
    legend() {
        const {colours} = this;
        const items = this.base ? [['Less in B', colours.change[0]], ['May be chance', colours.change[4]], ['More in B', colours.change[8]]]
            : colours.packages ? [] : this.types.map((type) => [frameTypes[type], colours.css[type * shades + shades / 2]]);

        byId('legend').replaceChildren(...items.map(([text, colour]) => {
            const item = element('li'), chip = element('i');
            chip.style.background = colour;
            item.append(chip, text);
            return item;
        }));
    }

    reset() {
        if (this.state.sandwich)
            this.change((state) => state.sandwich = '');
        this.view.zoomTo(0);
    }

    toggle(key) {
        const {view} = this, name = view.focus > 0 ? view.tree.name[view.focus] : -1;

        this.change((state) => {
            state[key] = !state[key];
            if (key === 'reverse' || key === 'icicle')
                state.sandwich = '';
            if (key === 'reverse')
                state.zoom = view.zoomed = view.focus = 0;
        });
        if (key === 'reverse' && this.state.reverse && name >= 0)
            view.setFocus(view.tree.siblings(1).find((i) => view.tree.name[i] === name) ?? 0);
    }

    toggleTheme() {
        this.change((state) => state.theme = this.isDark() ? 'light' : 'dark');
    }

    nextPalette() {
        this.change((state) => state.palette = palettes[(palettes.indexOf(state.palette) + 1) % palettes.length]);
    }

    search(text) {
        this.state.query = text;
        this.view.search();
        this.lower.tree && this.lower.search();
        this.changed();
    }

    // Keeps only stacks that match the search; contexts in it become conditions.
    keep() {
        const text = this.query.value, contexts = parseQuery(text)?.contexts ?? [], {samples} = this;

        this.change((state) => {
            for (const [key, test] of contexts)
                samples.dims[samples.dim(key)]?.texts.forEach((t, v) => test(t) && state.choice.picks[samples.dim(key)].only.add(v));
            state.keep = state.query = this.query.value = text.replace(/(^|\s)ctx\.[^:\s]+:\S+/g, '').trim();
        });
    }

    hide(view) {
        if (view.focus > 0)
            this.change((state) => state.hide.push(this.names.get(view.tree.name[view.focus])));
    }

    sandwich(view, id = view.tree.name[view.focus]) {
        this.change((state) => Object.assign(state, {sandwich: state.sandwich || (view.focus === 0 && !id) ? '' : this.names.get(id), table: false}));
    }

    // Pins what is chosen as A; whatever is chosen from then on is B.
    pin() {
        this.change((state) => state.a = state.a === null ? writeChoice(this.samples, state.choice, new URLSearchParams()).toString() : null);
    }

    swap() {
        if (this.state.a !== null)
            this.change((state) => {
                const a = writeChoice(this.samples, state.choice, new URLSearchParams()).toString();
                state.choice = readChoice(this.samples, new URLSearchParams(state.a));
                state.a = a;
            });
    }

    // Back to the graph, with a search for just this function.
    pick(id) {
        const name = this.names.get(id);

        this.query.value = name;
        this.state.query = name;
        Object.assign(this.state, {table: false});
        this.search(name);
        this.view.nextMatch(1);
    }

    copy(text) {
        const {view} = this, name = text ?? view.nameOf(view.hover >= 0 && view.bars.count[view.hover] === 1 ? view.bars.node[view.hover] : view.focus);
        const refused = () => this.say('This browser did not allow copying: ' + name);

        navigator.clipboard?.writeText(name).then(() => this.say('Copied ' + name), refused) ?? refused();
    }

    // Escape: closes what is open, then clears the search.
    cancel() {
        const save = byId('save'), {state, query} = this;

        if (save.open) {
            save.open = false;
        } else if (query.value !== '') {
            query.value = '';
            this.search('');
        } else if (state.table || state.details || state.sandwich) {
            this.change((s) => Object.assign(s, s.table ? {table: false} : s.details ? {details: false} : {sandwich: ''}));
        }
    }

    collapsed() {
        return collapsedOf(this);
    }

    command(cut) {
        return commandOf(this, cut);
    }

    count(what, start) {
        (this.times[what] ??= []).push(performance.now() - start);
    }
}
