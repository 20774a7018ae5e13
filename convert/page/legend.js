// legend.js - what the colours mean, with the share of the samples that each of them has on top of their stacks; a
// press on an entry shows only these samples.

const legendPackages = 6; // packages that the legend names, largest first

// The classes of frames for each sort of palettes, "origin", "package" or "type"; found out when first asked for.
class Classes {
    constructor(page) {
        this.page = page;
        this.known = new Map();
    }

    // {of: the number of its class by node, names: of the classes, first: a node of each}
    get(sort) {
        if (!this.known.has(sort))
            this.known.set(sort, this.find(sort));
        return this.known.get(sort);
    }

    find(sort) {
        const {forward: tree, names} = this.page, numbers = new Map(), types = frameTypes.length, byFrame = new Int32Array(names.n * types).fill(-1), first = [], of = new Uint32Array(tree.n);

        for (let i = 0; i < tree.n; i++) {
            const id = tree.name[i], type = tree.type[i], key = id * types + type;
            if (byFrame[key] < 0) {
                const name = i > 0 ? classOf(sort, names.get(id), type) : '';
                if (!numbers.has(name)) {
                    numbers.set(name, numbers.size);
                    first.push(i);
                }
                byFrame[key] = numbers.get(name);
            }
            of[i] = byFrame[key];
        }
        return {of, names: [...numbers.keys()], first};
    }

    // 1 for each node whose frame is of one of the classes `tops`, as "origin.JDK", "type.Native"; null for none.
    tops(tops) {
        const {forward: tree} = this.page, out = new Uint8Array(tree.n);

        for (const top of tops) {
            const [, sort, name] = top.match(/^(origin|package|type)\.([^]*)$/) ?? [];
            if (!sort)
                continue;
            const {of, names} = this.get(sort), wanted = names.indexOf(name);
            for (let i = 1; i < of.length; i++)
                if (of[i] === wanted)
                    out[i] = 1;
        }
        return tops.length > 0 ? out : null;
    }
}

// The class of a condition: "JDK" of "origin.JDK".
const nameOfTop = (key) => key.replace(/^\w+\./, '');

class Legend {
    constructor(page, box) {
        this.page = page;
        this.box = box;
    }

    // {key, name, weight, colour} of each class that occurs. `own` is by node, of all that the other filters select.
    classes(own) {
        const {page} = this, {forward: tree, colours, state} = page, palette = sortOf(state.palette), {of, names, first} = page.classes.get(palette), weights = new Float64Array(names.length);

        for (let i = 1; i < of.length; i++)
            weights[of[i]] += own[i];
        const list = names.map((name, k) => ({key: `${palette}.${name}`, name, weight: weights[k],
            colour: page.view.painter.middleColour(colours, tree, first[k])})).filter(({name}) => name !== '');
        const order = ({name}) => (palette === 'origin' ? origins : frameTypes).indexOf(name), isChosen = ({key}) => state.tops.includes(key);
        return palette === 'package' ? list.sort((x, y) => isChosen(y) - isChosen(x) || y.weight - x.weight).slice(0, legendPackages)
            : list.filter((entry) => entry.weight > 0 || isChosen(entry)).sort((x, y) => order(x) - order(y));
    }

    build() {
        const {page, box} = this, {colours, base} = page;

        if (!base)
            return this.show(this.classes(page.all.own));
        this.shown = '';
        box.replaceChildren(...[['Less in B', colours.change[0]], ['May be chance', colours.change[4]], ['More in B', colours.change[8]], ['Missing in B', colours.change[2]]].map(([text, colour]) => {
            const item = element('li');
            item.append(chip(colour), text);
            return item;
        }));
    }

    // Entries stay where they are while their classes are the same: a press must not miss one, nor the focus be lost.
    show(classes) {
        const {page, box} = this, {state, all} = page, shown = classes.map(({key}) => key).join('\n');

        if (this.shown !== shown) {
            this.shown = shown;
            box.replaceChildren(...classes.map(({key, name}) => {
                const item = element('li'), e = button('', name, () => this.toggle(key));
                e.append(element('i'), name + ' ', element('small'));
                e.dataset.key = key;
                item.append(e);
                return item;
            }));
        }
        classes.forEach(({key, name, weight, colour}, k) => {
            const e = box.children[k].firstChild, share = percentText(weight, all.total), on = state.tops.includes(key);
            e.firstChild.style.background = colour;
            e.lastChild.textContent = share;
            e.setAttribute('aria-pressed', on);
            e.title = `${name}: ${share} have such a frame on top. ${on ? 'Show the others, too' : 'Show only these'}`;
            e.setAttribute('aria-label', e.title);
        });
    }

    toggle(key) {
        this.page.change((state) => state.tops = state.tops.includes(key) ? state.tops.filter((k) => k !== key) : [...state.tops, key]);
    }
}
