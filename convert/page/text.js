// text.js - text for people: numbers with units, and names in which nothing is invisible.

const frameTypes = ['Unknown', 'Interpreted', 'JIT compiled', 'Inlined', 'Native', 'C++', 'Kernel',
    'C1 compiled', 'Group'];

// Controls, marks that turn the writing direction, characters without width, lone surrogates.
const unseen = /[\0-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

function mark(c) {
    const code = c.codePointAt(0);

    if (code < 32)
        return String.fromCharCode(0x2400 + code);
    return code === 127 ? '\u2421' : '\u27e8U+' + code.toString(16).toUpperCase().padStart(4, '0') + '\u27e9';
}

// The text with a visible mark for everything that could hide or reorder a part of it.
function visible(text) {
    return text.replace(unseen, mark);
}

function cut(text, length) {
    return text.length <= length ? text : text.slice(0, length) + '\u2026';
}

// Cut in the middle: names of threads differ at their ends.
function cutMiddle(text, length) {
    return text.length <= length ? text : text.slice(0, length / 2 - 1) + '\u2026' + text.slice(-length / 2);
}

// 1234567 as 1 234 567, with spaces that do not break.
function grouped(v) {
    return Math.round(v).toString().replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

function scaled(v, base, units) {
    let i = 0;

    while (v >= base && i + 1 < units.length) {
        v /= base;
        i++;
    }
    return (i === 0 || v >= 100 ? Math.round(v) : v.toPrecision(3)) + ' ' + units[i];
}

function plural(n, one) {
    return grouped(n) + ' ' + one + (n === 1 ? '' : 's');
}

// A weight in the unit of the page.
function weightText(v, unit) {
    if (unit === 'samples' || unit === 'events')
        return plural(v, unit.slice(0, -1));
    if (unit === 'bytes')
        return scaled(v, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']);
    if (unit === 'ns')
        return v < 60e9 ? scaled(v, 1000, ['ns', '\u00b5s', 'ms', 's']) : minutes(v / 1e9);
    return grouped(v) + ' ' + unit;
}

function minutes(s) {
    const m = Math.floor(s / 60), h = Math.floor(m / 60);

    return h > 0 ? h + ' h ' + m % 60 + ' min' : m + ' min ' + Math.floor(s % 60) + ' s';
}

function percentText(part, whole) {
    const p = whole > 0 ? 100 * part / whole : 0;

    if (p === 0 || p >= 99.995)
        return Math.round(p) + ' %';
    if (p < 0.01)
        return '< 0.01 %';
    return p.toFixed(p < 10 ? 2 : 1) + ' %';
}

// A difference of shares, in percent points.
function pointsText(d) {
    const p = Math.abs(100 * d);

    return (d > 0 ? '+' : d < 0 ? '\u2212' : '') + p.toFixed(p < 10 ? 2 : 1) + ' pp';
}

// async-profiler writes a function as libjvm.so.Compile::Code_Gen, libc.so.6.start_thread.
const library = /^(?:lib|ld-)[\w.+-]*?\.so(?:\.\d+)*\.(?=[^.\d])/;

// Forms of a frame's name for its label, longest first: the packages as initials, then without them; of
// a function without its library, which the details have. What follows the first bracket or blank is not
// taken apart.
function shorter(name) {
    const from = name.match(library);

    if (from !== null)
        return [name.slice(from[0].length)];
    const stop = name.search(/[([ ]|(?<!\.)</), head = stop < 0 ? name : name.slice(0, stop);
    const rest = stop < 0 ? '' : name.slice(stop);
    const parts = head.split(/[./](?=[^./\d])/);

    if (parts.length < 3 || parts.some((p) => !/^[\w$<\u0080-\uffff-]/.test(p)))
        return [name];
    const method = parts.slice(-2).join('.');
    const initials = parts.slice(0, -2).map((p) => p[0]).join('.');
    return [name, initials + '.' + method + rest, method + rest, method];
}

// How long a bar is, as a CSS size: its share, or in a log scale how far it is above 1/10000.
function barSize(part, whole, log) {
    const p = whole > 0 ? Math.abs(part / whole) : 0;

    return (log ? p > 0 ? Math.max(100 + 25 * Math.log10(p), 1) : 0 : 100 * p) + '% 100%';
}
