// state.js - the view in the address, behind the #: to be bookmarked and passed on. The page stores
// nothing anywhere else.

const themes = ['auto', 'light', 'dark'];
const palettes = ['type', 'safe'];

// What stands in the address; whatever is missing or wrong is as the page's header says.
function readState(head) {
    const given = new URLSearchParams(location.hash.slice(1));
    const flag = (key, standard) => given.has(key) ? given.get(key) === '1' : standard === true;
    const one = (list, key, standard) => list.includes(given.get(key)) ? given.get(key)
        : list.includes(standard) ? standard : list[0];

    return {
        zoom: /^\d{1,9}$/.test(given.get('zoom')) ? Number(given.get('zoom')) : 0,
        query: (given.get('q') ?? head.highlight ?? '').slice(0, 1000),
        icicle: flag('icicle', head.icicle),
        reverse: flag('reverse', head.reverse),
        table: flag('table', false),
        theme: one(themes, 'theme', head.theme),
        palette: one(palettes, 'palette', head.palette),
    };
}

function writeState(head, state) {
    const out = new URLSearchParams();

    if (state.zoom > 0)
        out.set('zoom', state.zoom);
    if (state.query !== (head.highlight ?? ''))
        out.set('q', state.query);
    for (const key of ['icicle', 'reverse', 'table'])
        if (state[key] !== (head[key] === true))
            out.set(key, state[key] ? '1' : '0');
    if (state.theme !== head.theme)
        out.set('theme', state.theme);
    if (state.palette !== head.palette)
        out.set('palette', state.palette);
    try {
        history.replaceState(null, '', '#' + out);
    } catch (e) {
        // Some browsers refuse this many changes in a row; the next one will do.
    }
}
