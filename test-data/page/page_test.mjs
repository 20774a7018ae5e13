// page_test.mjs - what a reader does with the page, done in a headless Chromium to the page that
// flame_demo_test writes, whose numbers are known: node page_test.mjs CHROMIUM PAGE
import {readFileSync, writeFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';
import {Browser, Tab} from './browser.mjs';

const [program, page] = process.argv.slice(2);
const url = pathToFileURL(page).href;
const browser = new Browser(program);
let failed = 0;

function same(got, want, what = 'value') {
    if (JSON.stringify(got) !== JSON.stringify(want))
        throw new Error(`${what}: ${JSON.stringify(got)}, not ${JSON.stringify(want)}`);
}

function holds(value, what) {
    if (!value)
        throw new Error(what);
}

// A case gets a tab of its own, with the page open; it must cause no trouble there.
async function test(name, run, {at = '', address = url, ...options} = {}) {
    try {
        const tab = await Tab.open(browser, options);
        await tab.go(address + at);
        await tab.eval(helpers);
        await run(tab);
        same(tab.troubles, [], 'troubles');
        same(await tab.eval(() => violations), [], 'violations');
        same(await tab.eval(() => window.pwned ?? null), null, 'pwned');
        await tab.send('Page.close').catch(() => {});
        console.log('ok ' + name);
    } catch (e) {
        failed++;
        console.log('not ok ' + name + '\n    ' + e.message.replaceAll('\n', '\n    '));
    }
}

// What the cases ask of the page, in terms of its own objects; run in the page after it has loaded.
function helpers() {
    const view = window.flame;

    window.seen = {
        state: () => ({...view.state, zoom: view.zoomed, focus: view.focus, dark: view.page.isDark(), range: {...view.range}, moving: Boolean(view.motion),
            matched: view.found ? view.found.weight : 0}),
        name: (i) => view.nameOf(i),
        node: (i) => ({name: view.nameOf(i), parent: view.tree.parent[i], end: view.tree.end[i], self: view.tree.self[i],
            total: view.tree.total[i]}),
        bars: () => Array.from({length: view.bars.n}, (_, i) => ({node: view.bars.node[i], count: view.bars.count[i],
            row: view.bars.row[i], x: view.bars.x[i], y: view.painter.top(view.bars.row[i], view.range),
            width: view.bars.width[i]})),
    };
}

const state = (tab) => tab.eval(() => seen.state());
const text = (tab, selector) => tab.eval((s) => document.querySelector(s).textContent, selector);
const nodeNamed = (tab, name) => tab.eval((want) => {
    for (let i = 0; i < flame.tree.n; i++)
        if (seen.name(i) === want)
            return i;
    return -1;
}, name);

// The middle of a node's bar on the screen.
const middleOf = (tab, node) => tab.eval((want) => {
    const bar = seen.bars().find((b) => b.node === want && b.count === 1);
    const box = document.getElementById('canvas').getBoundingClientRect();
    const from = Math.max(bar.x, 0), to = Math.min(bar.x + bar.width, box.width);
    return [box.x + (from + to) / 2, box.y + bar.y + flame.painter.rowHeight / 2];
}, node);

const pixel = (tab, x, y) => tab.eval((px, py) => {
    const canvas = document.getElementById('canvas'), box = canvas.getBoundingClientRect();
    if (document.elementFromPoint(px, py) !== canvas)
        throw new Error(`${px}, ${py} is not on the graph`);
    return [...canvas.getContext('2d').getImageData(px - box.x, py - box.y, 1, 1).data.slice(0, 3)];
}, x, y);

// What a button saves: type and text of the file.
const saved = (tab, id) => tab.eval((button) => new Promise((resolve) => {
    const make = URL.createObjectURL;
    HTMLAnchorElement.prototype.click = () => {};
    URL.createObjectURL = (blob) => {
        blob.text().then((t) => resolve([blob.type, t.slice(0, 3000000)]));
        return make.call(URL, blob);
    };
    document.getElementById(button).click();
}), id);

async function type(tab, query) {
    await tab.eval((q) => {
        const box = document.getElementById('query');
        box.value = q;
        box.dispatchEvent(new Event('input'));
    }, query);
    await tab.until((q) => flame.state.query === q, query);
    await tab.settle();
}

await test('the whole tree is there', async (tab) => {
    const {all, deepest, bars} = await tab.eval(() => ({all: seen.node(0), deepest: flame.tree.deepest, bars: seen.bars()}));
    same([all.total, deepest], [500000, 5000]);
    holds(bars.length > 500 && bars.length < 20000, `${bars.length} bars`);
    holds(bars.every((b) => b.row * 20 < 800), 'bars beyond the window');
    same(await text(tab, 'h1'), 'checkout service <b>&amp; co</b>.jfr');
    holds((await text(tab, '#subtitle')).includes('500\u202f000 samples'), 'subtitle');
});

await test('children lie within their parents and do not overlap', async (tab) => {
    same(await tab.eval(() => {
        let wrong = 0;
        const sum = new Map();
        for (let i = 1; i < flame.tree.n; i++) {
            const n = seen.node(i);
            sum.set(n.parent, (sum.get(n.parent) ?? 0) + n.total);
        }
        for (const [i, s] of sum)
            wrong += s + seen.node(i).self !== seen.node(i).total;
        const rows = new Map();
        for (const b of seen.bars()) {
            wrong += b.x < (rows.get(b.row) ?? -2) - 0.01;
            rows.set(b.row, b.x + b.width);
        }
        return wrong;
    }), 0);
});

await test('hostile names are text', async (tab) => {
    const names = await tab.eval(() => Array.from({length: flame.tree.n}, (_, i) => seen.name(i))
        .filter((n) => /pwned|evil|half|^a.b$|<!--/u.test(n)));
    same(names.sort(), ['"\'><svg onload=window.pwned=4>', '</script><script>window.pwned=1</script>', '<!--<script>',
        '<img src=x onerror=window.pwned=2>', 'a\u2400b', 'evil\u27e8U+202E\u27e9gpj.exe', 'half\ufffd\ufffd\ufffd',
        'javascript:window.pwned=3'].sort());
    const node = await nodeNamed(tab, '</script><script>window.pwned=1</script>');
    await tab.click(...await middleOf(tab, await tab.eval((n) => seen.node(n).parent, node)));
    await tab.mouse('mouseMoved', ...await middleOf(tab, node));
    await tab.settle();
    same(await text(tab, '#tip b'), '</script><script>window.pwned=1</script>');
    await tab.click(...await middleOf(tab, node));
    holds((await text(tab, '#status')).startsWith('Zoomed to </script><script>'), 'status');
    await tab.press('t');
    holds((await text(tab, '#lines')).includes('</script><script>window.pwned=1</script>'), 'table');
    same(await tab.eval(() => document.querySelectorAll('svg, img, b b, script').length), 7, 'elements');
});

await test('search counts no sample twice', async (tab) => {
    await type(tab, 'deep.Recursion');
    same((await state(tab)).matched, 5000);
    same(await text(tab, '#found'), '1.00 % \u00b7 4\u202f999 frames');
    await type(tab, '[http-nio-2]');
    same(await text(tab, '#found'), '24.0 % \u00b7 1 frame');
    await type(tab, '/^com\\.acme\\.gen\\.Lambda\\$0000\\d/');
    same((await state(tab)).matched, 10);
    await type(tab, 'acme.gen -Lambda$00 -Lambda$01');
    same((await state(tab)).matched, 8000);
    await type(tab, 'DEEP.recursion');
    same((await state(tab)).matched, 0);
    await type(tab, 'com.acme.deep.recursion.e');
    same((await state(tab)).matched, 4501);
});

await test('bad patterns are marked, not thrown', async (tab) => {
    for (const bad of ['/(/', '/(a+)+$/', '/[z-a]/', '/(?<n>a|b)*x/']) {
        await type(tab, bad);
        same(await tab.eval(() => document.getElementById('query').getAttribute('aria-invalid')), 'true', bad);
    }
    await type(tab, '/usr/lib');
    same(await tab.eval(() => document.getElementById('query').getAttribute('aria-invalid')), 'false');
});

await test('matches stand out, the others fade, the ruler marks them', async (tab) => {
    const node = await nodeNamed(tab, '[http-nio-2]'), at = await middleOf(tab, node);
    at[1] -= 8;
    const before = await pixel(tab, ...at);
    await type(tab, '[http-nio-2]');
    const after = await pixel(tab, ...at), canvas = await tab.eval(() => document.getElementById('canvas').getBoundingClientRect().y);
    holds(String(before) !== String(after), 'the match has the same colour');
    holds(after[0] > after[1] && after[2] > after[1], `no highlight: ${after}`);
    const mark = await pixel(tab, at[0], canvas + 2), none = await pixel(tab, 20, canvas + 2);
    holds(String(mark) !== String(none), 'no mark on the ruler');
    await type(tab, '');
    same(await pixel(tab, ...at), before);
});

await test('n and N walk the matches', async (tab) => {
    await type(tab, '[http-nio');
    await tab.eval(() => document.getElementById('grid').focus());
    await tab.press('n', 'n', 'N', 'N', 'N');
    holds((await text(tab, '#found')).endsWith('2/3'), await text(tab, '#found'));
    same(await tab.eval(() => seen.name(flame.focus)), '[http-nio-2]');
    await type(tab, 'Lambda$07777');
    await tab.press('n');
    same(await tab.eval(() => seen.name(flame.focus)), 'com.acme.gen.Lambda$07777.run');
});

await test('the current match has an outline', async (tab) => {
    await type(tab, '[http-nio');
    const edge = (name) => tab.eval((name) => {
        const box = document.getElementById('canvas').getBoundingClientRect(), bar = seen.bars().find((b) => seen.name(b.node) === name);
        return [box.x + bar.x + 1, box.y + bar.y + flame.painter.rowHeight / 2];
    }, name);
    const places = [await edge('[http-nio-1]'), await edge('[http-nio-2]')], colours = async () => [await pixel(tab, ...places[0]), await pixel(tab, ...places[1])].map(String);
    const before = await colours();
    await tab.eval(() => document.getElementById('query').focus());
    await tab.press('Enter');
    const first = await colours();
    await tab.press('Enter');
    const second = await colours();
    holds(first[0] !== before[0] && first[1] === before[1], `the first: ${before} ${first}`);
    holds(second[0] === before[0] && second[1] === first[0], `the second: ${before} ${second}`);
});

await test('a click zooms, Backspace goes back, 0 shows everything', async (tab) => {
    const node = await nodeNamed(tab, '[http-nio-2]');
    await tab.click(...await middleOf(tab, node));
    const zoomed = await state(tab), box = await tab.eval((n) => seen.bars().find((b) => b.node === n), node);
    same([zoomed.zoom, zoomed.range.to - zoomed.range.from], [node, 120000]);
    holds(Math.abs(box.width - 1280) < 1 && Math.abs(box.x) < 1, 'the frame does not fill the width');
    const child = await tab.eval((n) => seen.bars().find((b) => seen.node(b.node).parent === n && b.count === 1).node, node);
    await tab.click(...await middleOf(tab, child));
    same((await state(tab)).zoom, child);
    await tab.press('Backspace');
    same((await state(tab)).zoom, node);
    await tab.press('0');
    same((await state(tab)).range.to, 500000);
});

await test('zooming is eased unless the reader wants calm', async (tab) => {
    const node = await nodeNamed(tab, '[http-nio-2]'), at = await middleOf(tab, node);
    await tab.mouse('mousePressed', ...at);
    await tab.mouse('mouseReleased', ...at);
    holds((await state(tab)).moving || (await state(tab)).range.to === 120000 + (await state(tab)).range.from, 'moving');
    await tab.settle();
    same((await state(tab)).range.to - (await state(tab)).range.from, 120000);
}, {calm: false});

await test('wheel scrolls and zooms, a drag moves', async (tab) => {
    const start = await state(tab);
    await tab.mouse('mouseWheel', 640, 600, {deltaX: 0, deltaY: -200, button: 'none'});
    await tab.settle();
    same((await state(tab)).range.scroll, 200);
    await tab.mouse('mouseWheel', 640, 600, {deltaX: 0, deltaY: -300, button: 'none', modifiers: 2});
    await tab.settle();
    const zoomed = (await state(tab)).range;
    holds(Math.abs(500000 / (zoomed.to - zoomed.from) - Math.E) < 0.01, 'zoomed by e');
    await tab.mouse('mousePressed', 640, 600);
    await tab.mouse('mouseMoved', 600, 600, {buttons: 1, button: 'left'});
    await tab.mouse('mouseMoved', 540, 600, {buttons: 1, button: 'left'});
    await tab.mouse('mouseReleased', 540, 600);
    await tab.settle();
    const moved = await state(tab);
    holds(Math.abs((moved.range.from - zoomed.from) / (zoomed.to - zoomed.from) - 100 / 1280) < 0.01, 'moved by 100 px');
    same(moved.zoom, start.zoom, 'a drag is no click');
});

await test('the thumb beside the graph scrolls it', async (tab) => {
    const start = await state(tab), {box, thumb, times} = await tab.eval(() => {
        const {painter, range, deepest} = flame;
        return {box: document.getElementById('canvas').getBoundingClientRect().toJSON(), thumb: painter.thumb({view: range, deepest}),
            times: (deepest + 1) * painter.rowHeight / (painter.height - 8)}; // without the ruler
    });
    const x = box.x + box.width - 5, y = box.y + thumb.y + thumb.height / 2;
    await tab.mouse('mousePressed', x, y);
    for (const dy of [20, 60, 100])
        await tab.mouse('mouseMoved', x, y - dy, {buttons: 1, button: 'left'});
    await tab.mouse('mouseReleased', x, y - 100);
    await tab.settle();
    const moved = await state(tab);
    holds(Math.abs((moved.range.scroll - start.range.scroll) / (100 * times) - 1) < 0.02, `${moved.range.scroll}, not ${100 * times}`);
    same([moved.range.from, moved.range.to, moved.zoom], [start.range.from, start.range.to, start.zoom], 'nothing else');
});

await test('two fingers zoom, one moves', async (tab) => {
    const touch = (type, ...points) => tab.send('Input.dispatchTouchEvent', {type, touchPoints: points.map(([x, y], id) => ({x, y, id}))});
    const start = (await state(tab)).range;
    await touch('touchStart', [540, 600]);
    await touch('touchStart', [540, 600], [740, 600]);
    for (const x of [760, 800, 840])
        await touch('touchMove', [540, 600], [x, 600]);
    await touch('touchEnd');
    await tab.settle();
    const zoomed = (await state(tab)).range, times = (start.to - start.from) / (zoomed.to - zoomed.from);
    holds(times > 1.3 && times < 1.7, `zoomed by ${times}`);
    await touch('touchStart', [600, 600]);
    for (const x of [590, 540, 500])
        await touch('touchMove', [x, 600]);
    await touch('touchEnd');
    await tab.settle();
    const moved = await state(tab);
    holds(moved.range.from > zoomed.from && moved.range.to - moved.range.from === zoomed.to - zoomed.from, 'moved');
    same(moved.zoom, 0, 'a touch that moves is no click');
});

await test('the small graph below moves the window', async (tab) => {
    await tab.eval(() => flame.scale(4, 0, false));
    const box = await tab.eval(() => document.getElementById('minimap').getBoundingClientRect().toJSON());
    await tab.click(box.x + box.width * 0.75, box.y + box.height / 2);
    const {from, to} = (await state(tab)).range, whole = await tab.eval(() => flame.whole);
    holds(Math.abs((from + to) / 2 / whole - 0.75) < 0.01, `${from}..${to} of ${whole}`);
});

await test('5000 levels can be reached', async (tab) => {
    const end = await nodeNamed(tab, 'com.acme.deep.Recursion.end');
    await type(tab, 'deep.Recursion.end');
    await tab.eval(() => document.getElementById('grid').focus());
    await tab.press('n');
    const bar = await tab.eval((n) => seen.bars().find((b) => b.node === n), end);
    holds(bar && bar.row === 5000 && bar.y > 0 && bar.y < 780, JSON.stringify(bar));
    same((await state(tab)).focus, end);
});

await test('the arrow keys walk, and screen readers follow', async (tab) => {
    await tab.eval(() => document.getElementById('grid').focus());
    await tab.press('ArrowUp');
    same(await tab.eval(() => seen.name(flame.focus)), '[http-nio-1]', 'widest callee');
    await tab.press('End');
    same(await tab.eval(() => seen.name(flame.focus)), '[many]', 'last');
    await tab.press('ArrowLeft');
    same(await tab.eval(() => seen.name(flame.focus)), '[main]', 'to the left');
    await tab.press('Home', 'ArrowRight', 'ArrowLeft');
    same(await tab.eval(() => seen.name(flame.focus)), '[deep]', 'first');
    const row = await tab.eval(() => {
        const grid = document.getElementById('grid'), r = document.getElementById(grid.getAttribute('aria-activedescendant'));
        return [r.getAttribute('role'), r.getAttribute('aria-level'), r.getAttribute('aria-expanded'), r.textContent, grid.children.length];
    });
    same(row, ['row', '2', 'true', '[deep]Type Group, Total 5\u202f000 samples, 1.00 percent plus or minus 0.014, Self 0 samples, 0 percent', 9]);
    await tab.press('ArrowRight', 'ArrowRight', 'Enter');
    same(await tab.eval(() => seen.name(flame.zoomed)), '[http-nio-1]');
    await tab.press('ArrowDown');
    same((await state(tab)).focus, 0);
});

await test('ten thousand siblings are one bar, and 200 rows at most', async (tab) => {
    await type(tab, 'Lambda$05000');
    await tab.eval(() => document.getElementById('grid').focus());
    await tab.press('n');
    holds(await tab.eval(() => document.getElementById('grid').children.length <= 200), 'rows');
    await tab.press('0');
    const bar = await tab.eval(() => seen.bars().find((b) => b.count > 100));
    const box = await tab.eval(() => document.getElementById('canvas').getBoundingClientRect().y);
    await tab.mouse('mouseMoved', bar.x + bar.width / 2, box + bar.y + 10);
    await tab.settle();
    holds(/^\d[\d\u202f]* frames too narrow to draw$/.test(await text(tab, '#tip b')), await text(tab, '#tip b'));
    holds((await text(tab, '#tip')).includes(bar.count.toString().replace(/(\d)(\d{3})$/, '$1\u202f$2')), 'count');
});

await test('the tooltip tells type, total, self and shares', async (tab) => {
    const node = await nodeNamed(tab, '[http-nio-2]');
    await tab.mouse('mouseMoved', ...await middleOf(tab, node));
    await tab.settle();
    const facts = await text(tab, '#tip');
    for (const want of ['[http-nio-2]', 'Group', '120\u202f000 samples, 24.0 %', 'Self'])
        holds(facts.includes(want), facts);
    await tab.click(...await middleOf(tab, node));
    const child = await tab.eval((n) => seen.bars().find((b) => seen.node(b.node).parent === n && b.count === 1).node, node);
    await tab.mouse('mouseMoved', ...await middleOf(tab, child));
    await tab.settle();
    holds((await text(tab, '#tip')).includes('% of [http-nio-2]'), await text(tab, '#tip'));
});

await test('icicle turns the graph over', async (tab) => {
    const y = () => tab.eval(() => seen.bars().find((b) => b.node === 0).y);
    const flame = await y();
    await tab.press('i');
    const icicle = await y();
    holds(flame > 500 && icicle < 20, `${flame} ${icicle}`);
    await tab.eval(() => document.getElementById('grid').focus());
    await tab.press('ArrowDown');
    holds((await state(tab)).focus > 0, 'down is inwards now');
});

await test('reverse adds up to the same', async (tab) => {
    const self = await tab.eval(() => {
        const sum = new Map();
        for (let i = 1; i < flame.tree.n; i++) {
            const {name, self: own} = seen.node(i);
            if (own > 0)
                sum.set(name, (sum.get(name) ?? 0) + own);
        }
        return [...sum].sort((a, b) => a[0] < b[0] ? -1 : 1);
    });
    await tab.press('r');
    const {sum, all, sorted} = await tab.eval(() => {
        const tops = new Map(), order = [];
        for (let i = 1; i < flame.tree.n; i = seen.node(i).end) {
            const {name, total} = seen.node(i);
            tops.set(name, (tops.get(name) ?? 0) + total);
            order.push(name);
        }
        return {sum: [...tops].sort((a, b) => a[0] < b[0] ? -1 : 1), all: seen.node(0).total, sorted: order.length};
    });
    same(all, 500000);
    same(sum, self);
    holds(sorted >= sum.length, 'tops');
    const callers = (name) => tab.eval((want) => {
        let i = 1;
        while (seen.name(i) !== want)
            i = seen.node(i).end;
        return [seen.node(i).total, seen.node(i).end - i - 1, seen.name(i + 1), seen.name(seen.node(i).end - 1)];
    }, name);
    same(await callers('com.acme.gen.Lambda$00042.run'), [1, 1, '[many]', '[many]']);
    same(await callers('com.acme.deep.Recursion.end'), [4501, 4999, 'com.acme.deep.Recursion.down', '[deep]']);
});

await test('dark and safe colours, readable and in the address', async (tab) => {
    const contrast = () => tab.eval(() => {
        const box = document.createElement('canvas').getContext('2d');
        const luminance = (css) => {
            box.fillStyle = css;
            box.fillRect(0, 0, 1, 1);
            const [r, g, b] = [...box.getImageData(0, 0, 1, 1).data].map((v) => v / 255)
                .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const {css, text: ink, match} = flame.page.colours, a = luminance(ink);
        return Math.min(...[...css.slice(0, css.length / 2), match].map((c) => {
            const b = luminance(c);
            return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        }));
    });
    const empty = await tab.eval(() => document.getElementById('canvas').getBoundingClientRect().y + 15); // above the bars
    const light = await pixel(tab, 700, empty);
    same(light, [255, 255, 255]);
    holds(await contrast() >= 4.5, `light: ${await contrast()}`);
    for (const palette of ['safe', 'type', 'package', 'grey', 'origin']) {
        await tab.press('p');
        same(await tab.eval(() => [flame.state.palette, document.getElementById('palette').value]), [palette, palette]);
        holds(await contrast() >= 4.5, `light, ${palette}: ${await contrast()}`);
        await tab.press('d');
        holds(await contrast() >= 4.5, `dark, ${palette}: ${await contrast()}`);
        await tab.press('d');
    }
    await tab.press('d');
    holds((await pixel(tab, 700, empty))[0] < 40, 'still light');
    holds((await tab.eval(() => location.hash)).includes('theme=dark'), 'address');
});

await test('the dark theme of the system is followed', async (tab) => {
    same((await state(tab)).dark, true);
}, {dark: true});

await test('the address restores the view', async (tab) => {
    const s = await state(tab);
    same([s.zoom, s.query, s.icicle, s.theme, s.palette, s.matched], [17, 'deep', true, 'dark', 'safe', 5000]);
    same(await tab.eval(() => document.getElementById('query').value), 'deep');
    await tab.press('i', '0');
    holds(!/zoom|icicle=1/.test(await tab.eval(() => location.hash)), await tab.eval(() => location.hash));
}, {at: '#zoom=17&q=deep&icicle=1&theme=dark&palette=safe'});

await test('nonsense in the address is ignored', async (tab) => {
    const s = await state(tab);
    same([s.zoom, s.theme, s.icicle], [0, 'auto', false]);
}, {at: '#zoom=1e99&theme=<b>&icicle=maybe&q=%ff&__proto__=1'});

await test('the table lists, sorts and filters', async (tab) => {
    const first = () => tab.eval(() => [...document.querySelector('#lines tr').children].map((c) => c.textContent));
    await tab.press('t');
    same((await first())[0].replace(/\s+/g, ' '), (await tab.eval(() => {
        const sum = new Map();
        for (let i = 1; i < flame.tree.n; i++)
            sum.set(seen.node(i).name, (sum.get(seen.node(i).name) ?? 0) + seen.node(i).self);
        const most = Math.max(...sum.values());
        return most.toString().replace(/\B(?=(\d{3})+$)/g, '\u202f') + ' samples ' + (most / 5000).toFixed(2) + ' % \u00b1 ' +
            (100 * Math.sqrt(most / 500000 * (1 - most / 500000) / 500000)).toPrecision(2);
    })).replace(/\s+/g, ' '));
    await tab.eval(() => document.querySelector('[data-sort=total]').click());
    same((await first())[2], '[http-nio-1]');
    await type(tab, 'deep.Recursion');
    same((await first()).map((t) => t.trim().replace(/\s+/g, ' ')), ['499 samples 0.10 % \u00b1 0.0045', '5 000 samples 1.00 % \u00b1 0.014',
        'com.acme.deep.Recursion.down']);
    await tab.eval(() => document.querySelector('#lines button').click());
    await tab.settle();
    const s = await state(tab);
    same([s.view, s.query], ['flame', 'com.acme.deep.Recursion.down']);
});

await test('letters do nothing while one types, or when switched off', async (tab) => {
    await tab.eval(() => document.getElementById('query').focus());
    await tab.press('i', 'r', 'd');
    let s = await state(tab);
    same([s.icicle, s.reverse, s.query], [false, false, 'ird']);
    await tab.press('Escape', '?');
    same(await tab.eval(() => document.getElementById('manual').open), true);
    await tab.eval(() => document.getElementById('letters').click());
    await tab.press('Escape', 'i');
    s = await state(tab);
    same([s.icicle, s.query], [false, '']);
});

await test('the graph follows the window', async (tab) => {
    await tab.eval(() => { // asked last of all before the browser shows a frame
        window.shown = [];
        new ResizeObserver(() => {
            const canvas = document.getElementById('canvas');
            shown.push([...canvas.getContext('2d').getImageData(canvas.width / 2, 70, 1, 1).data].join());
        }).observe(document.getElementById('stage'));
    });
    await tab.settle();
    await tab.send('Emulation.setDeviceMetricsOverride', {width: 640, height: 500, deviceScaleFactor: 2, mobile: false});
    await tab.until(() => document.getElementById('canvas').width === 1280);
    await tab.settle();
    const frames = await tab.eval(() => shown);
    holds(frames.length > 1 && frames.every((pixel) => pixel === '255,255,255,255'), `frames with ${frames.join('; ')}`);
    const right = await tab.eval(() => Math.max(...seen.bars().map((b) => b.x + b.width)));
    holds(right > 630 && right < 645, `right edge at ${right}`);
    const wide = await tab.eval(() => document.documentElement.scrollWidth);
    holds(wide <= 640, `the page is ${wide} px wide`);
});

// Black pixels of each frame that the browser showed while `act` ran, as their share of the frame.
async function blackFrames(tab, act) {
    const frames = [], listener = ({method, params, sessionId}) => {
        if (method !== 'Page.screencastFrame' || sessionId !== tab.session)
            return;
        frames.push(params.data);
        tab.send('Page.screencastFrameAck', {sessionId: params.sessionId}).catch(() => {});
    };

    browser.listeners.push(listener);
    await tab.send('Page.startScreencast', {format: 'png', everyNthFrame: 1});
    await act();
    await tab.settle();
    await tab.send('Page.stopScreencast');
    browser.listeners.splice(browser.listeners.indexOf(listener), 1);
    const blank = await Tab.open(browser), shares = [];
    for (const data of frames)
        shares.push(await blank.eval(async (base64) => {
            const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + base64)).blob());
            const c = new OffscreenCanvas(image.width, image.height).getContext('2d');
            c.drawImage(image, 0, 0);
            const pixels = new Uint32Array(c.getImageData(0, 0, image.width, image.height).data.buffer);
            return pixels.reduce((n, p) => n + ((p & 0xffffff) === 0), 0) / pixels.length;
        }, data));
    await blank.send('Page.close').catch(() => {});
    return shares;
}

