// controls.js - connects the page's buttons, lists and fields with what they do.

function bindControls(page) {
    const {view, lower, grid, query, samples} = page, click = (id, act) => byId(id).addEventListener('click', act);

    byId('norm').append(...norms.filter(([name]) => name !== 'requests' || page.requests >= 0).map(([value, text]) => element('option', text, {value})));
    byId('lane').append(...[{name: ''}, ...samples.dims].map(({name}) => element('option', visible(name) || 'none', {value: name})));
    for (const v of [view, lower])
        bindPointer(v, v.painter.canvas, new Tip(v, byId('tip'), byId('stage')), () => grid.focus({preventScroll: true}));
    bindKeys(page);
    for (const key of flags)
        click(key, () => page.toggle(key));
    for (const [id, key] of [['weight', 'weight'], ['lane', 'lanes'], ['norm', 'norm'], ['palette', 'palette']])
        byId(id).addEventListener('change', (e) => page.change((state) => state[key] = e.target.value));
    click('dark', () => page.toggleTheme());
    click('reset', () => page.reset());
    click('undo', () => page.undo());
    click('pin', () => page.compare.pin());
    click('swap', () => page.compare.swap());
    click('all-time', () => page.change(({choice}) => Object.assign(choice, {from: 0, to: samples.last})));
    click('filters', () => byId('side').hidden = !byId('side').hidden);
    click('clock', () => byId('clock').setAttribute('aria-expanded', byId('times').classList.toggle('open')));
    click('before', () => view.nextMatch(-1));
    click('next', () => view.nextMatch(1));
    click('help', () => page.manual.showModal());
    click('close', () => page.manual.close());
    bindMenu(page, click);
    for (const [event, on] of [['focus', true], ['blur', false]])
        grid.addEventListener(event, () => {
            view.focused = on;
            page.moved();
            view.draw();
        });
    let typing = 0;
    query.addEventListener('input', () => {
        clearTimeout(typing);
        typing = setTimeout(() => page.search(query.value), page.names.n > 1e5 ? 150 : 0);
    });
    addEventListener('hashchange', () => page.apply(location.hash.slice(1)));
    new ResizeObserver(() => page.resize()).observe(byId('stage'));
}

function bindMenu(page, click) {
    const {view} = page;

    click('save-svg', () => saveSvg(view));
    for (const times of [1, 2, 4])
        click('save-png' + times, () => savePng(view, times));
    click('save-text', () => saveText(page.collapsed(), 'text/plain', 'flame.collapsed'));
    byId('save-page').hidden = !page.head.facets;
    click('save-page', async () => saveText(await subsetOf(page), 'text/html', 'selection.html'));
    click('save-pprof', () => savePprof(page));
    click('save-csv', () => saveText(page.table.csv(), 'text/csv', 'functions.csv'));
    click('copy-link', () => page.copy(location.href.replace(/#.*|$/, '#' + writeState(page))));
    click('copy-command', () => page.copy(page.command()));
    click('copy-cut', () => page.copy(page.command(true)));
    byId('menu').addEventListener('click', (e) => e.target.tagName === 'BUTTON' && (byId('menu').open = false));
    addEventListener('pointerdown', (e) => byId('menu').contains(e.target) || (byId('menu').open = false));
}
