// facets.js - the panel of conditions: per dimension its values with their share of what all other
// filters let through, to be picked or excluded.

const fewValues = 7, manyValues = 100;

class Facets {
    constructor(page, box) {
        this.page = page;
        this.box = box;
        this.open = new Set(); // dimensions of which more values are shown
        this.parts = page.samples.dims.map((dim, k) => this.part(dim, k));
        const order = (k) => ['thread', 'state', 'event', 'input'].indexOf(page.samples.dims[k].name); // context first
        box.append(...[...this.parts.keys()].sort((x, y) => order(x) - order(y) || x - y).map((k) => this.parts[k].section));
    }

    part(dim, k) {
        const section = element('section'), list = element('ul'), find = element('input', '', {type: 'search',
            placeholder: 'Find ' + visible(dim.name), 'aria-label': 'Find ' + visible(dim.name), maxlength: 200});
        const all = button('all', 'Clear this filter', () => this.page.change(() => this.pick(k).only.clear() ?? this.pick(k).not.clear()));
        const more = button('', '', () => {
            if (!this.open.delete(k))
                this.open.add(k);
            this.build();
        });
        const head = element('h2', visible(dim.name));

        head.append(element('small', dim.values > 1 ? grouped(dim.values + dim.more) : ''), all);
        find.hidden = dim.texts.length <= fewValues + 2;
        find.addEventListener('input', () => this.build());
        section.append(head, find, list, more);
        section.setAttribute('aria-label', visible(dim.name));
        return {section, list, find, all, more};
    }

    pick(k) {
        return this.page.state.choice.picks[k];
    }

    toggle(k, v, how) {
        const pick = this.pick(k);

        this.page.change(() => {
            if (pick[how].delete(v))
                return;
            pick.only.delete(v);
            pick.not.delete(v);
            pick[how].add(v);
        });
    }

    build() {
        const {page} = this, active = document.activeElement?.dataset.at;

        this.parts.forEach((part, k) => this.fill(part, k, page.samples.dims[k]));
        if (active && document.activeElement?.dataset.at !== active)
            this.box.querySelector(`[data-at="${active}"]`)?.focus();
    }

    fill(part, k, {name, texts, width}) {
        const {page} = this, pick = this.pick(k);
        part.section.hidden = !width && pick.only.size + pick.not.size === 0; // all samples have the same
        if (part.section.hidden)
            return;
        const counts = page.samples.countsOf(k, page.choice), sides = page.base && [page.base.counts[k], counts].map((list) => ({list, whole: list.reduce((a, b) => a + b, 0)}));
        const want = part.find.value.toLowerCase(), chosen = (v) => pick.only.has(v) || pick.not.has(v);
        const ids = [...texts.keys()].filter((v) => (counts[v] > 0 || sides?.[0].list[v] > 0 || chosen(v)) && (!want || shownText(name, texts[v]).toLowerCase().includes(want)));
        const whole = counts.reduce((a, b) => a + b, 0), picked = pick.only.size + pick.not.size > 0;

        part.section.hidden = ids.length < 2 && !picked && !want;
        if (part.section.hidden)
            return;
        ids.sort((x, y) => chosen(y) - chosen(x) || counts[y] - counts[x] || x - y);
        const shown = this.open.has(k) ? manyValues : fewValues, rest = ids.length - shown, most = counts.reduce((a, b) => a > b ? a : b, 0);
        part.list.replaceChildren(...ids.slice(0, shown).map((v) => this.row(k, v, texts[v], counts[v], whole, most, sides)));
        part.all.hidden = !picked;
        part.more.hidden = rest <= 0 && !this.open.has(k);
        part.more.textContent = this.open.has(k) ? 'Fewer' : rest > 0 ? grouped(rest) + ' more' : '';
    }

    row(k, v, text, weight, whole, most, sides) {
        const {only, not} = this.pick(k), row = element('li'), label = element('label'), name = visible(cut(shownText(this.page.samples.dims[k].name, text), 200));
        const check = element('input', '', {type: 'checkbox', 'data-at': `${k} ${v}`}), share = percentText(weight, whole);
        const leave = button('\u2212', 'Exclude ' + name, () => this.toggle(k, v, 'not'));

        check.checked = only.has(v);
        check.addEventListener('change', () => this.toggle(k, v, 'only'));
        label.append(check, element('span', cutMiddle(name, 20)), element('b', sides ? sides.map((side) => percentText(side.list[v], side.whole).replace(/ %$/, '')).join(' \u2192 ') + ' %' : share));
        label.title = `${name}: ${weightText(weight, this.page.unit)}, ${share} of what matches the other filters` + (sides?.map((side, b) =>
            `; ${'AB'[b]}: ${weightText(side.list[v], this.page.unit)}, ${percentText(side.list[v], side.whole)}`).join('') ?? '');
        row.style.backgroundSize = barSize(weight, most, this.page.state.log);
        leave.setAttribute('aria-pressed', not.has(v));
        leave.dataset.at = `${k} ${v} x`;
        row.append(label, leave);
        return row;
    }
}

function button(text, title, act) {
    const e = element('button', text, {type: 'button', title, 'aria-label': title || text});

    e.addEventListener('click', act);
    return e;
}

// A little square of a colour, which the text beside it names.
function chip(colour) {
    const e = element('i');

    e.style.background = colour;
    return e;
}

function element(tag, text = '', attributes = {}) {
    const e = document.createElement(tag);

    e.textContent = text;
    for (const key of Object.keys(attributes))
        e.setAttribute(key, attributes[key]);
    return e;
}