for (const dark of [false, true])
    await test(`no frame is black while the window and the side bar change, ${dark ? 'dark' : 'light'}`, async (tab) => {
        const shares = await blackFrames(tab, async () => {
            for (let i = 0; i < 20; i++) {
                await tab.send('Emulation.setDeviceMetricsOverride', {width: 1280 - 30 * i, height: 800 - 10 * i, deviceScaleFactor: 1, mobile: false});
                await tab.eval(() => new Promise((done) => setTimeout(done, 40)));
            }
            for (let i = 0; i < 10; i++) {
                await tab.eval(() => {
                    const side = document.getElementById('side');
                    side.hidden = !side.hidden;
                });
                await tab.eval(() => new Promise((done) => setTimeout(done, 40)));
            }
        });
        holds(shares.length >= 8, `${shares.length} frames`);
        same(shares.filter((share) => share > 0.05).length, 0, `black frames of ${shares.length}`);
    }, {dark});

await test('a telephone has room for the graph', async (tab) => {
    const head = () => tab.eval(() => document.getElementById('stage').getBoundingClientRect().y / innerHeight);
    holds(await head() <= 0.2, `the head takes ${await head()}`);
    same(await tab.eval(() => document.documentElement.scrollWidth), 390, 'width');
    const box = await tab.eval(() => {
        const menu = document.querySelector('#menu summary');
        menu.scrollIntoView();
        return menu.getBoundingClientRect().toJSON();
    });
    await tab.click(box.x + box.width / 2, box.y + box.height / 2);
    const menu = await tab.eval(() => document.querySelector('#menu div').getBoundingClientRect().toJSON());
    holds(menu.x >= 0 && menu.right <= 390 && menu.bottom <= 844 && menu.height > 300, `the menu: ${JSON.stringify(menu)}`);
}, {width: 390, height: 844});

