// page.mjs - how soon a page can be used and how soon it answers, by real input in a headless Chromium:
//     node page.mjs CHROMIUM ROUNDS PAGE [PEER...]
// Of each page: the first paint, when it has loaded and rests, and from an input's own time to the end of the frame that
// follows it. Of our pages every kind of click, key and drag; of others a click on the graph and moves over it.
import {basename} from 'node:path';
import {pathToFileURL} from 'node:url';
import {Browser, Tab} from '../../test-data/page/browser.mjs';

const [program, rounds, ...pages] = process.argv.slice(2);
const browser = new Browser(program);
const of = (list, part) => [...list].sort((a, b) => a - b)[Math.min(Math.floor(list.length * part), list.length - 1)] ?? NaN;
const ms = (v) => v.toFixed(0).padStart(5);

// The time of each input until the frame after it is done, put into window.answers.
function watch() {
    window.answers = [];
    const note = (e) => {
        const begin = e.timeStamp;
        if (window.waits)
            return;
        window.waits = true;
        requestAnimationFrame(() => {
            const {port1, port2} = new MessageChannel();
            port1.onmessage = () => {
                answers.push(performance.now() - begin);
                window.waits = false;
            };
            port2.postMessage(0);
        });
    };
    for (const type of ['pointerdown', 'pointerup', 'pointermove', 'keydown', 'wheel', 'change', 'input'])
        addEventListener(type, note, {capture: true, passive: true});
}

// Waits until the page has been at rest for a moment.
const rest = (tab) => tab.eval(async () => {
    for (let quiet = 0, last = performance.now(); quiet < 3;) {
        await new Promise((done) => setTimeout(done, 15));
        quiet = performance.now() - last < 30 ? quiet + 1 : 0;
        last = performance.now();
    }
});

// What a reader does with our page: name and act, done with mouse and keys.
const box = (tab, selector) => tab.eval((s) => document.querySelector(s).getBoundingClientRect().toJSON(), selector);
const press = (key) => async (tab) => tab.press(key);
const clickOn = (selector) => async (tab) => {
    const {x, y, width, height} = await box(tab, selector);
    await tab.click(x + width / 2, y + height / 2);
};
const drag = async (tab, selector, steps) => {
    const {x, y, width, height} = await box(tab, selector), at = (part) => [x + width * part, y + height / 2];
    await tab.mouse('mousePressed', ...at(0.3));
    for (let k = 1; k <= steps; k++) {
        await tab.mouse('mouseMoved', ...at(0.3 + 0.4 * k / steps), {buttons: 1, button: 'left'});
        await rest(tab);
    }
    await tab.mouse('mouseReleased', ...at(0.7));
    await rest(tab);
};
const choose = (id, value) => async (tab) => tab.eval((id, value) => {
    const list = document.getElementById(id);
    list.value = value;
    list.dispatchEvent(new Event('change', {bubbles: true}));
}, id, value);
const facet = (n) => async (tab) => {
    await tab.eval((n) => {
        const inputs = document.querySelectorAll('#facets section:not([hidden]) li input'), input = inputs[n % inputs.length];
        input.scrollIntoView();
        input.id = 'next-input';
    }, n);
    await clickOn('#next-input')(tab);
};
const letters = async (tab) => {
    await tab.eval(() => document.getElementById('query').focus());
    for (const c of 'json') {
        await tab.press(c);
        await rest(tab);
    }
    await tab.press('Escape');
};
const acts = {
    'facet': [facet(0), facet(3), facet(9), facet(0), facet(1), facet(2)],
    'undo': [press('u'), press('u')],
    'zoom': [async (tab) => { const b = await box(tab, '#canvas'); await tab.click(b.x + b.width / 3, b.bottom - 70); }, press('Backspace'), press('+'), press('0')],
    'reverse': [press('r'), press('r')],
    'icicle, widest': [press('i'), press('i'), press('w'), press('w')],
    'table': [press('t'), press('t')],
    'tree': [press('l'), press('ArrowDown'), press('ArrowRight'), press('l')],
    'sandwich': [press('s'), press('s')],
    'search letter': [letters],
    'drag in time': [async (tab) => drag(tab, '#strip', 10), clickOn('#all-time')],
    'lanes': [choose('lane', 'thread'), async (tab) => drag(tab, '#lanes', 6), press('u'), choose('lane', '')],
    'legend': [clickOn('#legend button'), clickOn('#legend button')],
    'colours, theme': [press('p'), press('p'), press('d'), press('d')],
    'compare': [press('a'), facet(2), press('a'), press('u'), press('u'), press('u')],
};

async function load(page) {
    const tab = await Tab.open(browser, {width: 1440, height: 900});

    await tab.send('Page.addScriptToEvaluateOnNewDocument', {source: `window.longest = [];
        new PerformanceObserver((list) => longest.push(...list.getEntries().map((e) => e.startTime + e.duration))).observe({type: 'longtask', buffered: true});`});
    for (const url of ['about:blank', pathToFileURL(page).href]) {
        const loaded = new Promise((resolve) => tab.loaded = resolve);
        await tab.send('Page.navigate', {url});
        await loaded;
    }
    await new Promise((resolve) => setTimeout(resolve, 1500));
    // Usable: our page says when; for any page when the last long task of loading has ended.
    const times = await tab.eval(() => ({paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
        settled: Math.max(performance.getEntriesByType('navigation')[0].domInteractive, ...longest), ready: window.flame?.page.times.ready?.[0] ?? NaN}));
    await tab.eval(watch);
    return {tab, times};
}

const settled = {};
for (const page of pages) {
    const loads = {paint: [], settled: [], ready: []}, answers = {};
    for (let round = 0; round < Number(rounds); round++) {
        const {tab, times} = await load(page), isOurs = await tab.eval(() => Boolean(window.flame));
        for (const key of Object.keys(loads))
            loads[key].push(times[key]);
        const list = isOurs ? acts : {'click': [async (t) => t.click(500, 500), async (t) => t.click(500, 700), async (t) => t.click(700, 400)]};
        for (const [name, steps] of Object.entries(list))
            for (const step of steps) {
                await tab.eval(() => answers.length = 0);
                await step(tab);
                await rest(tab);
                (answers[name] ??= []).push(...await tab.eval(() => answers));
            }
        const canvas = isOurs ? await box(tab, '#canvas') : {x: 0, y: 200, width: 1400, height: 600};
        for (let k = 0; k < 20; k++) {
            await tab.eval(() => answers.length = 0);
            await tab.mouse('mouseMoved', canvas.x + canvas.width * (k + 0.5) / 20, canvas.y + canvas.height - 30 - k % 8 * 20);
            await rest(tab);
            (answers.hover ??= []).push(...await tab.eval(() => answers));
        }
        await tab.send('Page.close').catch(() => {});
    }
    const all = Object.values(answers).flat();
    settled[page] = of(loads.settled, 0.5);
    console.log(`${basename(page, '.html')}: first paint ${ms(of(loads.paint, 0.5))}  ready ${ms(of(loads.ready, 0.5))}  at rest ${ms(settled[page])}` +
        (page === pages[0] ? '' : `  (ours takes ${(settled[pages[0]] / settled[page]).toFixed(2)} of that)`) + `  an input answered: median ${ms(of(all, 0.5))}  p95 ${ms(of(all, 0.95))}  longest ${ms(of(all, 1))}`);
    for (const [name, list] of Object.entries(answers))
        console.log(`    ${name.padEnd(16)} median ${ms(of(list, 0.5))}  p95 ${ms(of(list, 0.95))}  (${list.length})`);
}
await browser.close();
