// heading.js - the texts around the graph: title, counts, names of the sides of a comparison, hidden methods, and the
// message of an empty selection.

function showMessage(text) {
    byId('message').textContent = text;
    byId('message').hidden = !text;
}

// Says why there is nothing to see, and what there is.
function showEmpty(page) {
    const {head, sums, base, state, samples, compare} = page, kind = samples.kinds.find((k) => k.name === state.kind);

    if (sums.total > 0 || base?.total > 0)
        return showMessage('');
    if (!(samples.n > 0 && samples.dims.length > 0))
        return showMessage('This page has no samples: none were recorded, or none matched the options of the command' +
            (head.command ? `, ${head.command}. The command jfrkit info says what is in a recording.` : '.'));
    const filters = [page.isFiltered() && compare.nameOf(compare.current()), ...state.hide.map((name) => `without ${name}`),
        state.keep && `with ${state.keep}`, ...state.tops.map((key) => 'on top ' + nameOfTop(key))].filter((text) => text && text !== 'everything');
    showMessage(`No ${samples.nounOf(kind.name)} of ${kind.title} match ${visible(cut(filters.join(', '), 300)) || 'this'}. The page has ${page.kinds.choices.map(({title, more}) => `${title} ${more}`).join(', ')}. `);
    byId('message').append(button('Clear all filters', '', () => page.change((s) => Object.assign(s, {hide: [], keep: '', tops: [], choice: readChoice(samples, new URLSearchParams())}))));
}

function showTexts(page) {
    const {head, sums, base, state, samples, forward} = page, kind = samples.kinds.find((k) => k.name === state.kind), noun = samples.nounOf(kind.name);
    const parts = [head.subtitle, [kind.title, state.weight !== 'count' && samples.units.find((w) => w.name === state.weight).title].filter(Boolean).join(', '),
        weightText(sums.total, page.unit), state.weight !== 'count' || samples.counts ? weightText(sums.n, noun) : '', plural(forward.n - 1, 'frame')];

    byId('subtitle').textContent = visible(parts.filter(Boolean).join(' \u00b7 '));
    showEmpty(page);
    byId('norms').hidden = !base;
    const [a, b] = base ? page.compare.names() : [], isUndecided = page.compare.isUndecided();
    document.title = byId('title').textContent = visible(!base ? head.title : page.compare.inputs() ? `${a} \u2192 ${b}` : `${head.title}: ${a} \u2192 ${isUndecided ? '?' : b}`);
    byId('compared').textContent = base ? `A is ${a}, ${weightText(base.total, page.unit)}. B is ${isUndecided ? 'not chosen yet' : b + ', ' + weightText(sums.total, page.unit)}.` : '';
    byId('hint').textContent = isUndecided ? `A is fixed: ${a}. Now choose B: pick a user, a thread or another value in the filters, or drag over a time.` : '';
    byId('hint').hidden = !isUndecided;
    byId('hidden').replaceChildren(...[...state.hide.map((name) => ['\u2212 ' + name, (s) => s.hide = s.hide.filter((n) => n !== name)]),
        ...state.tops.map((key) => ['on top: ' + nameOfTop(key), (s) => s.tops = s.tops.filter((k) => k !== key)]),
        ...state.keep ? [['with ' + state.keep, (s) => s.keep = '']] : []].map(([text, act]) =>
        button(cut(visible(text), 60) + ' \u00d7', 'Clear: ' + cut(visible(text), 200), () => page.change(act))));
}