await test('a browser without deflate streams says that it is too old', async (tab) => {
    same(await text(tab, '#message'), 'This browser is too old to show the page.');
}, {before: 'delete window.DecompressionStream;'});

await test('saved files hold the view', async (tab) => {
    const [kind, svg] = await saved(tab, 'save-svg');
    same(kind, 'image/svg+xml');
    holds(svg.startsWith('<svg') && svg.includes('>[http-nio-2]</text>') && !svg.includes('<script'), 'svg');
    same([...new Set(svg.match(/fill="[^"]*"/g).filter((fill) => !/^fill="(#[0-9a-f]{6}|rgb\(\d+, \d+, \d+\))"$/.test(fill)))], [], 'colours that not every reader of SVG has');
    same((await saved(tab, 'save-png1'))[0], 'image/png');
    const [, stacks] = await saved(tab, 'save-text');
    holds(/^\[deep\];com\.acme\.deep\.Recursion\.down;/.test(stacks), 'stacks');
});

// A page whose data was changed says so, soon.
const whole = readFileSync(page, 'utf8');
const mark = 'id="data">\n', data = whole.indexOf(mark) + mark.length;
const damages = {
    'cut data': (s) => s.slice(0, data + 5000) + s.slice(s.indexOf('</script>', data)),
    'no data': (s) => s.slice(0, data) + s.slice(s.indexOf('</script>', data)),
    'other data': (s) => s.slice(0, data + 4000) + 'AAAAAAAA' + s.slice(data + 4008),
    'foreign data': (s) => s.slice(0, data) + '&&&' + s.slice(data),
    'a changed digit': (s) => s.slice(0, data + 7000) + (s[data + 7000] === 'k' ? 'l' : 'k') + s.slice(data + 7001),
    'a huge section': (s) => s.replace(/"bytes":(\d+)/, '"bytes":999999999999'),
    'a negative section': (s) => s.replace(/"bytes":(\d+)/, '"bytes":-1'),
    'too many nodes': (s) => s.replace(/"nodes":(\d+)/, '"nodes":4000000000'),
    'no nodes': (s) => s.replace(/"nodes":(\d+)/, '"nodes":"x"'),
    'other names': (s) => s.replace(/"names":(\d+)/, '"names":17'),
    'a missing section': (s) => s.replace('"tree.up"', '"tree.down"'),
    'a broken header': (s) => s.replace('{"format"', '{format'),
    'another version': (s) => s.replace('{"format":4', '{"format":5'),
};
for (const [name, change] of Object.entries(damages)) {
    const damaged = change(whole);
    writeFileSync(page + '.damaged.html', damaged);
    await test(`${name} is told`, async (tab) => {
        holds(damaged !== whole, 'nothing was changed');
        same((await text(tab, '#message')).slice(0, 32), 'The data of this page is damaged');
    }, {address: pathToFileURL(page + '.damaged.html').href});
}

await browser.close();
process.exit(failed === 0 ? 0 : 1);
