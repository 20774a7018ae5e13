// kinds.js - the kinds of events that the page has, as buttons with their totals.

class Kinds {
    constructor(page, box) {
        const {samples} = page;

        this.page = page;
        this.buttons = samples.kinds.map((kind) => {
            const unit = samples.units.find((w) => w.name === kind.weight)?.unit ?? 'samples';
            const total = unit === 'samples' ? grouped(kind.total ?? 0) : weightText(kind.total, unit);
            const e = button(kind.title, `${kind.title}, ${total}`, () => this.choose(kind));

            e.setAttribute('role', 'radio');
            e.append(element('small', total));
            return e;
        });
        box.replaceChildren(...this.buttons);
        box.hidden = this.buttons.length < 2;
        box.addEventListener('keydown', (e) => this.move(e));
    }

    // Another kind is shown by the weight that says most of it.
    choose({name, weight}) {
        this.page.change((state) => state.kind !== name && Object.assign(state, {kind: name, weight}));
    }

    // Arrow keys choose, as in any group of radio buttons.
    move(e) {
        const step = {ArrowLeft: -1, ArrowRight: 1}[e.key], {kinds} = this.page.samples;

        if (!step)
            return;
        const k = (kinds.findIndex(({name}) => name === this.page.state.kind) + step + kinds.length) % kinds.length;
        e.preventDefault();
        e.stopPropagation();
        this.choose(kinds[k]);
        this.buttons[k].focus();
    }

    update() {
        this.page.samples.kinds.forEach(({name}, k) => {
            const isChosen = name === this.page.state.kind;

            this.buttons[k].setAttribute('aria-checked', isChosen);
            this.buttons[k].tabIndex = isChosen ? 0 : -1;
        });
    }
}
