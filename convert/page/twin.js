// twin.js - the graph for screen readers, and as a list for everyone: a tree grid of the focused
// frame, the frames that lead to it, and the ones beside and below it, built anew when it moves.

const twinRows = 200;

function buildTwin(view, grid) {
    const {tree, focus} = view, beside = tree.siblings(focus), callers = tree.path(focus).slice(0, -1).slice(-twinRows / 2);
    const place = beside.indexOf(focus), first = Math.max(0, Math.min(place - 30, beside.length - 60));
    const rows = callers.map((node) => twinRow(view, node, true));

    beside.slice(first, first + 60).forEach((node, k) => {
        const row = twinRow(view, node, node === focus);
        row.setAttribute('aria-posinset', first + k + 1);
        row.setAttribute('aria-setsize', beside.length);
        rows.push(row);
        if (node === focus)
            rows.push(...tree.children(node).sort((x, y) => tree.total[y] - tree.total[x]).slice(0, 40).map((c) => twinRow(view, c, false)));
    });
    grid.replaceChildren(...rows);
    grid.setAttribute('aria-activedescendant', 'frame-' + focus);
}

function twinRow(view, node, open) {
    const {tree} = view, row = element('div', '', {role: 'row', id: 'frame-' + node, 'aria-level': tree.depth[node] + 1});

    if (tree.children(node).length > 0)
        row.setAttribute('aria-expanded', open);
    row.setAttribute('aria-selected', node === view.focus);
    row.append(element('span', view.nameOf(node), {role: 'gridcell'}), element('span', view.facts(node)
        .map((fact) => fact.join(' ').trim()).join(', ').replaceAll('%', 'percent').replaceAll('\u00b1', 'plus or minus'), {role: 'gridcell'}));
    row.firstChild.style.paddingInlineStart = Math.min(tree.depth[node], 40) * 0.6 + 'rem';
    row.addEventListener('click', () => view.show(node));
    return row;
}
