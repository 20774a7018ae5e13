// facets_test.mjs - what a person does with the samples of a page, done with mouse and keyboard in a
// headless Chromium, and the numbers beside those of our other commands:
//     node facets_test.mjs CHROMIUM MODULES FOLDER BUILD
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {gunzipSync} from 'node:zlib';
import {quiet} from './browser.mjs';
import {drag, holds, same, settle, stacks, sum, until} from './expect.mjs';
import {stacksOfPprof} from './pprof.mjs';

const [program, playwright, folder, build] = process.argv.slice(2);
const {chromium} = createRequire(import.meta.url)(playwright);
const browser = await chromium.launch({executablePath: program, args: quiet});
let failed = 0;

const decoder = fileURLToPath(new URL('./stacks.mjs', import.meta.url));
const run = (tool, ...args) => execFileSync(`${build}/${tool}`, args, {cwd: folder, maxBuffer: 1 << 28}).toString();

const collapsed = (...args) => stacks(run('jfr2collapsed', ...args, 'shop.jfr'));

// What the page would save as collapsed stacks.
const shown = async (page) => stacks(await page.evaluate(() => flame.page.collapsed().join('')));

// A row of csv tables by the first column: {value: samples}.
function table(by, ...args) {
    const lines = run('jfr2table', '-b', by, '-f', 'csv', ...args, 'shop.jfr').trim().split('\n');

    return Object.fromEntries(lines.slice(1).map((line) => line.split(',')).map(([v, n]) => [v, Number(n)]).filter(([, n]) => n > 0));
}

async function test(name, act, {page: file = 'shop.html', at = '', ...options} = {}) {
    if (process.env.CASE && !name.includes(process.env.CASE))
        return;
    const context = await browser.newContext({viewport: {width: 1440, height: 900}, reducedMotion: 'reduce', ...options});
    const page = await context.newPage(), troubles = [];
    page.setDefaultTimeout(60000);

    page.on('console', (m) => troubles.push('console: ' + m.text()));
    page.on('pageerror', (e) => troubles.push('error: ' + e.message));
    page.on('request', (r) => /^(file|blob|data):/.test(r.url()) || troubles.push('request: ' + r.url()));
    await page.addInitScript(() => {
        window.violations = [];
        addEventListener('securitypolicyviolation', (e) => violations.push(e.violatedDirective + ' ' + e.blockedURI));
    });
    try {
        await page.goto(pathToFileURL(`${folder}/${file}`).href + at);
        await until(page, () => Boolean(window.flame));
        await act(page, context);
        same(troubles, [], 'troubles');
        same(await page.evaluate(() => [violations, window.pwned ?? null]), [[], null], 'violations');
        console.log('ok page: ' + name);
    } catch (e) {
        failed++;
        console.log('not ok page: ' + name + '\n    ' + e.message.split('\n').slice(0, 12).join('\n    '));
    }
    await context.close();
}

const section = (page, name) => page.locator(`#facets section[aria-label="${name}"]`);

// The row of a value, which may have to be looked for.
async function row(page, dim, text) {
    const part = section(page, dim), find = part.getByRole('searchbox'), more = part.getByRole('button', {name: / more$/});
    const label = page.locator(`label[title^=${JSON.stringify(text + ':')}]`), here = part.locator('li', {has: label});

    if (await here.count() === 0 && await find.isVisible())
        await find.fill(text);
    else if (await here.count() === 0 && await more.isVisible())
        await more.click();
    return here;
}

async function found(page, dim, act) {
    await act;
    const find = section(page, dim).getByRole('searchbox');
    if (await find.isVisible())
        await find.fill('');
}

const pick = async (page, dim, text) => found(page, dim, (await row(page, dim, text)).getByRole('checkbox').click());
const leave = async (page, dim, text) => found(page, dim, (await row(page, dim, text)).getByRole('button').click());

const kind = (page, title) => page.getByRole('radio', {name: title + ', '}).click();

// Runs the command that the page tells for its view, as jfr2collapsed.
async function byCommand(page) {
    const command = await page.evaluate(() => flame.page.command());

    holds(command.startsWith('jfrkit flame '), command);
    return stacks(execFileSync('bash', ['-c', command.replace('jfrkit flame', `'${build}/jfr2collapsed'`).replace('-o page.html', '-o -')
        .replace(/ --(icicle|reverse)/g, '')], {cwd: folder, maxBuffer: 1 << 28}).toString());
}

await test('it opens with what jfr2collapsed has', async (page) => {
    const want = collapsed('-k', 'cpu');
    same(await shown(page), want);
    holds(sum(want) > 5000, 'too few samples');
    same(...await page.evaluate(() => [flame.painter.height, document.getElementById('canvas').getBoundingClientRect().height]), 'the graph is as high as its place');
    holds(await page.evaluate(() => flame.page.times.first[0] < performance.getEntriesByType('navigation')[0].domInteractive), 'the first picture waited for the samples');
    holds((await page.locator('#subtitle').textContent()).includes(sum(want).toString().replace(/\B(?=(\d{3})+$)/g, '\u202f') + ' samples'), 'subtitle');
});

await test('users, threads and states can be picked and left out', async (page) => {
    await pick(page, 'user', 'user-1');
    same(await shown(page), collapsed('-k', 'cpu', '-c', 'user=user-1'), 'one user');
    await pick(page, 'user', 'user-2');
    same(await shown(page), collapsed('-k', 'cpu', '-c', 'user=user-1', '-c', 'user=user-2'), 'two users');
    await leave(page, 'thread', 'scheduling-2');
    same(await shown(page), await byCommand(page), 'the command');
    same(await shown(page), collapsed('-k', 'cpu', '-c', 'user=user-1', '-c', 'user=user-2', '-T', 'scheduling-2'), 'without a thread');
    await section(page, 'user').getByRole('button', {name: 'Clear this filter'}).click();
    same(await shown(page), collapsed('-k', 'cpu', '-T', 'scheduling-2'), 'lifted');
    await pick(page, 'user', '(no user)');
    same(await shown(page), collapsed('-k', 'cpu', '-T', 'scheduling-2', '-c', 'user='), 'no user');
    await page.getByRole('button', {name: 'Undo'}).click();
    await page.keyboard.press('u');
    same(sum(await shown(page)), sum(collapsed('-k', 'cpu', '-c', 'user=user-1', '-c', 'user=user-2', '-T', 'scheduling-2')), 'undone');
});

await test('facets count the samples that match the other filters', async (page) => {
    const counts = (name) => page.evaluate((want) => {
        const {samples, choice} = flame.page, k = samples.dim(want), {texts} = samples.dims[k];
        return Object.fromEntries([...samples.countsOf(k, choice)].map((n, v) => [texts[v], n]).filter(([, n]) => n > 0));
    }, name);
    const sorted = (map) => Object.entries(map).sort((a, b) => a[0] < b[0] ? -1 : 1);
    await pick(page, 'user', 'user-3');
    await pick(page, 'action', 'action-2');
    same(sorted(await counts('user')), sorted(table('user', '-k', 'cpu', '-c', 'action=action-2')), 'users');
    same(sorted(await counts('action')), sorted(table('action', '-k', 'cpu', '-c', 'user=user-3')), 'actions');
    same(sorted(await counts('thread')), sorted(table('thread', '-k', 'cpu', '-c', 'user=user-3', '-c', 'action=action-2')), 'threads');
    const title = await (await row(page, 'user', 'user-3')).locator('label').getAttribute('title');
    holds(title.includes(' ' + table('user', '-k', 'cpu', '-c', 'action=action-2')['user-3'] + ' samples'), title);
});

