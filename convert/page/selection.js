// selection.js - the samples that are chosen, and what they weigh.

// Finds the samples that the page's state selects, and sums them up: page.sums, in a comparison page.base for A; page.all
// without the legend's condition; page.choice, page.bad and page.unit say how.
function sumUp(page) {
    const {state, samples, forward, names} = page, {kind, weight} = state;
    const hide = new Set(), keep = parseQuery(state.keep), kept = keep?.test && new Uint8Array(names.n);

    if (state.hide.length > 0 || kept)
        for (let id = 0; id < names.n; id++) {
            if (state.hide.includes(names.get(id)))
                hide.add(id);
            if (kept)
                kept[id] = keep.test(names.get(id));
        }
    const tops = page.classes.tops(state.tops), bad = page.bad = unwanted(forward, hide, kept, tops);
    page.choice = {...state.choice, kind, weight};
    page.base = state.a === null ? null : sideOfA(page, {...readChoice(samples, new URLSearchParams(state.a)), kind, weight}, bad);
    page.all = tops && samples.sum(page.choice, unwanted(forward, hide, kept)); // what the legend counts
    page.sums = page.compare.side(page.choice, bad, page.sums);
    page.all ??= page.sums;
    page.unit = weight === 'count' ? samples.nounOf(kind) : samples.units.find((w) => w.name === weight).unit;
    forward.weigh(page.base ? page.compare.own() : [page.sums.own]);
    page.reversed = page.ordered = null;
}

// Side A of a comparison, with all that has to be found out while the samples are tested for it.
function sideOfA(page, choice, bad) {
    const {samples, compare} = page, side = compare.side(choice, bad, page.base ?? undefined), inputs = compare.inputs();

    side.counts = samples.dims.map((_, k) => samples.countsOf(k, choice));
    side.band = inputs && page.strip.barsOfA(choice, inputs[0]);
    return side;
}

// The weight of samples with these contexts, in the tree that is shown.
function partOf(page, contexts, tree) {
    const {samples} = page, masks = contexts.map(([key, test]) => [samples.dim(key), test]);

    if (page.state.reverse || page.state.sandwich || tree.a)
        return {error: 'contexts are searched in the plain graph only'};
    if (masks.some(([k]) => k < 0))
        return {error: 'no such context'};
    const part = samples.part(page.choice, masks.map(([k, test]) => [k, samples.dims[k].texts.map((text) => test(text) ? 1 : 0)]));
    return {total: tree.sums(tree.origin ? gather(part, tree.origin) : part)};
}
