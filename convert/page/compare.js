// compare.js - compares two selections of samples, A and B: their common scale, the difference of a frame, and whether
// that may be chance. sumUp() in selection.js fills page.base (A) and page.sums (B).

class Comparison {
    constructor(page) {
        this.page = page;
    }

    // A side, with what it is divided by: its total, time or number of requests.
    side(choice, bad, before) {
        const {samples, state, requests} = this.page, side = samples.sum(choice, bad, before), {norm} = state;

        if (state.a !== null)
            side.per = norm === 'time' ? samples.seconds(choice) : norm === 'none' ? 1
                : norm === 'requests' && requests >= 0 ? samples.distinct(requests) : side.total;
        return side;
    }

    // The own weights of both sides for the tree. The larger side is 1; a side's `scale` is how large it is then.
    own({base, sums} = this.page) {
        const rate = (side) => side.per > 0 ? side.total / side.per : 0, most = Math.max(rate(base), rate(sums)) || 1;
        const [a, b] = [base, sums].map((side) => {
            side.scale = rate(side) / most;
            return side.own.map((v) => side.total > 0 ? v / side.total * side.scale : 0);
        });

        return [a.map((v, i) => Math.max(v, b[i])), a, b];
    }

    // What a side is, as text: "user alice", "app.jfr", "everything".
    nameOf(side) {
        const {samples} = this.page, texts = [...side].map(([key, v]) => {
            const [, how, name] = key.match(/^(only|not)\.([^]*)$/) ?? [];
            return how ? (how === 'not' ? 'not ' : '') + (name === 'input' ? v : `${name} ${v}`) : `${key} ${clockOf(samples, v / samples.tick)}`;
        });

        return visible(cut(texts.join(', '), 120)) || 'everything';
    }

    // The current selection, as parameters of an address.
    current() {
        return writeChoice(this.page.samples, this.page.state.choice, new URLSearchParams());
    }

    names() {
        return [new URLSearchParams(this.page.state.a), this.current()].map((side) => this.nameOf(side));
    }

    // Is B still what A is?
    isUndecided() {
        return this.page.base !== null && this.page.state.a === this.current().toString();
    }

    // The recordings that are compared, as values of the dimension "input"; null unless each side is of one only.
    inputs() {
        const {samples, state} = this.page, k = samples.dim('input');

        if (state.a === null || k < 0)
            return null;
        const values = [readChoice(samples, new URLSearchParams(state.a)), state.choice].map(({picks}) => [...picks[k].only]);
        return values.every((list) => list.length === 1) && values[0][0] !== values[1][0] ? values.flat() : null;
    }

    // What a side has of a frame: its share, or its rate where both sides are divided by something else.
    text(name, v) {
        const side = this.page[name], share = side.scale > 0 ? v / side.scale : 0, {norm} = this.page.state;

        return norm === 'samples' ? percentText(share, 1)
            : weightText(share * side.total / (side.per || 1), this.page.unit) + {none: '', time: ' a second', requests: ' a request'}[norm];
    }

    // The square of the standard error of what is drawn as v: of a share, or of a count.
    variance(side, v) {
        const {scale, effective} = side, p = scale > 0 ? v / scale : 0;

        return scale * scale * p * (this.page.state.norm === 'samples' ? 1 - p : 1) / (effective || 1);
    }

    // The difference in standard errors.
    significance(a, b) {
        const error = Math.sqrt(this.variance(this.page.base, a) + this.variance(this.page.sums, b));

        return error > 0 ? (b - a) / error : a === b ? 0 : Infinity * (b - a);
    }

    isNoise(a, b) {
        return !(Math.abs(this.significance(a, b)) >= 2);
    }

    // -4..4: how much less or more B is; 0 for what may be chance.
    strength(a, b) {
        return this.isNoise(a, b) ? 0 : Math.sign(b - a) * Math.min(4, Math.ceil(2 * Math.abs(Math.log2(b / a)) || 1));
    }

    facts(a, b) {
        const {page} = this, shares = page.state.norm === 'samples', of = (name, v) => {
            const side = page[name], p = side.scale > 0 ? v / side.scale : 0;
            return this.text(name, v) + (shares && p > 0 && p < 1 && side.effective > 1 ? ` \u00b1 ${(100 * Math.sqrt(p * (1 - p) / side.effective)).toPrecision(2)}` : '') +
                (page.state.norm === 'none' ? '' : ', ' + weightText(p * side.total, page.unit));
        };
        const more = a > 0 && a !== b ? `${b >= a ? '+' : '\u2212'}${Math.abs(100 * (b / a - 1)).toPrecision(3)} %` : '';

        return [['A', of('base', a)], ['B', of('sums', b)], ['Change', (shares ? pointsText(b - a) + (more && ` (${more})`) : more || (a === b ? 'none' : 'new')) +
            (a !== b && this.isNoise(a, b) ? ', may be chance' : '')]];
    }

    // Pins the current selection as A, and what is selected from then on is B; or ends the comparison.
    pin() {
        const {page} = this;

        page.change((state) => state.a = state.a === null ? this.current().toString() : null);
        if (page.state.a !== null)
            byId('side').hidden = false; // where B is chosen
    }

    swap() {
        const {page} = this, {samples} = page;

        if (page.state.a !== null)
            page.change((state) => {
                const a = this.current().toString();
                state.choice = readChoice(samples, new URLSearchParams(state.a));
                state.a = a;
            });
    }
}