await test('small groups are one, and named nowhere', async (page) => {
    for (const dim of ['user', 'thread', 'action']) {
        const {'(others)': others = 0, ...kept} = table(dim, '-k', 'all', '--min-group', '300');
        const [texts, counts] = await page.evaluate((name) => {
            const {samples, choice} = flame.page, k = samples.dim(name);
            return [samples.dims[k].texts, [...samples.countsOf(k, choice)]];
        }, dim);
        const is = Object.fromEntries(texts.map((text, v) => [text, counts[v]]).filter(([, n]) => n > 0)), {'(other)': rest = 0, ...values} = is;
        holds(dim !== 'user' || others > 0, 'no small users');
        same(rest, others, dim);
        same(Object.entries(values).sort(), Object.entries(kept).sort(), dim);
    }
    same(await shown(page), collapsed('-k', 'all'), 'all of the stacks');
}, {page: 'least.html'});

await test('a value can be found among many', async (page) => {
    await section(page, 'user').getByRole('searchbox').fill('user-77');
    const rows = section(page, 'user').locator('li');
    same(await rows.count(), 1);
    await rows.first().getByRole('checkbox').check();
    same(sum(await shown(page)), sum(collapsed('-k', 'cpu', '-c', 'user=user-77')));
    await section(page, 'user').getByRole('searchbox').fill('');
    await section(page, 'user').getByRole('button', {name: / more$/}).click();
    holds(await rows.count() > 50, 'the rest');
    same((await page.locator('#facets button').allTextContents()).filter((t) => /^(\u2212?-\d|0 )/.test(t)), [], 'no button has fewer than one more');
});

await test('kinds and weights are switched', async (page) => {
    for (const [name, weight, words] of [['cpu', 'count', []], ['alloc', 'bytes', ['-u', 'bytes']], ['lock', 'duration', ['-u', 'duration']]])
        same(await page.evaluate((name) => { const k = flame.page.samples.kinds.find((k) => k.name === name); return [k.weight, k.total]; }, name),
            [weight, sum(collapsed('-k', name, ...words))], `the total of ${name}`);
    await kind(page, 'Allocation');
    same(await shown(page), collapsed('-k', 'alloc', '-u', 'bytes'), 'bytes');
    same(await shown(page), await byCommand(page), 'the command');
    await page.keyboard.press('ArrowRight');
    same(await page.evaluate(() => [flame.page.state.kind, document.activeElement.getAttribute('aria-checked')]), ['lock', 'true'], 'the next kind by keys');
    await kind(page, 'Locks');
    same(await page.getByLabel('Weight', {exact: true}).inputValue(), 'duration', 'no bytes there');
    same(await shown(page), collapsed('-k', 'lock', '-u', 'duration'), 'durations');
    await page.getByLabel('Weight', {exact: true}).selectOption('count');
    same(await shown(page), collapsed('-k', 'lock'), 'locks');
    await kind(page, 'Wall clock');
    same(await shown(page), collapsed('-k', 'wall'), 'sleepers, too');
    await pick(page, 'state', 'STATE_SLEEPING');
    same(await shown(page), collapsed('-k', 'wall', '-s', 'STATE_SLEEPING'), 'sleepers');
    await kind(page, 'All events');
    await section(page, 'state').getByRole('button', {name: 'Clear this filter'}).click();
    same(await shown(page), collapsed('-k', 'all'), 'everything');
    await pick(page, 'event', 'jdk.JavaMonitorEnter');
    same(sum(await shown(page)), sum(collapsed('-k', 'all', '-e', 'JavaMonitorEnter')), 'one event type');
});

await test('time is brushed, stepped and typed', async (page) => {
    await drag(page, '#strip', 200, 20, 500, 20);
    const some = await shown(page);
    holds(sum(some) > 300 && sum(some) < 7000, `${sum(some)} samples`);
    same(some, await byCommand(page), 'the command');
    const bars = () => settle(page).then(() => page.evaluate(() => flame.page.strip.bands[0].bars.reduce((a, b) => a + b)));
    same(await bars(), sum(collapsed('-k', 'cpu')), 'the strip shows what is around it');
    await pick(page, 'user', 'user-1');
    same(await bars(), sum(collapsed('-k', 'cpu', '-c', 'user=user-1')), 'the strip of a user');
    await pick(page, 'user', 'user-1');
    const range = () => page.evaluate(() => [flame.state.choice.from, flame.state.choice.to]);
    const [from, to] = await range();
    await page.locator('#grid').focus();
    await page.keyboard.press(']');
    same(await range(), [to, to + to - from], 'a step on');
    same(await shown(page), await byCommand(page), 'the command of the step');
    await page.getByLabel('From').fill('3.5');
    await page.getByLabel('to', {exact: false}).last().press('Tab');
    await page.locator('#from').press('Enter');
    same((await range())[0], 3500, 'typed');
    const clock = await page.locator('#from').inputValue();
    same(clock, await page.evaluate(() => new Date(Math.round(flame.page.samples.first + 3500 * flame.page.samples.tick)).toISOString().slice(11, 23)), 'a time of day');
    await page.getByLabel('From').fill(clock.slice(0, 8));
    await page.locator('#from').press('Enter');
    same((await page.locator('#from').inputValue()).slice(0, 9), clock.slice(0, 8) + '.', 'a typed time of day');
    await page.getByLabel('From').fill('noon');
    await page.locator('#from').press('Enter');
    same([await page.locator('#from').getAttribute('aria-invalid'), (await page.locator('#from').inputValue())], ['true', 'noon'], 'no time');
    same(await page.locator('#status').textContent(), '', 'nothing is said of before');
    await page.keyboard.press('Escape');
    await page.locator('#grid').focus();
    await page.keyboard.press('0');
    same(await page.locator('#status').textContent(), 'Showing the whole selection', 'not everything is shown');
    await page.getByRole('button', {name: 'All of the time'}).click();
    same(sum(await shown(page)), sum(collapsed('-k', 'cpu')), 'all of it');
    await drag(page, '#strip', 300, 20, 350, 20);
    await page.locator('#strip').dblclick();
    same(sum(await shown(page)), sum(collapsed('-k', 'cpu')), 'all of it, by a double click');
    await page.locator('#strip').hover();
    await page.mouse.wheel(0, -400);
    holds(await page.evaluate(() => flame.page.strip.to - flame.page.strip.from < flame.page.samples.last / 2), 'the wheel goes nearer');
});

await test('a finger brushes time, and rows of heat lanes', async (page, context) => {
    const tab = await context.newCDPSession(page);
    const swipe = async (selector, fromX, fromY, toX, toY) => {
        const box = await page.locator(selector).boundingBox(), at = (x, y) => [{x: box.x + x, y: box.y + y}];
        await tab.send('Input.dispatchTouchEvent', {type: 'touchStart', touchPoints: at(fromX, fromY)});
        for (const part of [0.2, 0.6, 1])
            await tab.send('Input.dispatchTouchEvent', {type: 'touchMove', touchPoints: at(fromX + (toX - fromX) * part, fromY + (toY - fromY) * part)});
        await tab.send('Input.dispatchTouchEvent', {type: 'touchEnd', touchPoints: []});
    };
    await swipe('#strip', 200, 20, 500, 20);
    const some = await shown(page);
    holds(sum(some) > 300 && sum(some) < 7000, `${sum(some)} samples`);
    same(some, await byCommand(page), 'the command');
    await page.getByRole('button', {name: 'All of the time'}).click();
    await page.getByLabel('Heat lanes').selectOption('action');
    await settle(page);
    await swipe('#lanes', 300, 20, 700, 35);
    same(await page.evaluate(() => flame.state.choice.picks[flame.page.strip.lanes.dim].only.size), 2, 'rows');
    same(await shown(page), await byCommand(page), 'the command of rows');
});

