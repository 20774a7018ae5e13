// search.js - which frames a query means. Names are asked, not frames: there are far fewer.

// {test: name -> boolean} or {error}; null for an empty query. Literal, /re/ or /re/i, with any
// number of -word in front or behind that must not occur. Small letters match both cases.
function parseQuery(text) {
    const without = [], words = [];
    const re = text.trim().match(/^\/(.+)\/(i?)((?:\s+-\S+)*)$/);

    for (const word of (re ? re[3] : text).trim().split(/\s+/))
        (word.length > 1 && word[0] === '-' ? without : words).push(word);
    const drop = without.map((word) => literal(word.slice(1)));
    const want = re ? expression(re[1], re[2]) : words[0] ? literal(words.join(' ')) : null;
    if (want === null && drop.length === 0)
        return null;
    if (want && want.error)
        return want;
    return {test: (name) => (want === null || want.test(name)) && !drop.some((d) => d.test(name))};
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
function search(tree, names, text, patience = 1000) {
    const query = parseQuery(text);

    if (query === null)
        return null;
    const found = {nodes: [], tops: [], weight: 0, hit: new Uint8Array(names.n), error: query.error};
    const limit = performance.now() + patience;
    for (let id = 0; id < names.n && !found.error; id++) {
        found.hit[id] = query.test(names.get(id)) ? 1 : 0;
        if ((id & 255) === 0 && performance.now() > limit)
            found.error = 'this search takes too long';
    }
    if (found.error) {
        found.hit.fill(0);
        return found;
    }
    for (let i = 1, covered = 0; i < tree.n; i++) {
        if (!found.hit[tree.name[i]])
            continue;
        found.nodes.push(i);
        if (i >= covered) {
            found.tops.push(i);
            found.weight += tree.total[i];
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
