// colour.js - calm colours: a hue for each class of frames, a shade for each name. The classes are the origins of
// frames, their packages or their types.

const shades = 8;
const hues = 12; // where packages have the colours

// What the colours of a palette stand for: the origin of a frame, its package or its type.
const sortOf = (palette) => palette === 'type' || palette === 'package' ? palette : 'origin';

// Hue, saturation in %, and how much lighter than usual in %, in the order of origins.
const byOrigin = [[220, 8, 0], [30, 84, 0], [208, 58, 2], [142, 32, 2], [262, 30, 4], [50, 72, 2], [2, 58, 0]];
// Told apart by protan, deutan and tritan readers: blues, yellows and vermilion of rising lightness.
const safe = [[220, 5, 0], [48, 78, 0], [204, 62, -6], [195, 44, 4], [270, 14, 4], [28, 82, 0], [14, 72, -7]];
// In the order of frameTypes.
const byType = [
    [220, 8, 0], [88, 36, 3], [128, 34, 0], [172, 34, 0], [2, 58, 0], [44, 66, 0], [24, 70, 0],
    [66, 42, 0], [218, 24, 2],
];
// A hue for each of `hues` groups of packages, the first for what has none. Grey: lightness alone.
const byPackage = Array.from({length: hues}, (_, k) => [k * 360 / hues + 16, k === 0 ? 6 : 46, k % 2 * 3]);
const greys = byOrigin.map((_, k) => [220, 3, [2, 4, -2, -6][k % 4]]);

// CSS colours: for every class `shades` of them, then the same again faded, for frames that a search
// did not find. `bar` is the neutral one, `match` what was found,
// `strong` the same hues for what is only some px high, missing and shade veil what is below.
function makeColours(dark, palette) {
    const types = {safe, package: byPackage, grey: greys, type: byType}[palette] ?? byOrigin, css = [];
    const middle = dark ? 27 : 79, step = dark ? 0.9 : 1.15;

    for (const faded of [false, true])
        for (const [hue, saturation, lighter] of types)
            for (let k = 0; k < shades; k++) {
                const s = saturation * (dark ? 0.66 : 1) * (faded ? 0.25 : 1);
                const l = middle + (dark ? lighter / 4 : lighter) + (k - shades / 2) * step;
                const faint = dark ? l - 7 : l + 9;
                css.push(`hsl(${hue + (k * 5 + 3) % shades * 1.6 - 6} ${s}% ${faded ? faint : l}%)`);
            }
    return {
        css, types: types.length, strong: types.map(([hue, s, lighter]) => `hsl(${hue} ${s}% ${(dark ? 48 : 62) + lighter}%)`), palette, theme: dark ? 'dark' : 'light',
        change: [-4, -3, -2, -1, 0, 1, 2, 3, 4].map((k) => k === 0 ? dark ? '#3b4048' : '#dcdfe4'
            : `hsl(${k < 0 ? 208 : 20} ${40 + 12 * Math.abs(k)}% ${dark ? 24 + 5 * Math.abs(k) : 88 - 7 * Math.abs(k)}%)`),
        heat: Array.from({length: 9}, (_, k) => k === 0 ? dark ? '#1f2227' : '#f1f2f5'
            : `hsl(${dark ? 214 : 220} ${dark ? 30 + 4 * k : 50 + 3 * k}% ${dark ? 16 + 6.5 * k : 95 - 6.5 * k}%)`),
        accent: dark ? '#8fb0ff' : '#2f5fd0', line: dark ? '#4a505a' : '#c3c8d0',
        bar: dark ? '#3b4048' : '#d5d8de',
        match: dark ? '#8a3f96' : '#e59ff0',
        mark: dark ? '#d07be0' : '#b03ac4',
        text: dark ? '#eceef1' : '#16181c',
        missing: dark ? 'rgb(22 24 28 / 0.62)' : 'rgb(255 255 255 / 0.62)',
        shade: dark ? 'rgb(22 24 28 / 0.75)' : 'rgb(255 255 255 / 0.8)',
        pale: dark ? '#9aa1ab' : '#60666f',
        ground: dark ? '#16181c' : '#ffffff',
        outline: dark ? '#ffffff' : '#16181c',
    };
}

// The first three parts of a name's package.
function packageName(name, type) {
    const [, text] = name.match(/^((?:[\w$-]+[./])+)[\w$]+\.[^.]*$/) ?? [];

    return text ? text.replace(/^((?:[^./]+[./]){3}).*/, '$1').replace(/[./]$/, '') : [4, 5, 6].includes(type) || /^[[(]/.test(name) ? 'no package' : 'default package';
}

// The class of a frame for a palette, as text.
function classOf(palette, name, type) {
    const sort = sortOf(palette);

    return sort === 'origin' ? origins[originOf(name, type)] : sort === 'package' ? packageName(name, type) : frameTypes[type];
}

// Which of the palette's colours a frame has.
function hueOf(palette, name, type) {
    const sort = sortOf(palette), group = sort === 'package' ? packageName(name, type) : '';

    return sort === 'origin' ? originOf(name, type) : sort === 'type' ? type : group === 'no package' ? 0 : 1 + hashOf(group) % (hues - 1);
}

// A shade for a name; close names may differ, the same name never does.
const shadeOf = (text) => hashOf(text) & shades - 1;

function hashOf(text) {
    let h = 0x811c9dc5;

    for (let i = 0; i < text.length && i < 200; i++)
        h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
    return (h ^ h >>> 15) >>> 7;
}