await test('the source of a function is a link', async (page) => {
    const want = await page.evaluate(() => {
        for (let i = 1; ; i++) {
            const [, cls, method] = flame.nameOf(i).match(/^([\w.]+)\.(\w+)$/) ?? [];
            if (!method)
                continue;
            flame.setFocus(i);
            return `https://src.example/${cls.replaceAll('.', '/')}.java?m=${method}&c=${cls}#L`;
        }
    });
    await page.getByRole('button', {name: 'Details'}).click();
    const link = page.locator('#drawer').getByRole('link', {name: 'Source'});
    same([await link.getAttribute('href'), await link.getAttribute('rel')], [want, 'noopener noreferrer']);
}, {page: 'least.html'});

await test('a box of heat lanes chooses rows and time', async (page) => {
    await page.getByLabel('Heat lanes').selectOption('user');
    await settle(page);
    same(await page.evaluate(() => {
        const {strip: {lanes}, samples, choice} = flame.page, users = samples.countsOf(lanes.dim, choice).filter((n) => n > 0).length;
        return [lanes.rows.length + lanes.left - users, lanes.rows.length, lanes.left > 0, lanes.canvas.clientHeight];
    }), [0, 16, true, 17 * 15], 'lanes that are left out are counted');
    await page.getByLabel('Heat lanes').selectOption('action');
    await settle(page);
    const heat = await page.evaluate(() => flame.page.strip.lanes.heat.reduce((a, b) => a + b));
    const rows = await page.evaluate(() => flame.page.strip.lanes.rows.map((v) => flame.page.samples.dims[flame.page.strip.lanes.dim].texts[v]));
    same(heat, sum(collapsed('-k', 'cpu')), 'all is on the lanes');
    same(...await page.evaluate(() => {
        const {strip} = flame.page, places = [strip.canvas, strip.lanes.canvas].map((canvas) => strip.tickAt(canvas, canvas.clientWidth / 2));
        return places;
    }), 'one axis for both');
    await drag(page, '#lanes', 300, 20, 700, 35);
    const state = await page.evaluate(() => ({...flame.state.choice, only: [...flame.state.choice.picks[flame.page.strip.lanes.dim].only]
        .map((v) => flame.page.samples.dims[flame.page.strip.lanes.dim].texts[v])}));
    same(state.only.sort(), rows.slice(1, 3).sort(), 'rows');
    holds(state.from > 0 && state.to > state.from, 'time');
    same(await shown(page), await byCommand(page), 'the command');
});

await test('functions are hidden, matches kept, and both undone', async (page) => {
    const name = await page.evaluate(() => {
        const node = flame.tree.widestChild(flame.tree.widestChild(0));
        flame.setFocus(node);
        return flame.names.get(flame.tree.name[node]);
    });
    await page.locator('#grid').focus();
    await page.keyboard.press('h');
    const hidden = Object.fromEntries(Object.entries(collapsed('-k', 'cpu')).filter(([s]) => !s.split(';').includes(name)));
    same(await shown(page), hidden, 'hidden');
    same(await shown(page), await byCommand(page), 'the command');
    await page.getByRole('button', {name: 'Clear: ' }).click();
    same(await shown(page), collapsed('-k', 'cpu'), 'lifted');
    await page.keyboard.press('/');
    await page.keyboard.type('json');
    await page.keyboard.press('Shift+Enter');
    const kept = Object.fromEntries(Object.entries(collapsed('-k', 'cpu')).filter(([s]) => /json/i.test(s)));
    same(await shown(page), kept, 'kept');
    await page.keyboard.press('Escape');
    await page.keyboard.press('u');
    same(await shown(page), collapsed('-k', 'cpu'), 'undone');
});

await test('search counts under the conditions, the table follows both', async (page) => {
    await pick(page, 'user', 'user-2');
    await page.getByRole('searchbox', {name: 'Search frames'}).fill('json');
    await until(page, () => flame.state.query === 'json');
    const own = collapsed('-k', 'cpu', '-c', 'user=user-2');
    same(await page.evaluate(() => flame.found.weight), sum(Object.fromEntries(Object.entries(own).filter(([s]) => /json/i.test(s)))));
    await page.getByRole('radio', {name: 'Table of functions'}).click();
    const rows = page.locator('#lines tr');
    holds(await rows.count() > 3, 'rows');
    await page.getByRole('button', {name: 'Total'}).click();
    const first = await rows.first().innerText(), name = await rows.first().getByRole('button').innerText();
    const total = sum(Object.fromEntries(Object.entries(own).filter(([s]) => s.split(';').includes(name))));
    holds(/json/i.test(name) && first.replaceAll('\u202f', '').includes(`${total} samples`), first);
    const csv = await page.evaluate(() => flame.page.table.csv().split('\n')[1]);
    same(csv.split(',').slice(0, 1).concat(csv.split(',').at(-1)), [`"${name}"`, String(total)], 'csv');
});

await test('packages and contexts can be searched', async (page) => {
    const find = async (text) => {
        await page.getByRole('searchbox', {name: 'Search frames'}).fill(text);
        await until(page, `flame.state.query === ${JSON.stringify(text)}`);
        return page.evaluate(() => flame.found.error ?? flame.found.weight);
    };
    const all = collapsed('-k', 'cpu'), names = Object.keys(all).flatMap((s) => s.split(';')), name = names.find((n) => n.split('.').length > 3);
    const pkg = name.split('.').slice(0, -2).join('.'), holding = (map, re) => sum(Object.fromEntries(Object.entries(map).filter(([s]) => s.split(';').some((f) => re.test(f)))));
    same(await find('pkg:' + pkg), holding(all, new RegExp(`^${pkg.replaceAll('.', '[.]')}([.]|$)`)), pkg);
    same(await find('pkg:' + pkg.slice(0, -1)), 0, 'half a package');
    same(await find('line:0'), 0, 'no lines here');
    const alice = collapsed('-k', 'cpu', '-c', 'user=user-12');
    same(await find('ctx.user:user-12 json'), holding(alice, /json/i), 'a user');
    same(await find('ctx.nobody:x'), 'no such context');
    await find('ctx.user:user-12 json');
    await page.keyboard.press('Shift+Enter');
    same(sum(await shown(page)), holding(alice, /json/i), 'kept');
    same(sum(await byCommand(page)), holding(alice, /json/i), 'the command');
});

await test('sides are divided by time or by nothing', async (page) => {
    const of = (...args) => sum(collapsed('-k', 'cpu', ...args)), a = of('-c', 'user=user-1'), b = of('-C', 'user=user-1');
    const sides = () => page.evaluate(() => [flame.tree.a[0], flame.tree.b[0]]);
    same((await sides()).map((v) => v.toFixed(9)), [1, 1].map((v) => v.toFixed(9)), 'shares');
    await page.getByLabel('Compare by').selectOption('none');
    same((await sides()).map((v) => v.toFixed(9)), [a / b, 1].map((v) => v.toFixed(9)), 'totals');
    await page.getByLabel('Compare by').selectOption('time');
    same((await sides()).map((v) => v.toFixed(9)), [a / b, 1].map((v) => v.toFixed(9)), 'per second of the same time');
    await page.locator('#canvas').hover({position: {x: 300, y: (await page.locator('#canvas').boundingBox()).height - 30}});
    await until(page, () => !document.getElementById('tip').hidden);
    holds(/A\s+[\d.]+ samples? a second/.test((await page.locator('#tip').innerText()).replaceAll('\u202f', '')), await page.locator('#tip').innerText());
    same(await page.evaluate(() => flame.page.command()), "jfrkit flame -k cpu --diff --diff-norm time -o page.html user=user-1 'user!=user-1' shop.jfr");
    await page.getByLabel('Compare by').selectOption('samples');
    await page.getByRole('radio', {name: 'Table of functions'}).click();
    const rows = () => page.evaluate(() => [parseInt(document.querySelector('caption').textContent.replaceAll('\u202f', '')),
        [...document.querySelectorAll('#lines [data-of=change] small')].filter((s) => s.textContent !== '').length]);
    const [all, noise] = await rows();
    await page.getByRole('button', {name: 'Hide noise'}).click();
    const [rest, left] = await rows();
    holds(rest < all && noise > 0 && left === 0, `${all} rows, ${noise} of noise, then ${rest}, ${left}`);
}, {page: 'users.html'});

