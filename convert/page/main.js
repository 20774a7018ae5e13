// main.js - puts the page together when its data has been read.

const byId = (id) => document.getElementById(id);

function showMessage(text) {
    byId('message').textContent = text;
    byId('message').hidden = false;
}

// Buttons, the status line and everything else around the graph.
class Page {
    constructor(head, data) {
        this.head = head;
        for (const id of ['grid', 'query', 'letters', 'manual', 'canvas', 'functions'])
            this[id] = byId(id);
        this.view = new View(head, data, this.canvas, {
            changed: () => this.changed(),
            moved: () => this.moved(),
            say: (text) => byId('status').textContent = text,
        });
        this.table = new Table(this.view, this.functions, (id) => this.pick(id));
        this.texts();
        this.bind();
        this.view.apply(readState(head));
        this.query.value = this.view.state.query;
        this.moved();
    }

    reset = () => this.view.zoomTo(0);
    toggleTheme = () => this.set('theme', this.view.dark ? 'light' : 'dark');
    togglePalette = () => this.set('palette', this.view.state.palette === 'safe' ? 'type' : 'safe');
    showManual = () => this.manual.showModal();

    texts() {
        const {head, view} = this, n = view.forward.samples;
        const parts = [head.subtitle, [head.kind, head.weight].filter(Boolean).join(', '),
            weightText(view.whole, head.unit), n ? plural(n[0], 'sample') : '', plural(view.forward.n - 1, 'frame')];

        document.title = visible(head.title);
        byId('title').textContent = visible(head.title);
        byId('subtitle').textContent = visible(parts.filter(Boolean).join(' \u00b7 '));
        byId('command').textContent = head.command ? 'Made by: ' + visible(head.command) : '';
        if (!(view.whole > 0))
            showMessage('Nothing was recorded that could be shown here.');
    }

    bind() {
        const {view, grid, query, canvas} = this, click = (id, act) => byId(id).addEventListener('click', act);

        bindPointer(view, canvas, new Tip(view, byId('tip'), byId('stage')), () => grid.focus({preventScroll: true}));
        bindKeys(view, this);
        for (const key of ['icicle', 'reverse', 'table'])
            click(key, () => view.toggle(key));
        click('dark', this.toggleTheme);
        click('palette', this.togglePalette);
        click('reset', this.reset);
        click('before', () => view.nextMatch(-1));
        click('next', () => view.nextMatch(1));
        click('help', this.showManual);
        click('close', () => this.manual.close());
        click('save-svg', () => saveSvg(view));
        click('save-png', () => savePng(view));
        click('save-text', () => saveText(view));
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
            typing = setTimeout(() => view.search(query.value), view.names.n > 1e5 ? 150 : 0);
        });
        addEventListener('hashchange', () => {
            view.apply(readState(this.head));
            query.value = view.state.query;
        });
        new ResizeObserver(() => view.resize()).observe(byId('stage'));
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
            view.recolour();
            this.changed();
        });
    }

    set(key, value) {
        this.view.state[key] = value;
        this.view.recolour();
        this.changed();
    }

    // Follows the state of the view with everything that shows it.
    changed() {
        const {view, query} = this, {state, found} = view, n = found ? found.nodes.length : 0;
        const pressed = {icicle: state.icicle, reverse: state.reverse, table: state.table, dark: view.dark,
            palette: state.palette === 'safe'};

        writeState(this.head, state);
        for (const key of Object.keys(pressed))
            byId(key).setAttribute('aria-pressed', pressed[key]);
        document.documentElement.dataset.theme = view.dark ? 'dark' : 'light';
        query.setAttribute('aria-invalid', Boolean(found && found.error));
        byId('found').textContent = !found ? '' : found.error ? found.error
            : `${percentText(found.weight, view.whole)} \u00b7 ${plural(n, 'frame')}` +
                (view.match >= 0 ? ` \u00b7 ${view.match + 1}/${n}` : '');
        for (const id of ['before', 'next'])
            byId(id).disabled = n === 0;
        byId('reset').disabled = view.zoomed === 0;
        this.functions.hidden = !state.table;
        if (state.table)
            this.table.build();
        this.legend();
    }

    moved() {
        const {view, grid} = this;

        buildTwin(view, grid);
        byId('detail').textContent = !view.focused ? '' :
            view.nameOf(view.focus) + ' \u2014 ' + view.facts(view.focus).map((f) => f.join(' ').trim()).join(' \u00b7 ');
    }

    // The frame types that occur, with their colours.
    legend() {
        const {view} = this, types = [...frameTypes.keys()].filter((type) => view.forward.type.includes(type, 1));

        byId('legend').replaceChildren(...types.map((type) => {
            const item = element('li', ''), chip = element('i', '');
            chip.style.background = view.colours.css[type * shades + shades / 2];
            item.append(chip, frameTypes[type]);
            return item;
        }));
    }

    // Back to the graph, with a search for just this function.
    pick(id) {
        const name = this.view.names.get(id);

        this.query.value = name;
        this.view.search(name);
        this.view.toggle('table');
        this.view.nextMatch(1);
    }

    copy() {
        const {view} = this, name = view.hover >= 0 && view.bars.count[view.hover] === 1
            ? view.nameOf(view.bars.node[view.hover]) : view.nameOf(view.focus);
        const refused = () => view.say('This browser did not allow copying');

        navigator.clipboard?.writeText(name).then(() => view.say('Copied ' + name), refused) ?? refused();
    }

    // Escape: closes what is open, then clears the search.
    cancel() {
        const save = byId('save');

        if (save.open) {
            save.open = false;
        } else if (this.query.value !== '') {
            this.query.value = '';
            this.view.search('');
        } else if (this.view.state.table) {
            this.view.toggle('table');
        }
    }
}

// Shows the page, or why it cannot be shown. window.flame is for tests and the curious.
async function main() {
    let head, data;

    try {
        head = JSON.parse(byId('head').textContent);
        data = await readData(head, byId('data').textContent);
    } catch (e) {
        showMessage('The data of this page is damaged: ' + visible(e.message) + '.');
        return;
    }
    window.flame = new Page(head, data).view;
}

main();
