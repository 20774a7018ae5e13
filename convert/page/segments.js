// segments.js - a row of buttons of which one is chosen, as a group of radio buttons: the views, the kinds of events.

class Segments {
    // choices: [{name, title, help, more}], `more` in small letters beside the title; choose: called with a name.
    constructor(box, choices, choose) {
        this.choices = choices;
        this.choose = choose;
        this.buttons = choices.map(({name, title, help, more = ''}) => {
            const e = button(title, help, () => choose(name));

            e.setAttribute('role', 'radio');
            if (more)
                e.append(element('small', more));
            return e;
        });
        box.replaceChildren(...this.buttons);
        box.addEventListener('keydown', (e) => this.move(e));
    }

    move(e) {
        const step = {ArrowLeft: -1, ArrowRight: 1}[e.key], n = this.choices.length;

        if (!step)
            return;
        const k = (this.choices.findIndex(({name}) => name === this.chosen) + step + n) % n;
        e.preventDefault();
        e.stopPropagation();
        this.choose(this.choices[k].name);
        this.buttons[k].focus();
    }

    update(chosen) {
        if (this.chosen === chosen)
            return;
        this.chosen = chosen;
        this.choices.forEach(({name}, k) => {
            this.buttons[k].setAttribute('aria-checked', name === chosen);
            this.buttons[k].tabIndex = name === chosen ? 0 : -1;
            if (name === chosen && innerWidth < 640) // the row may be wider than the window
                this.buttons[k].scrollIntoView({block: 'nearest', inline: 'nearest'});
        });
    }
}

// The views of the page. Only that of jfrkit slow has a report. One function's callers and callees are the sandwich.
const views = [
    {name: 'report', title: 'Requests', help: 'Why requests are slow (q)'},
    {name: 'flame', title: 'Flame', help: 'Flame graph'},
    {name: 'tree', title: 'Tree', help: 'Call tree with columns (l)'},
    {name: 'table', title: 'Table', help: 'Table of functions (t)'},
    {name: 'sandwich', title: 'Sandwich', help: 'Callers and callees of one function (s)'},
];

const viewSegments = (page) => new Segments(byId('views'), views.filter(({name}) => name !== 'report' || page.head.report), (name) => page.setView(name));

// The kinds of events that the page has, with their totals. Another kind is shown by the weight that says most of it.
function kindSegments(page) {
    const {kinds, units} = page.samples, choose = (chosen) => page.change((state) => {
        const {name, weight} = kinds.find((kind) => kind.name === chosen);
        if (state.kind !== name)
            Object.assign(state, {kind: name, weight});
    });

    byId('kinds').hidden = kinds.length < 2;
    return new Segments(byId('kinds'), kinds.map(({name, title, weight, total = 0}) => {
        const unit = units.find((w) => w.name === weight && w.name !== 'count')?.unit, more = unit ? weightText(total, unit) : grouped(total);
        return {name, title, help: `${title}, ${more}`, more};
    }), choose);
}