await test('callers and callees meet in the function', async (page) => {
    const name = await page.evaluate(() => {
        let best = 1; // the function in the middle of the widest path
        for (let i = 1; i < flame.tree.n; i++)
            if (flame.tree.depth[i] === 6 && flame.tree.total[i] > flame.tree.total[best] * (flame.tree.depth[best] === 6))
                best = i;
        flame.setFocus(best);
        return flame.names.get(flame.tree.name[best]);
    });
    await page.locator('#grid').focus();
    await page.keyboard.press('s');
    await settle(page);
    const want = sum(Object.fromEntries(Object.entries(collapsed('-k', 'cpu')).filter(([s]) => s.split(';').includes(name))));
    const seen = await page.evaluate(() => [flame.page.view, flame.page.lower].map((v) => [v.tree.total[1], v.nameOf(1), v.tree.n > 2]));
    same(seen, [[want, name, true], [want, name, true]]);
    holds(await page.locator('#canvas-lower').isVisible(), 'the lower graph');
    const box = await page.locator('#canvas-lower').boundingBox();
    await page.mouse.move(box.x + 300, box.y + 60);
    await until(page, () => !document.getElementById('tip').hidden);
    await page.keyboard.press('Escape');
    holds(await page.locator('#canvas-lower').isHidden(), 'Escape');
});

await test('details tell who pays', async (page) => {
    const node = await page.evaluate(() => {
        const i = flame.tree.widestChild(0);
        flame.setFocus(i);
        return {name: flame.nameOf(i), total: flame.tree.total[i]};
    });
    await page.getByRole('button', {name: 'Details'}).click();
    const drawer = page.locator('#drawer');
    same(await drawer.getByRole('heading', {level: 2}).innerText(), node.name);
    for (const title of ['Calls', 'By user', 'By action', 'By thread'])
        holds(await drawer.getByRole('heading', {name: title}).count() > 0, title);
    const users = drawer.locator('h3', {hasText: 'By user'}).locator('+ ul li').filter({hasText: /^user-/}).first();
    const user = await users.getByRole('button').innerText(), share = await users.locator('b').innerText();
    const own = Object.entries(collapsed('-k', 'cpu', '-c', 'user=' + user)).filter(([s]) => s.startsWith(node.name + ';') || s === node.name);
    same(Number(share.replace(' %', '')).toFixed(1), (100 * sum(Object.fromEntries(own)) / node.total).toFixed(1), 'share of ' + user);
    await users.getByRole('button').click();
    same(sum(await shown(page)), sum(collapsed('-k', 'cpu', '-c', 'user=' + user)), 'picked there');
});

// Shares of the topmost frames on both sides, from the tables, beside those of the page.
async function compared(page, a, b) {
    const share = (map) => {
        const out = {}, whole = sum(map);
        for (const [s, n] of Object.entries(map))
            out[s.split(';')[0]] = (out[s.split(';')[0]] ?? 0) + n / whole;
        return out;
    };
    const [wantA, wantB] = [share(a), share(b)];
    const got = await page.evaluate(() => {
        const t = flame.page.forward, out = [];
        for (let i = 1; i < t.n; i = t.end[i])
            out.push([flame.names.get(t.name[i]), t.a[i], t.b[i]]);
        return out;
    });
    let n = 0;
    for (const [name, x, y] of got) {
        holds(Math.abs(x - (wantA[name] ?? 0)) < 1e-9 && Math.abs(y - (wantB[name] ?? 0)) < 1e-9, `${name}: ${x} ${y}, not ${wantA[name]} ${wantB[name]}`);
        n += x + y > 0;
    }
    same(n, new Set([...Object.keys(wantA), ...Object.keys(wantB)]).size, 'frames');
}

await test('two choices are compared, and swapped', async (page) => {
    await pick(page, 'user', 'user-1');
    await page.getByRole('button', {name: 'Pin what is chosen now'}).or(page.locator('#pin')).first().click();
    await pick(page, 'user', 'user-1');
    await pick(page, 'user', 'user-2');
    const a = collapsed('-k', 'cpu', '-c', 'user=user-1'), b = collapsed('-k', 'cpu', '-c', 'user=user-2');
    await compared(page, a, b);
    await page.locator('#grid').focus();
    await page.keyboard.press('x');
    await compared(page, b, a);
    const noise = await page.evaluate(() => [flame.page.compare.isNoise(0.5, 0.501), flame.page.compare.isNoise(0.1, 0.9), flame.page.compare.strength(0.1, 0.9) > 0,
        flame.page.compare.strength(0.9, 0.1) < 0, flame.page.compare.strength(0.2, 0) < 0]);
    same(noise, [true, false, true, true, true], 'significance');
    const title = await (await row(page, 'action', 'action-1')).locator('label').getAttribute('title');
    const sides = [2, 1].map((user) => table('action', '-k', 'cpu', '-c', `user=user-${user}`)['action-1'] ?? 0);
    holds(new RegExp(`A: ${sides[0]} samples?, .*B: ${sides[1]} samples?, `).test(title.replaceAll('\u202f', '')), title);
    const box = await page.locator('#canvas').boundingBox();
    await page.mouse.move(box.x + 300, box.y + box.height - 30);
    await until(page, () => !document.getElementById('tip').hidden);
    const tip = await page.locator('#tip').innerText();
    holds(/A\s+[\d.]+ %.*\u00b1/.test(tip) && /Change\s+[+\u2212]?[\d.]+ pp/.test(tip), tip);
    await page.getByRole('radio', {name: 'Table of functions'}).click();
    await page.getByRole('button', {name: 'Change'}).click();
    holds(/pp/.test(await page.locator('#lines tr').first().innerText()), 'table');
    await page.keyboard.press('r');
    await page.keyboard.press('t');
    await page.locator('#pin').click();
    holds(await page.evaluate(() => flame.page.base === null), 'ended');
});

await test('two recordings are compared', async (page) => {
    await compared(page, collapsed('-k', 'cpu'), stacks(run('jfr2collapsed', '-k', 'cpu', 'after.jfr')));
}, {page: 'files.html'});

await test('a comparison says what to do next, and names its sides', async (page) => {
    const hint = page.locator('#hint'), title = page.locator('#title');
    await page.getByRole('radio', {name: 'Table of functions'}).click();
    await page.getByRole('button', {name: 'Total'}).click(); // does not decide how a comparison is sorted
    await page.keyboard.press('t');
    await page.getByRole('button', {name: 'Compare', exact: true}).click();
    same(await hint.innerText(), 'A is fixed: everything. Now choose B: pick a user, a thread or another value in the filters, or drag over a time.');
    same(await title.innerText(), 'shop.jfr: everything \u2192 ?', 'B is open');
    await pick(page, 'user', 'user-1');
    same([await hint.isVisible(), await title.innerText(), await page.title()], [false, 'shop.jfr: everything \u2192 user user-1', 'shop.jfr: everything \u2192 user user-1'], 'B is chosen');
    const shares = (await page.locator('#facets section[aria-label=action] li').first().locator('b').innerText()).match(/^([\d.]+) \u2192 ([\d.]+) %$/);
    const of = (...args) => { const map = table('action', '-k', 'cpu', ...args); return {map, whole: sum(map)}; };
    const both = [of(), of('-c', 'user=user-1')], value = await page.locator('#facets section[aria-label=action] li span').first().innerText();
    const key = value === '(no action)' ? '-' : value;
    same(shares.slice(1).map(Number), both.map(({map, whole}) => Number((100 * (map[key] ?? map['']) / whole).toPrecision(3))), `shares of ${value}`);
    await page.getByRole('radio', {name: 'Table of functions'}).click();
    same(await page.locator('th[aria-sort=descending]').innerText(), 'Change', 'sorted by change');
    const bars = await page.evaluate(() => [...document.querySelectorAll('#lines tr')].slice(0, 40).map((tr) => {
        const cell = tr.querySelector('[data-of=change]');
        return [cell.textContent.startsWith('+'), parseFloat(cell.style.backgroundPosition), parseFloat(cell.style.backgroundSize)];
    }));
    holds(bars.some(([more]) => more) && bars.some(([more]) => !more), 'more and less');
    holds(bars.every(([more, at, size]) => { const left = at / 100 * (100 - size), right = left + size; return more ? Math.abs(left - 50) < 0.1 : Math.abs(right - 50) < 0.1; }), `bars: ${JSON.stringify(bars)}`);
});

