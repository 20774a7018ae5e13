// The event reference in a real browser: node meta_page.mjs CHROMIUM PAGE
// Speaks the browser's own protocol over a pipe. What is wrong is printed; nothing is good.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { quiet } from './browser.mjs';

const [program, file] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), 'meta-page-'));
const browser = spawn(program, [...quiet, '--headless=new', '--no-first-run',
    '--user-data-dir=' + profile, '--remote-debugging-pipe', 'about:blank'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
const waiting = new Map();
const problems = [];
let loaded = () => {};
let rest = '', id = 0;

browser.stdio[4].on('data', (data) => {
    const parts = (rest + data).split('\0');

    rest = parts.pop();
    for (const part of parts) {
        const m = JSON.parse(part);

        if (m.id !== undefined)
            waiting.get(m.id)(m.result ?? { error: m.error });
        else if (m.method === 'Runtime.exceptionThrown' || m.method === 'Log.entryAdded' ||
            m.method === 'Runtime.consoleAPICalled' || m.method === 'Audits.issueAdded')
            problems.push(JSON.stringify(m.params).slice(0, 300));
        else if (m.method === 'Network.requestWillBeSent' && !m.params.request.url.startsWith('file:'))
            problems.push('asks for ' + m.params.request.url.slice(0, 200));
        else if (m.method === 'Page.loadEventFired')
            loaded();
    }
});

const send = (method, params = {}, sessionId) => new Promise((done) => {
    waiting.set(++id, done);
    browser.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
});

const expect = (what, is, want) => {
    if (JSON.stringify(is) !== JSON.stringify(want))
        console.log(what + ': ' + JSON.stringify(is) + ', not ' + JSON.stringify(want));
};

const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
const value = async (expression) => {
    const r = await send('Runtime.evaluate', { expression, returnByValue: true }, sessionId);

    return r.exceptionDetails === undefined ? r.result.value : r.exceptionDetails.exception.description;
};
const open = async () => {
    const done = new Promise((f) => { loaded = f; });

    await send('Page.navigate', { url: 'file://' + resolve(file) }, sessionId);
    await done;
};
const type = async (text) => value(`(() => {
    const f = document.getElementById('filter');
    f.value = ${JSON.stringify(text)};
    f.dispatchEvent(new Event('input'));
})()`);
const shown = (what) => value(`[...document.querySelectorAll('${what}')]
    .filter((e) => e.getClientRects().length > 0).length`);

for (const domain of ['Page', 'Runtime', 'Log', 'Network', 'Audits'])
    await send(domain + '.enable', {}, sessionId);
await open();
const used = await value("document.querySelectorAll('article:not(.unused)').length");
const all = await value("document.querySelectorAll('article').length");
expect('articles at first', await shown('article'), used);
expect('filter is there', await shown('#filter'), 1);
await value("document.getElementById('unused').click()");
expect('articles with all types', await shown('article'), all);
await value("document.getElementById('unused').click()");
await type('garbagecollection');
const found = await shown('article');
expect('something found', found > 0 && found < all, true);
expect('found in words', await value("document.getElementById('found').textContent"), found + ' found');
expect('entries of the tree', await shown('nav li') <= found && await shown('nav li') > 0, true);
await type('no such type at all');
expect('nothing found', [await shown('article'), await shown('nav li'), await shown('h2')], [0, 0, 0]);
await type('');
expect('all back', await shown('article'), used);
await send('Emulation.setScriptExecutionDisabled', { value: true }, sessionId);
await open();
expect('articles without script', await shown('article'), used);
expect('no filter without script', await shown('#filter'), 0);
for (const p of problems)
    console.log(p);
browser.on('exit', () => {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    process.exit(0);
});
browser.stdio[3].write(JSON.stringify({ id: ++id, method: 'Browser.close' }) + '\0');
waiting.set(id, () => {});
