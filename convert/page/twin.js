// twin.js - the graph for screen readers: a tree grid of the focused frame, the frames that lead to
// it and the ones beside it, built anew when the focus moves.

const twinRows = 200;

function buildTwin(view, grid) {
    const {tree, focus} = view, path = tree.path(focus).slice(0, -1), beside = tree.siblings(focus);
    const place = beside.indexOf(focus), callers = path.slice(-twinRows / 2);
    const first = Math.max(0, Math.min(place - 40, beside.length - 80));
    const rows = [...callers.map((node) => twinRow(view, node, true)),
        ...beside.slice(first, first + 80).map((node, k) => {
            const row = twinRow(view, node, false);
            row.setAttribute('aria-posinset', first + k + 1);
            row.setAttribute('aria-setsize', beside.length);
            return row;
        })];

    grid.replaceChildren(...rows);
    grid.setAttribute('aria-activedescendant', 'frame-' + focus);
}

function twinRow(view, node, open) {
    const {tree} = view, row = element('div', '', {role: 'row', id: 'frame-' + node,
        'aria-level': tree.depth[node] + 1});

    if (tree.firstChild(node) >= 0)
        row.setAttribute('aria-expanded', open);
    row.append(element('span', view.nameOf(node), {role: 'gridcell'}),
        element('span', view.facts(node).map((fact) => fact.join(' ').trim()).join(', ').replaceAll('%', 'percent'),
            {role: 'gridcell'}));
    return row;
}