await test('two recordings have an axis each', async (page) => {
    await settle(page);
    const bands = await page.evaluate(() => flame.page.strip.bands.map(({from, to, bars}) => [from, to, bars.reduce((a, b) => a + b)]));
    const [a, b] = ['shop.jfr', 'after.jfr'].map((file) => sum(stacks(run('jfr2collapsed', '-k', 'cpu', file))));
    same(bands.map(([, , n]) => n), [a, b], 'all samples of both');
    const span = (name) => page.evaluate((name) => {
        const {samples} = flame.page, k = samples.dim('input'), v = samples.dims[k].texts.indexOf(name), at = [...samples.time.keys()].filter((i) => samples.dims[k].column[i] === v);
        return [Math.min(...at.map((i) => samples.time[i])), Math.max(...at.map((i) => samples.time[i])) + 1];
    }, name);
    same(bands.map(([from, to]) => [from, to]), [await span('shop.jfr'), await span('after.jfr')], 'each over its own time');
    same(await page.locator('#title').innerText(), 'shop.jfr \u2192 after.jfr', 'title');
    await drag(page, '#strip', 400, 60, 700, 60);
    const [before, after] = await page.evaluate(() => [flame.page.base.total, flame.page.sums.total]);
    holds(before === a && after < b && after > 0, `B alone: ${before}, ${after}`);
    await drag(page, '#strip', 400, 20, 700, 20);
    holds(await page.evaluate((a) => flame.page.base.total > 0 && flame.page.base.total < a, a), 'A');
    same(await page.evaluate(() => flame.page.sums.total), after, 'B is what it was');
    await page.keyboard.press('u');
    same(await page.evaluate(() => flame.page.base.total), a, 'undone');
}, {page: 'files.html'});

await test('an empty selection says why, and what there is', async (page) => {
    const message = page.locator('#message');
    await pick(page, 'user', 'user-1');
    await page.getByRole('searchbox', {name: 'Search frames'}).fill('no.such.Frame');
    await until(page, () => flame.state.query === 'no.such.Frame');
    await page.getByRole('searchbox', {name: 'Search frames'}).press('Shift+Enter');
    const said = (await message.innerText()).replaceAll('\u202f', ''), all = sum(collapsed('-k', 'cpu'));
    holds(said.startsWith(`No samples of CPU match user user-1, with no.such.Frame. The page has CPU ${all}, Wall clock `), said);
    await message.getByRole('button', {name: 'Clear all filters'}).click();
    same([await message.isVisible(), await shown(page)], [false, collapsed('-k', 'cpu')], 'cleared');
    await page.keyboard.press('u');
    same(sum(await shown(page)), 0, 'undone');
    await kind(page, 'Allocation');
    holds((await message.innerText()).startsWith('No events of Allocation match '), await message.innerText());
});

await test('events are called so, and open by what they cost', async (page) => {
    for (const [title, unit, words] of [['CPU', 'samples', 'count'], ['Allocation', 'B', 'bytes'], ['Locks', 's', 'duration'], ['Wall clock', 'samples', 'count']]) {
        await kind(page, title);
        same(await page.evaluate(() => flame.state.weight), words, title);
        holds((await page.evaluate(() => flame.page.rootLabel(flame))).endsWith(unit), `${title}: ${await page.evaluate(() => flame.page.rootLabel(flame))}`);
    }
    await kind(page, 'Locks');
    await page.getByLabel('Weight', {exact: true}).selectOption('count');
    holds(/^all: \d+ events$/.test((await page.evaluate(() => flame.page.rootLabel(flame))).replaceAll('\u202f', '')), 'events');
    same(await page.getByLabel('Weight', {exact: true}).locator('option').first().innerText(), 'events', 'the weight');
    same(await shown(page), await byCommand(page), 'the command');
});

await test('the small graph has colours that can be seen', async (page) => {
    await settle(page);
    const strongest = await page.evaluate(() => {
        const canvas = document.getElementById('minimap'), {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let most = 0;
        for (let i = 0; i < data.length; i += 4)
            most = Math.max(most, Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]));
        return most;
    });
    holds(strongest > 100, `the strongest colour has ${strongest} of 255`);
});

await test('time has a tooltip, and heat a legend', async (page) => {
    await page.locator('#strip').hover({position: {x: 500, y: 20}});
    const tip = page.locator('#timetip'), [time, weight] = (await tip.innerText()).split(' \u00b7 ');
    const [clock, bar] = await page.evaluate(() => {
        const {strip, samples} = flame.page, tick = strip.tickAt(strip.canvas, 500);
        return [new Date(Math.round(samples.first + tick * samples.tick)).toISOString().slice(11, 23), strip.bands[0].bars[500]];
    });
    same([time, parseInt(weight)], [clock, bar], 'strip');
    await page.getByLabel('Heat lanes').selectOption('user');
    await page.locator('#lanes').hover({position: {x: 500, y: 20}});
    const [, user, samples] = (await tip.innerText()).split(' \u00b7 ');
    const [name, cell, most] = await page.evaluate(() => {
        const {lanes, gutter} = flame.page.strip, {samples} = flame.page, bin = Math.floor((500 - gutter) / (lanes.canvas.clientWidth - gutter) * lanes.bins);
        return [samples.dims[lanes.dim].texts[lanes.rows[1]], lanes.heat[lanes.bins + bin], Math.max(...lanes.heat)];
    });
    same([user, parseInt(samples)], [name, cell], 'lanes');
    holds(new RegExp(`^0 +${most} samples in [\\d.]+ ms$`).test((await page.locator('#heat').innerText()).replaceAll('\u202f', '')), await page.locator('#heat').innerText());
    same(await page.locator('#heat i').count(), 5, 'colours');
    await page.mouse.move(5, 5);
    same(await tip.isVisible(), false, 'gone');
});

await test('choices of the command line are compared', async (page) => {
    const of = (...args) => collapsed('-k', 'cpu', ...args);
    await compared(page, of('-c', 'user=user-1'), of('-C', 'user=user-1'));
}, {page: 'users.html'});

await test('the address restores all of it', async (page, context) => {
    await pick(page, 'user', 'user-1');
    await leave(page, 'thread', 'rpc-io-1');
    await drag(page, '#strip', 100, 20, 700, 20);
    await page.getByLabel('Heat lanes').selectOption('user');
    await page.locator('#grid').focus();
    await page.keyboard.press('a');
    await pick(page, 'action', 'action-1');
    const what = (p) => p.evaluate(() => [flame.page.base.total, flame.page.sums.total, flame.state.lanes, flame.page.compare.names()[0]]);
    const other = await context.newPage();
    await other.goto(page.url());
    await until(other, () => Boolean(window.flame));
    same(await what(other), await what(page));
});

