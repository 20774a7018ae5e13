// keys.js - the keyboard: keys that walk act on the graph, single letters act anywhere but in a text
// field, and can be switched off.

function bindKeys(page) {
    const {view, grid, query, letters, manual} = page;
    const walk = (node) => node >= 0 && view.show(node);
    const sibling = (step) => {
        const all = view.tree.siblings(view.focus);
        return all[Math.min(Math.max(all.indexOf(view.focus) + step, 0), all.length - 1)];
    };
    const caller = () => walk(view.tree.parent[view.focus]);
    const callee = () => walk(view.tree.widestChild(view.focus));
    const middle = () => view.painter.width / 2;

    const walking = {
        ArrowLeft: () => walk(sibling(-1)),
        ArrowRight: () => walk(sibling(1)),
        ArrowUp: () => view.icicle ? caller() : callee(),
        ArrowDown: () => view.icicle ? callee() : caller(),
        Home: () => walk(sibling(-Infinity)),
        End: () => walk(sibling(Infinity)),
        PageUp: () => view.pan(0, -view.painter.height * 0.8),
        PageDown: () => view.pan(0, view.painter.height * 0.8),
        Enter: () => view.zoomTo(view.focus),
        Backspace: () => view.zoomBack(),
    };
    const single = {
        '+': () => view.scale(1.5, middle(), true),
        '-': () => view.scale(1 / 1.5, middle(), true),
        '0': () => page.reset(),
        '/': () => query.select(),
        '[': () => page.strip.step(-1),
        ']': () => page.strip.step(1),
        n: () => view.nextMatch(1),
        N: () => view.nextMatch(-1),
        i: () => page.toggle('icicle'),
        r: () => page.toggle('reverse'),
        t: () => page.toggleView('table'),
        l: () => page.toggleView('tree'),
        q: () => page.head.report && page.toggleView('report'),
        o: () => page.toggle('details'),
        s: () => page.toggleView('sandwich'),
        h: () => page.hide(view),
        u: () => page.undo(),
        a: () => page.compare.pin(),
        x: () => page.compare.swap(),
        f: () => {
            byId('side').hidden = page.samples.dims.length === 0;
            byId('facets').querySelector('section:not([hidden]) input:not([hidden])')?.focus();
        },
        d: () => page.toggleTheme(),
        p: () => page.nextPalette(),
        w: () => page.toggle('widest'),
        g: () => page.toggle('log'),
        c: () => page.copy(),
        '?': () => manual.showModal(),
    };

    document.addEventListener('keydown', (e) => {
        const active = document.activeElement, inGraph = active === grid || active === document.body;
        if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || manual.open || active === query)
            return;
        if (active.matches('select, input:not([type=checkbox])') && e.key !== 'Escape')
            return;
        const here = viewOf(page.state) === 'tree' ? {...walking, ...page.calls.keys()} : walking;
        const act = inGraph && !['table', 'report'].includes(viewOf(page.state)) && Object.hasOwn(here, e.key) ? here[e.key]
            : letters.checked && Object.hasOwn(single, e.key) ? single[e.key]
                : e.key === 'Escape' ? () => page.cancel() : null;
        if (!act)
            return;
        e.preventDefault();
        if (inGraph && Object.hasOwn(walking, e.key))
            grid.focus({preventScroll: true});
        act();
    });
    query.addEventListener('keydown', (e) => {
        if (e.key === 'Enter' && e.shiftKey) {
            page.keep();
        } else if (e.key === 'Enter') {
            view.nextMatch(1);
        } else if (e.key === 'Escape') {
            page.cancel();
            grid.focus({preventScroll: true});
        } else {
            return;
        }
        e.preventDefault();
        e.stopPropagation(); // the focus may be on the graph by now
    });
}
