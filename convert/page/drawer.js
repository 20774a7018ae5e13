// drawer.js - all about the focused frame: its share, who calls it, what it calls, and who pays for it.

const drawerRows = 8;

class Drawer {
    constructor(page, box) {
        this.page = page;
        this.box = box;
    }

    build() {
        const {page, box} = this, view = page.view, {focus, tree} = view, id = tree.name[focus];

        box.hidden = !page.state.details;
        if (box.hidden)
            return;
        const parts = [element('h2', view.nameOf(focus)), this.list(view.facts(focus))];
        if (focus > 0) {
            const buttons = element('p');
            buttons.append(button('Copy', 'Copy the name (c)', () => page.copy()),
                button('Callers and callees', 'Who calls this function, what it calls (s)', () => page.sandwich(view)),
                button('Hide', 'Exclude stacks with this method (h)', () => page.hide(view)), ...this.source(page.names.get(id)));
            parts.push(buttons, ...this.function(id));
        }
        if (!page.state.reverse && !page.state.sandwich)
            page.samples.payers(page.choice, page.forward, tree.placeIn(page.forward, focus)).forEach((counts, k) => parts.push(...this.payers(counts, k)));
        box.replaceChildren(...parts);
    }

    // A link to the source, if the page was told where that is and the name is that of a method.
    source(name) {
        const [, path, method, line = ''] = name.match(/^((?:[\w$]+[./])*[\w$]+)\.([\w$<>]+)(?:\(.*\))?(?::(\d+))?/) ?? [], {source} = this.page.head;
        const classes = path?.replaceAll('/', '.'), values = {path: classes?.replace(/\$.*/, '').replaceAll('.', '/') + '.java', class: classes, method, line};

        return !path || !/^https?:\/\//.test(source) ? [] : [element('a', 'Source', {target: '_blank', rel: 'noopener noreferrer',
            href: source.replace(/\{(path|class|method|line)\}/g, (_, key) => encodeURI(values[key]))})];
    }

    list(pairs) {
        const list = element('dl');

        list.append(...pairs.flatMap(([key, value]) => [element('dt', key), element('dd', value)]));
        return list;
    }

    // The function wherever it stands: total, how it ran, callers and callees.
    function(id) {
        const {page} = this, {forward, names, whole} = page, roots = topmost(forward, id), callers = new Map(), called = new Map();
        const types = new Map(), add = (map, key, v) => map.set(key, (map.get(key) ?? 0) + v);
        let total = 0;

        for (const i of roots) {
            total += forward.total[i];
            add(callers, forward.name[forward.parent[i]], forward.total[i]);
        }
        for (let i = 1; i < forward.n; i++)
            if (forward.name[i] === id && forward.total[i] > 0) {
                add(types, frameTypes[forward.type[i]], forward.total[i]);
                for (const c of forward.children(i))
                    add(called, forward.name[c], forward.total[c]);
            }
        const largest = (map) => [...map].sort((x, y) => y[1] - x[1]).slice(0, drawerRows);
        const functions = (title, map) => map.size === 0 ? [] : [element('h3', title), this.links(largest(map), (key) =>
            key === 0 && map === callers ? 'all' : visible(cut(names.get(key), 300)), total, (key) => page.pick(key))];
        return [this.list([['Everywhere', page.amount(total, whole)], ...types.size > 1 ? largest(types).map(([type, v]) =>
            [type, percentText(v, [...types.values()].reduce((a, b) => a + b))]) : []]),
        ...functions('Called by', callers), ...functions('Calls', called)];
    }

    links(rows, text, whole, go) {
        const list = element('ul');

        list.append(...rows.map(([key, v]) => {
            const row = element('li'), link = button(cutMiddle(text(key), 30), '', () => go(key));
            link.title = text(key);
            row.append(link, element('b', percentText(v, whole)));
            row.style.backgroundSize = barSize(v, rows[0][1], this.page.state.log);
            return row;
        }));
        return list;
    }

    payers(counts, k) {
        const {page} = this, {texts, name} = page.samples.dims[k], whole = counts.reduce((a, b) => a + b, 0);
        const rows = [...counts.entries()].filter(([, v]) => v > 0).sort((x, y) => y[1] - x[1]);

        return rows.length < 2 ? [] : [element('h3', 'By ' + visible(name)), this.links(rows.slice(0, drawerRows),
            (v) => visible(cut(shownText(name, texts[v]), 200)), whole, (v) => page.facets.toggle(k, v, 'only'))];
    }
}