await test('the widest frames come first', async (page) => {
    const name = () => page.evaluate(() => flame.nameOf(flame.zoomed)), all = collapsed('-k', 'cpu');
    const ordered = () => page.evaluate(() => {
        const {tree} = flame, wrong = [];
        for (let i = 0; i < tree.n; i++)
            tree.children(i).forEach((c, k, list) => k > 0 && (tree.total[c] > tree.total[list[k - 1]] || tree.start[c] < tree.start[list[k - 1]]) && wrong.push(c));
        return [wrong.length, tree.total[0], tree.n];
    });
    await page.evaluate(() => flame.zoomTo(flame.tree.widestChild(0)));
    const zoomed = await name(), part = await shown(page);
    await page.locator('#menu summary').click();
    await page.getByRole('button', {name: 'Widest'}).click();
    same([await name(), await shown(page), (await ordered()).slice(0, 2)], [zoomed, part, [0, sum(all)]], 'still zoomed');
    await page.locator('#grid').focus();
    await page.keyboard.press('0');
    await pick(page, 'user', 'user-1');
    const own = collapsed('-k', 'cpu', '-c', 'user=user-1');
    same([await shown(page), (await ordered()).slice(0, 2)], [own, [0, sum(own)]], 'one user');
    await page.getByRole('searchbox', {name: 'Search frames'}).fill('ctx.user:user-1 json');
    await until(page, () => flame.found?.weight > 0);
    same(await page.evaluate(() => flame.found.weight), sum(Object.fromEntries(Object.entries(own).filter(([s]) => /json/i.test(s)))), 'search');
    await page.getByRole('button', {name: 'Details'}).click();
    await page.evaluate(() => flame.setFocus(flame.tree.firstChild(0)));
    same(await page.evaluate(() => flame.page.samples.payers(flame.page.choice, flame.page.forward, flame.tree.placeIn(flame.page.forward, flame.focus))[0].reduce((a, b) => a + b) - flame.tree.total[flame.focus]), 0, 'payers');
    await page.locator('#grid').focus();
    await page.keyboard.press('r');
    same((await ordered())[0], 0, 'callees first');
    await page.keyboard.press('r');
    await page.keyboard.press('w');
    holds((await ordered())[0] > 0 && await page.evaluate(() => flame.tree === flame.page.forward), 'the alphabet');
});

await test('the call tree has columns, is sorted, and walked by keys', async (page) => {
    const all = collapsed('-k', 'cpu'), whole = sum(all), rows = () => page.locator('#calls .row');
    const self = (path) => all[path] ?? 0, total = (path) => sum(Object.fromEntries(Object.entries(all).filter(([s]) => s === path || s.startsWith(path + ';'))));
    const text = async (row) => (await row.locator(':scope > span').allInnerTexts()).map((t) => t.replaceAll('\u202f', '').replaceAll(/\s+/g, ' ').trim());
    const focused = () => page.evaluate(() => flame.tree.path(flame.focus).slice(1).map((i) => flame.names.get(flame.tree.name[i])).join(';'));
    const percent = (n) => n === 0 ? '0 %' : (100 * n / whole).toFixed(100 * n / whole < 10 ? 2 : 1) + ' %';
    await page.getByRole('radio', {name: 'Call tree'}).click();
    same(await text(rows().first()), ['0 0 %', `${whole} 100 %`, '', '\u25beall'], 'the root');
    await page.locator('#grid').focus();
    await page.keyboard.press('ArrowDown');
    const tops = [...new Set(Object.keys(all).map((s) => s.split(';')[0]))].sort((x, y) => total(y) - total(x)), first = await focused();
    same(total(first), total(tops[0]), 'the largest comes first');
    for (let path = first, k = 0; k < 3; k++) {
        await page.keyboard.press('ArrowRight');
        if (await focused() === path)
            await page.keyboard.press('ArrowRight');
        path = await focused();
        const [own, sums, origin, name] = await text(page.locator('#calls .row.focus'));
        same([own, sums], [`${self(path)} ${percent(self(path))}`, `${total(path)} ${percent(total(path))}`], path);
        holds(name.endsWith(path.split(';').at(-1)) && (origin === 'JDK') === /^(java|sun|jdk)/.test(path.split(';').at(-1)), `${name} of ${origin}`);
    }
    const inner = await focused();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    holds(inner.startsWith(await focused() + ';') || await focused() === inner, 'to the left is outwards');
    const shown = await page.evaluate(() => flame.page.calls.rows.length);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('button', {name: 'Self'}).click();
    same(await page.locator('#calls [aria-sort=descending]').innerText(), 'Self', 'sorted by self');
    same(await page.evaluate(() => document.activeElement.dataset.sort), 'self', 'the focus stays');
    holds(await page.evaluate(() => { const {calls} = flame.page, kids = calls.children(0); return kids.every((node, k) => k === 0 || flame.tree.self[kids[k - 1]] >= flame.tree.self[node]); }), 'in this order');
    await page.locator('#calls .row b').nth(1).click();
    holds(await page.evaluate((n) => flame.page.calls.rows.length !== n, shown), 'a press opens or closes');
    await page.getByRole('searchbox', {name: 'Search frames'}).fill('json');
    await until(page, () => flame.state.query === 'json');
    await page.keyboard.press('Enter');
    holds(/json/i.test(await page.locator('#calls .row.focus.match').innerText()), 'the match is revealed');
    same(await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('view')), 'tree', 'the address');
    await page.keyboard.press('Escape');
    same(await page.evaluate(() => [document.activeElement.id, flame.state.query, flame.state.view]), ['grid', '', 'tree'], 'Escape clears the search, and nothing else');
    await page.keyboard.press('l');
    same(await page.locator('#calls').isVisible(), false, 'the graph again');
});

await test('a tree of many rows has few in the document', async (page) => {
    await page.evaluate(() => {
        const {calls} = flame.page;
        for (let i = 0; i < flame.tree.n; i++)
            calls.open.add(i);
        calls.list();
        calls.paint();
    });
    const {rows, seen, high} = await page.evaluate(() => ({rows: flame.page.calls.rows.length, seen: document.querySelectorAll('#calls .row').length, high: document.querySelector('#calls .rows').clientHeight}));
    holds(rows > 3000 && seen < 60 && high === rows * 24, `${seen} of ${rows} rows, ${high} px`);
    await page.locator('#grid').focus();
    await page.keyboard.press('End');
    same(await page.locator('#calls .row.focus').getAttribute('data-node'), String(await page.evaluate(() => flame.page.calls.rows.at(-1))), 'the last row');
}, {at: '#view=tree'});

await test('bars have a log scale, packages a colour', async (page) => {
    const bars = () => page.evaluate(() => [...document.querySelectorAll('#facets section[aria-label=user] li')].map((li) => parseFloat(li.style.backgroundSize)));
    const counts = Object.values(table('user', '-k', 'cpu')).sort((a, b) => b - a), near = (got, want) => got.slice(0, 7).forEach((v, i) => holds(Math.abs(v - want(counts[i] / counts[0])) < 0.01, `${v} of ${counts[i]}`));
    near(await bars(), (p) => 100 * p);
    await page.locator('#grid').focus();
    await page.keyboard.press('g');
    near(await bars(), (p) => 100 + 25 * Math.log10(p));
    await page.getByLabel('Colours').selectOption('package');
    const hues = await page.evaluate(() => Object.entries(Object.groupBy([...flame.tree.name.keys()].slice(1), (i) => flame.names.get(flame.tree.name[i]).split('.').slice(0, -2).slice(0, 3).join('.')))
        .map(([name, nodes]) => [name, [...new Set(nodes.map((i) => flame.painter.hueOf(flame.page.colours, flame.tree, i)))]]));
    holds(hues.length > 9 && hues.every(([name, list]) => list.length === 1 && list[0] !== 0) && new Set(hues.map(([, list]) => list[0])).size > 6, JSON.stringify(hues));
    const legend = (await page.locator('#legend li').allInnerTexts()).map((text) => text.split(' ')[0]);
    holds(legend.length === 6 && legend.includes('com.acme.shop'), `legend of packages: ${legend}`);
});

