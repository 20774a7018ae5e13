// columns.js - the columns of numbers that the table and the call tree have: of functions there, of frames here.

// {key, title, v, order, text, small, bar} for each column: v is by function or node, order what to sort by, and text,
// small and bar are for one of them. weights: self and total, or in a comparison a, b, selfA and selfB; whole: what is 100 %;
// brief: without errors, and numbers of samples or events without that word.
function columnsOf(page, {self, total, selfA, selfB, a, b}, whole, brief = false) {
    const {compare, state, colours} = page, share = (v, i) => ({size: barSize(v[i], whole, state.log)});

    if (!a)
        return [['self', 'Self', self], ['total', 'Total', total]].map(([key, title, v]) => ({key, title, v, order: v,
            text: (i) => brief && page.state.weight === 'count' ? grouped(v[i]) : weightText(v[i], page.unit),
            small: (i) => percentText(v[i], whole) + (brief ? '' : page.error(v[i], whole)), bar: (i) => share(v, i)}));
    const change = Float64Array.from(a, (v, i) => b[i] - v), isNoise = (i) => compare.isNoise(a[i], b[i]), most = largest(change.map(Math.abs)) || 1;
    const points = (i) => state.norm === 'samples' ? pointsText(change[i]) : a[i] > 0 ? (change[i] < 0 ? '\u2212' : '+') + percentText(Math.abs(change[i]), a[i]) : 'new';
    const side = (key, title, v, name) => ({key, title, v, order: v, text: (i) => compare.text(name, v[i]), bar: (i) => ({size: barSize(v[i], 1, state.log)})});

    return [{key: 'change', title: 'Change', v: change, order: change.map(Math.abs), text: points, small: (i) => isNoise(i) ? 'may be chance' : '',
        bar: (i) => fromMiddle(change[i] / most / 2, colours.change[isNoise(i) ? 4 : change[i] < 0 ? 1 : 7])},
    side('a', 'A', a, 'base'), side('total', 'B', b, 'sums'), side('selfa', 'Self A', selfA, 'base'), side('self', 'Self B', selfB, 'sums')];
}

// A bar from the middle of its cell: to the right for more, to the left for less. v: -0.5..0.5.
function fromMiddle(v, colour) {
    const w = Math.min(Math.abs(v), 0.5);

    return {size: `${100 * w}% 100%`, at: `${100 * (v < 0 ? 0.5 - w : 0.5) / (1 - w)}% 0`, colour};
}

// The cell of a column for a function or node.
function cellOf(tag, {key, text, small, bar}, i) {
    const cell = element(tag, text(i) + ' '), {size, at, colour} = bar(i);

    cell.className = 'number';
    cell.dataset.of = key;
    if (small)
        cell.append(element('small', small(i)));
    cell.style.backgroundSize = size;
    if (at) {
        cell.style.backgroundPosition = at;
        cell.style.backgroundImage = `linear-gradient(${colour}, ${colour})`;
    }
    return cell;
}

// What a table or tree is sorted by: a press on the head of the column again turns the order.
class Sorting {
    // build: makes it anew; standard: the column that it is sorted by at first, unless there is a change.
    constructor(build, standard) {
        this.build = build;
        this.standard = standard;
        this.by = ''; // the standard
        this.down = true;
    }

    // The column to sort by; undefined for that of the names.
    of(columns) {
        const named = (want) => columns.find(({key}) => key === want), isComparison = Boolean(named('change'));

        if (this.isComparison !== isComparison) { // a comparison begins with the change, whatever was sorted before
            this.isComparison = isComparison;
            this.by = '';
            this.down = true;
        }
        return this.by === 'name' ? undefined : named(this.by) ?? named('change') ?? named(this.standard);
    }

    // Sorts functions or nodes.
    sort(list, columns) {
        const sign = this.down ? -1 : 1, order = this.of(columns)?.order;

        return list.sort(order ? (x, y) => sign * (order[x] - order[y]) || x - y : (x, y) => sign * (x - y));
    }

    // The head of a column, to be pressed.
    head(tag, {key, title}, columns) {
        const th = element(tag, '', tag === 'th' ? {scope: 'col'} : {}), sort = button(title, '', () => {
            this.down = key === (this.of(columns)?.key ?? 'name') ? !this.down : key !== 'name';
            this.by = key;
            this.build();
        });

        sort.dataset.sort = key;
        th.className = key === 'name' ? '' : 'number';
        th.dataset.of = key;
        if (key === (this.of(columns)?.key ?? 'name'))
            th.setAttribute('aria-sort', this.down ? 'descending' : 'ascending');
        th.append(sort);
        return th;
    }
}
