// page.js - keeps all parts of the page in step with its state.

const byId = (id) => document.getElementById(id);

class Page {
    constructor(head, data, forward, times) {
        this.head = head;
        this.names = data.names;
        this.times = times; // durations of what was done, ms: for tests
        this.past = []; // addresses to go back to
        this.waiting = new Map(); // what later() is going to do
        for (const id of ['grid', 'query', 'letters', 'manual', 'functions'])
            this[id] = byId(id);
        this.samples = new Samples(data, head);
        this.forward = forward;
        const darkness = matchMedia('(prefers-color-scheme: dark)');
        this.isDark = () => this.state.theme === 'dark' || (this.state.theme === 'auto' && darkness.matches);
        this.view = new View(this, byId('canvas'), false);
        this.lower = new View(this, byId('canvas-lower'), true);
        this.size = this.stageSize(); // as they have measured it
        this.facets = new Facets(this, byId('facets'));
        this.table = new Table(this, this.functions);
        this.calls = new CallTree(this, byId('calls'));
        bindReport(this, byId('report'));
        this.drawer = new Drawer(this, byId('drawer'));
        this.strip = new Strip(this);
        this.minimap = new Minimap(this, byId('minimap'));
        this.kinds = kindSegments(this);
        this.views = viewSegments(this);
        this.classes = new Classes(this);
        this.legend = new Legend(this, byId('legend'));
        this.requests = this.samples.dims.findIndex(({name}) => /trace|request|span/i.test(name));
        this.compare = new Comparison(this);
        bindControls(this);
        this.apply(location.hash.slice(1));
        darkness.addEventListener('change', () => this.recolour());
    }

    select(id, list) {
        byId(id).replaceChildren(...list.map(({name, title}) => element('option', visible(title), {value: name})));
        byId(id).hidden = list.length < 2;
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

    // Sums up what is chosen, unless that is what it was, and shows it everywhere.
    update() {
        const start = performance.now(), {state} = this, selection = JSON.stringify([this.compare.current().toString(),
            ...['kind', 'weight', 'hide', 'keep', 'tops', 'a', 'norm', 'log'].map((key) => state[key])]), isNew = selection !== this.selection;

        this.selection = selection;
        if (isNew)
            sumUp(this);
        this.count('sum', start);
        this.recolour(true);
        this.show(isNew);
        this.begun = start; // until it is painted
        this.view.paint(); // a frame that comes soon would be too late for it
    }

    get whole() {
        return this.forward.total[0];
    }

    // What shows a moment later: after the next frame, so that an input is answered before. Once for each key.
    later(key, act) {
        if (this.waiting.size === 0)
            requestAnimationFrame(() => setTimeout(() => {
                const acts = [...this.waiting.values()];
                this.waiting.clear();
                acts.forEach((each) => each());
            }));
        this.waiting.set(key, act);
    }

    // A tree in the order that is chosen: by name or by weight.
    inOrder(tree) {
        return this.state.widest ? widestFirst(tree) : tree;
    }

    // The tree of the graph, callers or callees first; known until other samples are chosen.
    graph() {
        const {reverse: isReverse, widest} = this.state;

        if (!this.ordered || this.ordered.isReverse !== isReverse || this.ordered.widest !== widest) {
            const tree = isReverse ? this.reversed ??= reverse(this.forward) : this.forward;
            this.ordered = {isReverse, widest, tree: this.inOrder(tree)};
        }
        return this.ordered.tree;
    }

    // Gives the graphs their trees and everything else its text. isNew: other samples are chosen.
    show(isNew = false) {
        const {view, lower, state, forward, samples} = this, id = state.sandwich ? this.names.find(state.sandwich) : -1;
        const isForward = id < 0 && !state.reverse;
        const focus = isForward && this.wasForward ? view.tree.placeIn(forward, view.focus) : 0;

        if (byId('canvas-lower').hidden === id >= 0) {
            byId('canvas-lower').hidden = id < 0;
            byId('stage').classList.toggle('both', id >= 0);
            view.painter.resize();
            lower.painter.resize();
        }
        if (id >= 0) {
            const roots = topmost(forward, id);
            view.set(this.inOrder(reverse(forward, roots)), 0);
            view.focus = Math.min(1, view.tree.n - 1);
            lower.set(this.inOrder(callees(forward, roots)), 0);
        } else {
            const tree = this.graph();
            view.set(tree, tree.nodeOf(state.zoom));
            if (focus > 0 && tree.total[tree.nodeOf(focus)] > 0)
                view.focus = tree.nodeOf(focus);
        }
        this.wasForward = isForward;
        if (samples.dims.length > 0) {
            this.select('weight', samples.weightsOf(state.kind));
            if (isNew)
                this.facets.build();
            this.strip.showRange();
            this.later('strip', () => this.strip.build());
        }
        this.later('minimap', () => {
            this.minimap.build();
            this.minimap.frame();
        });
        this.later('legend', () => this.legend.build());
        showTexts(this);
        this.changed();
        this.moved();
    }

    // A weight, its share, and how far that may be off: samples are counts.
    amount(v, whole) {
        return `${weightText(v, this.unit)}, ${percentText(v, whole)}${this.error(v, whole)}`;
    }

    error(v, whole) {
        const p = v / whole, n = this.sums.effective;

        return p > 0 && p < 1 && n > 1 ? ` \u00b1 ${(100 * Math.sqrt(p * (1 - p) / n)).toPrecision(2)}` : '';
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
        this.kinds.update(state.kind);
        this.views.update(viewOf(state));
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
        this.functions.hidden = viewOf(state) !== 'table';
        this.calls.box.hidden = viewOf(state) !== 'tree';
        showReport(viewOf(state) === 'report');
        if (viewOf(state) === 'table')
            this.table.build();
        else if (viewOf(state) === 'tree')
            this.calls.build();
        this.drawer.build();
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
        if (this.calls.rows && viewOf(this.state) === 'tree')
            this.calls.reveal(view.focus);
        byId('detail').textContent = !view.focused ? '' :
            view.nameOf(view.focus) + ' \u2014 ' + view.facts(view.focus).map((f) => f.join(' ').trim()).join(' \u00b7 ');
        this.drawer.build();
    }

    // Is anything left out: by a filter, a time, or a function that is hidden?
    isFiltered() {
        const {state, compare} = this;

        return state.hide.length + state.tops.length > 0 || state.keep !== '' || compare.current().toString() !== '';
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

    // The callers and callees of a function: of the focused frame's, or else of the one with the largest weight of its own.
    sandwich(view = this.view, id = view.tree.name[view.focus]) {
        const {forward, names} = this, self = view.focus > 0 || id ? null : functions(forward, 0, names.n).self.at(-1);

        this.change((state) => state.sandwich = names.get(self ? self.indexOf(largest(self)) : id));
    }

    setView(name) {
        if (name === 'sandwich')
            this.sandwich();
        else
            this.change((state) => Object.assign(state, {view: name, sandwich: ''}));
    }

    toggleView(name) {
        this.setView(viewOf(this.state) === name ? 'flame' : name);
    }

    // Back to the graph, with a search for just this function.
    pick(id) {
        const name = this.names.get(id);

        this.query.value = name;
        this.state.query = name;
        if (this.state.view === 'table')
            this.state.view = 'flame';
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
        const menu = byId('menu'), {state, query} = this;

        if (menu.open) {
            menu.open = false;
        } else if (query.value !== '') {
            query.value = '';
            this.search('');
        } else if (state.details) {
            this.change((s) => s.details = false);
        } else if (!['flame', 'report'].includes(viewOf(state))) {
            this.setView('flame');
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