await test('the legend names origins with their shares, and filters', async (page) => {
    const all = collapsed('-k', 'cpu'), jdk = /;(java|javax|jdk|sun)[.][^;]*$/, whole = sum(all);
    const only = (test) => Object.fromEntries(Object.entries(all).filter(([s]) => test(s))), entry = (name) => page.locator('#legend').getByRole('button', {name: name + ':'});
    const own = only((s) => /;(com[.]acme|org[.]widget)[.][^;]*$/.test(s)), shares = {JDK: only((s) => jdk.test(s)), 'Your code': own};
    for (const [name, stacks] of Object.entries(shares)) {
        holds(sum(stacks) > 300, `too little ${name}`);
        same(await entry(name).locator('small').innerText(), (100 * sum(stacks) / whole).toFixed(1) + ' %', name);
    }
    await entry('JDK').click();
    same(await shown(page), shares.JDK, 'JDK');
    same(await entry('Your code').locator('small').innerText(), (100 * sum(own) / whole).toFixed(1) + ' %', 'the others keep their shares');
    await entry('Your code').focus();
    await page.keyboard.press('Enter');
    same(await shown(page), only((s) => jdk.test(s) || s in own), 'JDK and own');
    await settle(page);
    same(await page.evaluate(() => document.activeElement.dataset.key), 'origin.Your code', 'the focus stays');
    await page.getByRole('button', {name: 'Clear: on top: JDK'}).click();
    same(await shown(page), own, 'own');
    await page.keyboard.press('u');
    same(await shown(page), only((s) => jdk.test(s) || s in own), 'undone');
    await entry('JDK').click();
    await until(page, () => new URLSearchParams(location.hash.slice(1)).getAll('top').join() === 'origin.Your code'); // written after the picture
    await page.reload();
    await until(page, () => Boolean(window.flame));
    same(await shown(page), own, 'from the address');
    holds((await page.evaluate(() => flame.page.command())).endsWith(' # only with on top: Your code'), 'the command says what it cannot do');
    await page.keyboard.press('p');
    await page.keyboard.press('p');
    same(await shown(page), own, 'other colours');
    holds((await page.locator('#legend li').allInnerTexts()).some((text) => text.startsWith('Inlined')), 'frame types');
});

await test('files and commands are handed out', async (page, context) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']).catch(() => {});
    const save = async (name) => {
        await page.locator('#menu summary').click();
        const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name, exact: true}).click()]);
        return [download.suggestedFilename(), readFileSync(await download.path())];
    };
    const width = (png) => png.readUInt32BE(16);
    await pick(page, 'user', 'user-1');
    const [svgName, svg] = await save('Picture, SVG');
    same(svgName, 'flame.svg');
    holds(svg.toString().startsWith('<svg') && !svg.includes('<script'), 'svg');
    const one = width((await save('Picture, PNG'))[1]);
    same([width((await save('PNG, 2\u00d7'))[1]), width((await save('PNG, 4\u00d7'))[1])], [2 * one, 4 * one], 'png');
    same(stacks((await save('Stacks, collapsed text'))[1].toString()), collapsed('-k', 'cpu', '-c', 'user=user-1'), 'collapsed');
    const [pprofName, pprof] = await save('Stacks, pprof');
    const {type, unit, lines} = stacksOfPprof(gunzipSync(pprof));
    same([pprofName, type, unit, stacks(lines.join('\n'))], ['flame.pb.gz', 'samples', 'count', collapsed('-k', 'cpu', '-c', 'user=user-1')], 'pprof');
    holds((await save('Functions, CSV'))[1].toString().startsWith('function,self,total\n"'), 'csv');
    await page.locator('#menu summary').click();
    await page.getByRole('button', {name: 'Copy command'}).click();
    await until(page, () => document.getElementById('status').textContent.includes('jfrkit flame'));
    const cut = await page.evaluate(() => flame.page.command(true));
    execFileSync('bash', ['-c', cut.replace('jfrkit cut', `'${build}/jfrcut'`)], {cwd: folder});
    same(sum(stacks(run('jfr2collapsed', '-k', 'cpu', 'selection.jfr'))), sum(collapsed('-k', 'cpu', '-c', 'user=user-1')), cut);
    holds(/jfrkit flame -k cpu -c user=user-1 -o page.html shop.jfr/.test(await page.locator('#status').innerText()), await page.locator('#status').innerText());
});

await test('names and addresses are copied', async (page, context) => {
    const copied = () => page.evaluate(() => window.copied);
    await page.evaluate(() => {
        navigator.clipboard.writeText = async (text) => void (window.copied = text);
        flame.setFocus(flame.tree.widestChild(0));
    });
    await page.locator('#grid').focus();
    await page.keyboard.press('c');
    same(await copied(), await page.evaluate(() => flame.nameOf(flame.focus)), 'a name');
    await pick(page, 'user', 'user-1');
    await page.locator('#menu summary').click();
    await page.getByRole('button', {name: 'Copy link'}).click();
    const other = await context.newPage();
    await other.goto(await copied());
    await until(other, () => Boolean(window.flame));
    same(await shown(other), collapsed('-k', 'cpu', '-c', 'user=user-1'), 'a link');
});

await test('a click with Shift hides a function', async (page) => {
    const box = await page.locator('#canvas').boundingBox(), bar = await page.evaluate(() => {
        const {bars, painter, range, tree} = flame, i = [...bars.node.keys()].find((k) => bars.row[k] === 1 && bars.count[k] === 1 && bars.width[k] > 40);
        return {x: bars.x[i] + 20, y: painter.top(1, range) + 5, name: flame.names.get(tree.name[bars.node[i]])};
    });
    await page.keyboard.down('Shift');
    await page.mouse.click(box.x + bar.x, box.y + bar.y);
    await page.keyboard.up('Shift');
    same(await shown(page), Object.fromEntries(Object.entries(collapsed('-k', 'cpu')).filter(([s]) => !s.split(';').includes(bar.name))), bar.name);
});

await test('noise can be hidden', async (page) => {
    const lines = () => page.evaluate(() => [...document.querySelectorAll('#lines tr')].map((tr) => tr.innerText));
    await page.getByRole('radio', {name: 'Table of functions'}).click();
    const all = await lines(), noisy = all.filter((line) => line.includes('may be chance')).length;
    holds(noisy > 0, 'no noise to hide');
    await page.getByRole('button', {name: 'Hide noise'}).click();
    const rest = await lines();
    same(rest.filter((line) => line.includes('may be chance')).length, 0, 'noise in the table');
    same(rest.length > 0 || all.length === noisy, true, 'what is not noise stays');
}, {page: 'users.html'});

