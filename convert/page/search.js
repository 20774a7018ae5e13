// search.js - which frames a query means. Names are asked, not frames: there are far fewer.

// {test: name -> boolean, contexts, isPattern} or {error}; null for an empty query. Literal, /re/ or /re/i, with
// any number of -word in front or behind that must not occur. Small letters match both cases. Words
// like pkg:com.acme ask for a package, line:17 for a line, ctx.user:alice for samples of that
// context: contexts are [key, text -> boolean].
function parseQuery(text) {
    const re = text.trim().match(/^\/(.+)\/(i?)((?:\s+\S+:\S+|\s+-\S+)*)$/);
    const without = [], words = [], contexts = [], tests = [];

    for (const word of (re ? re[3] : text).trim().split(/\s+/)) {
        const [, prefix, value] = word.match(/^(pkg|line|ctx\.[^:]+):(.+)$/) ?? [];
        if (prefix === 'pkg')
            tests.push((name) => name.startsWith(value) && /^([./]|$)/.test(name.slice(value.length)));
        else if (prefix === 'line')
            tests.push((name) => name.endsWith(':' + value));
        else if (prefix)
            contexts.push([prefix.slice(4), value === '(none)' ? (text) => text === '' : literal(value).test]);
        else
            (word.length > 1 && word[0] === '-' ? without : words).push(word);
    }
    const want = re ? expression(re[1], re[2]) : words[0] ? literal(words.join(' ')) : null;
    if (want?.error)
        return want;
    if (want)
        tests.push(want.test);
    for (const word of without) {
        const drop = literal(word.slice(1));
        tests.push((name) => !drop.test(name));
    }
    return tests.length + contexts.length === 0 ? null
        : {test: (name) => tests.every((test) => test(name)), contexts, isPattern: re !== null};
}

function literal(text) {
    const folded = text.toLowerCase();

    if (folded !== text)
        return {test: (name) => name.includes(text)};
    return {test: (name) => name.toLowerCase().includes(text)};
}

// A repeated group that holds a repetition or a choice can take time without end: refused. The
// names are cut, so that no other pattern takes long.
function expression(source, flags) {
    if (/\((?:[^()\\]|\\.)*[*+{|](?:[^()\\]|\\.)*\)[*+{]|\)[*+{?]*\)[*+{]|\\[1-9k]/.test(source))
        return {error: 'this pattern may take for ever'};
    try {
        const re = new RegExp(source, flags);
        return {test: (name) => re.test(name.length > 400 ? name.slice(0, 400) : name)};
    } catch (e) {
        return {error: 'not a regular expression'};
    }
}

// The frames of `tree` that match: {nodes, weight, hit, error}. nodes: all of them, in order;
// tops: those with no match above them; weight: of their union, so that nothing counts twice.
// part: contexts -> weight of their samples by node, or an error; a frame without any is no match.
// Only a pattern can run out of patience, in ms: what literals take is bounded by the names.
function search(tree, names, text, part, patience = 1000) {
    const query = parseQuery(text);

    if (query === null)
        return null;
    const found = {nodes: [], tops: [], weight: 0, hit: new Uint8Array(names.n), error: query.error};
    const limit = query.isPattern ? performance.now() + patience : Infinity;
    for (let id = 0; id < names.n && !found.error; id++) {
        found.hit[id] = query.test(names.get(id)) ? 1 : 0;
        if ((id & 255) === 0 && performance.now() > limit)
            found.error = 'this search takes too long';
    }
    const {total, error} = found.error || query.contexts.length === 0 ? tree : part(query.contexts);
    found.error ??= error;
    if (found.error) {
        found.hit.fill(0);
        return found;
    }
    for (let i = 1, covered = 0; i < tree.n; i++) {
        if (!found.hit[tree.name[i]] || (total !== tree.total && total[i] === 0))
            continue;
        found.nodes.push(i);
        if (i >= covered) {
            found.tops.push(i);
            found.weight += total[i];
            covered = tree.end[i];
        }
    }
    return found;
}

// The place of the first of the sorted numbers that is at least v.
function lowerBound(sorted, v) {
    let lo = 0, hi = sorted.length;

    while (lo < hi) {
        const mid = lo + hi >> 1;
        if (sorted[mid] < v)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}
