// slow_page.mjs - the page of jfrkit slow in a headless Chromium, beside what the command says as JSON:
//     node slow_page.mjs CHROMIUM PAGE JSON [PICTURE]
// Prints what is wrong, a line each; nothing is good.
import {readFileSync, writeFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {Browser, Tab} from './browser.mjs';

const [program, file, json, picture] = process.argv.slice(2);
const slow = JSON.parse(readFileSync(json));
const browser = new Browser(program), tab = await Tab.open(browser);

function same(is, should, what) {
    if (JSON.stringify(is) !== JSON.stringify(should))
        console.log(`${what}: ${JSON.stringify(is).slice(0, 300)}, not ${JSON.stringify(should).slice(0, 300)}`);
}

const press = async (text, nth = 0) => {
    await tab.eval((t, k) => {
        document.querySelectorAll('#report details').forEach((d) => d.open = true);
        [...document.querySelectorAll('#report button')].filter((b) => b.textContent === t)[k].click();
    }, text, nth);
    await tab.settle();
};
const back = async () => {
    await tab.eval(() => [...document.querySelectorAll('#views button')].find((b) => b.textContent === 'Requests').click());
    await tab.settle();
};
const view = () => tab.eval(() => ({report: !document.getElementById('report').hidden, weight: flame.page.sums.total, base: flame.page.base?.total ?? null}));

await tab.go(pathToFileURL(resolve(file)).href);
const shown = await tab.eval(() => ({
    report: !document.getElementById('report').hidden,
    reasons: [...document.querySelectorAll('.reasons tbody th')].map((e) => e.textContent),
    groups: [...document.querySelectorAll('.groups tbody tr')].map((r) => [...r.cells].map((c) => c.textContent)),
    slowest: document.querySelectorAll('#report details').length,
    lengths: [...document.querySelectorAll('svg.lengths title')].map((t) => t.textContent),
    parts: [...document.querySelectorAll('#report details')].map((d) => [...d.querySelectorAll('svg.split rect')].reduce((sum, r) => sum + r.width.baseVal.value, 0)),
    wide: document.getElementById('report').scrollWidth > document.getElementById('report').clientWidth,
}));
same(shown.report, true, 'the page opens with the report');
same(shown.reasons, slow.reasons.map((r) => r.reason), 'reasons');
same(shown.groups.map((g) => [Number(g[1]), Number(g[6])]), slow.groups.slice(0, 20).map((g) => [g.count, g.slow]), 'groups');
same(shown.slowest, slow.slowest.length, 'number of the slowest');
same(shown.parts.every((w) => Math.abs(w - 1000) < 1), true, 'the parts fill the whole');
same(shown.wide, false, 'wider than the window');
same(shown.lengths.length > 1, true, 'bars of lengths');
if (picture)
    writeFileSync(picture, Buffer.from((await tab.send('Page.captureScreenshot', {format: 'png'})).data, 'base64'));

// The samples of each view, which are those that the dimensions say.
const count = (dim, value) => tab.eval((d, v) => {
    const {samples, state} = flame.page, k = samples.dim(d), at = samples.dims[k].texts.indexOf(v), kind = samples.kinds.find(({name}) => name === state.kind);
    const event = samples.dims[samples.dim('event')].column;
    let n = 0;
    samples.dims[k].column.forEach((x, i) => n += x === at && kind.events.includes(event[i]) ? 1 : 0);
    return n;
}, dim, value);
await press('Flame graph: slow against ordinary');
let is = await view();
same([is.report, is.weight > 0, is.base > 0], [false, true, true], 'slow against ordinary');
const [slowSamples, ordinary] = [await count('scope', 'slow'), await count('scope', 'ordinary')];
same([slowSamples > 0, ordinary > 0], [true, true], 'samples of both');
await back();
same((await view()).report, true, 'back to the report');
await press('Flame graph of the slow ones');
is = await view();
same([is.report, is.base, is.weight > 0], [false, null, true], 'the slow ones');
const all = is.weight;
let ofOnes = 0;
for (let i = 0; i < slow.slowest.length; i++) {
    await back();
    await press('Its stacks', i);
    ofOnes += (await view()).weight;
}
same(ofOnes > 0 && ofOnes <= all, true, `samples of the slowest: ${ofOnes} of ${all}`);
await back();
await press('All threads meanwhile');
const ms = await tab.eval(() => (flame.page.state.choice.to - flame.page.state.choice.from) * flame.page.samples.tick);
same(Math.abs(ms - slow.slowest[0].duration / 1e6) < 5, true, `time of the slowest: ${ms} ms`);
const hash = await tab.eval(() => location.hash);
await tab.go(pathToFileURL(resolve(file)).href + hash);
same((await view()).report, false, 'the address keeps the view');
// What is saved of a selection has no report: that names other samples.
await tab.eval(() => {
    const make = URL.createObjectURL;
    HTMLAnchorElement.prototype.click = () => 0; // nothing is to be written
    URL.createObjectURL = (blob) => {
        blob.text().then((text) => window.saved = text);
        return make.call(URL, blob);
    };
    document.getElementById('save-page').click();
});
await tab.until(() => Boolean(window.saved));
const saved = await tab.eval(() => window.saved);
same([/id="report"( hidden="")?><\/div>/.test(saved), /"report":false/.test(saved)], [true, true], 'a saved selection has no report');
same(tab.troubles, [], 'troubles');
same(await tab.eval(() => [violations, window.pwned ?? null]), [[], null], 'violations');
await browser.close();