await test('a page of what is chosen is saved', async (page, context) => {
    await pick(page, 'user', 'user-1');
    await leave(page, 'thread', 'scheduling-2');
    await page.locator('#menu summary').click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name: 'This selection as a page'}).click()]);
    same(...await page.evaluate(() => [flame.page.samples.payers(flame.page.choice, flame.page.forward, 0)[0].reduce((a, b) => a + b), flame.page.sums.total]), 'who pays is of one kind, still');
    const html = readFileSync(await download.path()), own = ['-c', 'user=user-1', '-T', 'scheduling-2'], all = readFileSync(`${folder}/shop.html`);
    writeFileSync(`${folder}/selection.html`, html);
    holds(html.length < 0.6 * all.length, `${html.length} bytes of ${all.length}`);
    same(stacks(execFileSync(process.execPath, [decoder, `${folder}/selection.html`]).toString()), collapsed('-k', 'cpu', ...own), 'read back');
    await page.goto(pathToFileURL(`${folder}/selection.html`).href);
    await until(page, () => Boolean(window.flame));
    same(await shown(page), collapsed('-k', 'cpu', ...own), 'shown');
    same(await page.evaluate(() => [flame.page.samples.dims.map((d) => d.texts).flat().filter((t) => /^user-/.test(t)), flame.page.samples.dims[0].texts.includes('scheduling-2')]),
        [['user-1'], false], 'nothing else');
    await pick(page, 'action', 'action-2');
    same(await shown(page), collapsed('-k', 'cpu', ...own, '-c', 'action=action-2'), 'an action');
    await drag(page, '#strip', 200, 20, 500, 20);
    same(await shown(page), collapsed('-k', 'cpu', ...own, '-c', 'action=action-2', ...await page.evaluate(() => flame.page.command().match(/--from \S+ --to \S+/)[0].split(' '))), 'a time');
    await page.getByRole('button', {name: 'All of the time'}).click();
    await kind(page, 'Allocation');
    same(await page.evaluate(() => flame.page.samples.kinds.find((k) => k.name === 'alloc').total), sum(collapsed('-k', 'alloc', '-u', 'bytes', ...own)), 'the total of a kind');
    same(await shown(page), collapsed('-k', 'alloc', '-u', 'bytes', ...own, '-c', 'action=action-2'), 'bytes');
});

await test('a saved page has the times of threads that are one', async (page) => {
    const times = () => page.evaluate(() => { const {samples} = flame.page; return [...samples.passed].map((i) => samples.dims[0].texts[samples.dims[0].column[i]] + ' ' + samples.time[i]).sort(); });
    const merged = await page.evaluate(() => { const {dims, passed} = flame.page.samples, other = dims[0].texts.indexOf('(other)'); return passed.reduce((n, i) => n + (dims[0].column[i] === other), 0); });
    holds(merged > 5000, `${merged} samples of threads that are one`);
    await pick(page, 'action', 'action-2');
    const before = await times();
    await page.locator('#menu summary').click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name: 'This selection as a page'}).click()]);
    writeFileSync(`${folder}/selection.html`, readFileSync(await download.path()));
    await page.goto(pathToFileURL(`${folder}/selection.html`).href);
    await until(page, () => Boolean(window.flame));
    same(await times(), before, 'threads and times');
}, {page: 'few.html'});

await test('everything can be reached by keys alone', async (page) => {
    await page.keyboard.press('f');
    same(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Find action', 'first facet');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    const picked = await page.evaluate(() => [...flame.state.choice.picks[flame.page.samples.dim('action')].only].length);
    same(picked, 1, 'picked');
    same(await page.evaluate(() => document.activeElement.type), 'checkbox', 'the focus stays');
    await page.keyboard.press('Tab');
    same(await page.evaluate(() => /^Exclude /.test(document.activeElement.getAttribute('aria-label'))), true, 'leave out');
    const reached = new Set();
    for (let i = 0; i < 150; i++) {
        await page.keyboard.press('Tab');
        reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.parentElement.id));
    }
    for (const id of ['kinds', 'views', 'menu', 'pin', 'from', 'to', 'lane', 'grid', 'query', 'undo', 'reverse', 'details', 'palette', 'help'])
        holds(reached.has(id), `${id} is not reached`);
    await page.locator('#grid').focus();
    await page.keyboard.press('l');
    holds(await page.locator('#calls .row').first().isVisible(), 'the tree can be seen');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    holds(await page.evaluate(() => flame.zoomed > 0), 'zoomed');
});

await test('screen readers get tree, facets and table', async (page) => {
    await page.locator('#grid').focus();
    await page.keyboard.press('ArrowUp');
    const all = [], walk = (node) => {
        all.push(node);
        node.children?.forEach(walk);
    };
    walk(await page.accessibility.snapshot({interestingOnly: false}));
    const rows = all.filter((n) => n.role === 'row' && n.level > 0), grid = all.find((n) => n.role === 'treegrid');
    holds(grid && rows.length > 2, `${rows.length} rows`);
    holds(rows.some((r) => r.selected && r.level === 2), 'the focused frame');
    holds(all.some((n) => /percent plus or minus/.test(n.name)), 'error bars in words');
    holds(all.some((n) => n.role === 'checkbox' && /user-1/.test(n.name)), 'facets');
    holds(all.filter((n) => n.role === 'button' && !n.name).length === 0, 'buttons without names');
    await page.keyboard.press('t');
    const tables = await page.evaluate(() => [document.querySelector('table').caption.textContent, document.querySelectorAll('th[aria-sort]').length]);
    holds(/functions/.test(tables[0]) && tables[1] === 1, JSON.stringify(tables));
});

await test('on a telephone the head takes a fifth at most', async (page) => {
    const head = () => page.evaluate(() => document.getElementById('stage').getBoundingClientRect().y / innerHeight);
    holds(await head() <= 0.2, `${await head()}`);
    holds(await page.evaluate(() => document.documentElement.scrollWidth <= 390), 'too wide');
    await kind(page, 'All events');
    holds(await page.evaluate(() => { const box = document.querySelector('#kinds [aria-checked=true]').getBoundingClientRect(); return box.x >= 0 && box.right <= 390; }), 'the chosen kind is in sight');
    await page.locator('#clock').click();
    await page.getByLabel('Heat lanes').selectOption('user');
    await settle(page);
    holds(await page.locator('#lanes').isVisible(), 'lanes');
    for (const name of ['Call tree', 'Table of functions']) {
        await page.getByRole('radio', {name}).click();
        const box = await page.locator(name === 'Call tree' ? '#calls .row .name > span' : '#lines tr button').nth(1).boundingBox();
        holds(box.x < 300, `names of the ${name} at ${box.x}`);
    }
}, {viewport: {width: 390, height: 740}});

await test('forced colours and small windows keep it usable', async (page) => {
    await page.setViewportSize({width: 500, height: 700});
    await settle(page);
    holds(await page.evaluate(() => document.documentElement.scrollWidth <= 500), 'too wide');
    await page.getByRole('button', {name: 'Filters'}).click();
    await page.getByRole('button', {name: 'Filters'}).click();
    holds(await page.locator('#canvas').isVisible(), 'graph');
}, {forcedColors: 'active'});

await test('hostile users are text', async (page) => {
    const name = '</script><script>window.pwned=1</script>';
    for (const theirs of [name, '<img src=x onerror=window.pwned=2>', '__proto__', "=cmd|' /C calc'!A0", 'a b&c=d#e;f', '*?[x]\\']) {
        await pick(page, 'user', theirs);
        const got = sum(await shown(page));
        same(got, sum(stacks(run('jfr2collapsed', '-k', 'cpu', '-c', 'user=' + (/[*?]/.test(theirs) ? `/^${theirs.replace(/[\\*?[\]]/g, '\\$&')}$/` : theirs), 'evil.jfr'))), theirs);
        same(sum(await byCommand(page)), got, 'the command');
        await page.reload();
        await until(page, () => Boolean(window.flame));
        same(sum(await shown(page)), got, 'from the address');
        await section(page, 'user').getByRole('button', {name: 'Clear this filter'}).click();
    }
    await page.getByLabel('Heat lanes').selectOption('user');
    await page.locator('#grid').focus();
    await page.keyboard.press('o');
    await section(page, 'user').getByRole('button', {name: / more$/}).click();
    holds((await page.locator('#facets').innerText()).includes('\u27e8U+202E\u27e9'), 'the turn of direction is not marked');
    same(await page.evaluate(() => document.querySelectorAll('img, svg').length), 0, 'elements');
}, {page: 'evil.html'});

await browser.close();
process.exit(failed === 0 ? 0 : 1);
