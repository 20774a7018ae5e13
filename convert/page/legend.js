// legend.js - what the colours mean, with the share of the samples that each of them has on top of their stacks; a
// press on an entry shows only these samples.

const legendPackages = 6; // packages that the legend names, largest first

// 1 for each node whose frame is of one of the classes `tops`, as "origin.JDK", "type.Native"; null for none.
function topsOf({forward: tree, names}, tops) {
    if (tops.length === 0)
        return null;
    const wanted = tops.map((top) => top.match(/^(\w+)\.([^]*)$/) ?? []), seen = new Map();

    return tree.name.map((id, i) => {
        const key = id * 16 + tree.type[i];
        if (!seen.has(key))
            seen.set(key, i > 0 && wanted.some(([, palette, name]) => classOf(palette, names.get(id), tree.type[i]) === name) ? 1 : 0);
        return seen.get(key);
    });
}

class Legend {
    constructor(page, box) {
        this.page = page;
        this.box = box;
    }

    // The class of each node, as a number, and the names of the classes; known until the palette is another one.
    known(palette) {
        const {forward: tree, names} = this.page;

        if (this.palette !== palette) {
            const numbers = new Map(), byFrame = new Map();
            this.palette = palette;
            this.of = tree.name.map((id, i) => {
                const key = id * 16 + tree.type[i];
                if (!byFrame.has(key)) {
                    const name = classOf(palette, names.get(id), tree.type[i]);
                    if (!numbers.has(name))
                        numbers.set(name, numbers.size);
                    byFrame.set(key, numbers.get(name));
                }
                return byFrame.get(key);
            });
            this.names = [...numbers.keys()];
            this.first = this.names.map((_, k) => this.of.indexOf(k, 1)); // a node of each
        }
        return this;
    }

    // {key, name, weight, colour} of each class that occurs. `own` is by node, of all that the other filters select.
    classes(own) {
        const {page} = this, {forward: tree, colours, state} = page, palette = sortOf(state.palette), {of, names, first} = this.known(palette), weights = new Float64Array(names.length);

        for (let i = 1; i < of.length; i++)
            weights[of[i]] += own[i];
        const list = names.map((name, k) => ({key: `${palette}.${name}`, name, weight: weights[k],
            colour: first[k] < 0 ? '' : colours.css[page.view.painter.hueOf(colours, tree, first[k]) * shades + shades / 2]}));
        const order = ({name}) => (palette === 'origin' ? origins : frameTypes).indexOf(name), isChosen = ({key}) => state.tops.includes(key);
        return palette === 'package' ? list.sort((x, y) => isChosen(y) - isChosen(x) || y.weight - x.weight).slice(0, legendPackages)
            : list.filter((entry) => entry.weight > 0 || isChosen(entry)).sort((x, y) => order(x) - order(y));
    }

    build() {
        const {page, box} = this, {colours, base} = page;

        box.replaceChildren(...base ? [['Less in B', colours.change[0]], ['May be chance', colours.change[4]], ['More in B', colours.change[8]], ['Missing in B', colours.change[2]]].map(([text, colour]) => {
            const item = element('li');
            item.append(this.chip(colour), text);
            return item;
        }) : this.entries());
    }

    chip(colour) {
        const chip = element('i');

        chip.style.background = colour;
        return chip;
    }

    entries() {
        const {page} = this, {state, all} = page;

        return this.classes(all.own).map(({key, name, weight, colour}) => {
            const share = percentText(weight, all.total), item = element('li'), on = state.tops.includes(key);
            const e = button('', `${name}: ${share} have such a frame on top. ${on ? 'Show the others, too' : 'Show only these'}`, () => this.toggle(key));
            e.append(this.chip(colour), name + ' ', element('small', share));
            e.setAttribute('aria-pressed', on);
            item.append(e);
            return item;
        });
    }

    toggle(key) {
        this.page.change((state) => state.tops = state.tops.includes(key) ? state.tops.filter((k) => k !== key) : [...state.tops, key]);
    }
}
