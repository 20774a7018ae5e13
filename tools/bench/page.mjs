// page.mjs - a page's own counters while it is loaded, its facets are picked and the mouse moves over
// it: node page.mjs CHROMIUM PAGE ROUNDS
import {basename} from 'node:path';
import {pathToFileURL} from 'node:url';
import {Browser, Tab} from '../../test-data/page/browser.mjs';

const [program, page, rounds] = process.argv.slice(2);
const browser = new Browser(program);
const all = {first: [], ready: [], change: [], sum: [], hover: [], paint: []};

for (let i = 0; i < Number(rounds); i++) {
    const tab = await Tab.open(browser, {width: 1440, height: 900});
    await tab.go(pathToFileURL(page).href);
    for (const key of ['first', 'ready'])
        all[key].push(await tab.eval((k) => flame.page.times[k][0], key));
    await tab.eval(() => flame.page.times = {});
    for (let k = 0; k < 12; k++) {
        await tab.eval((n) => document.querySelectorAll('#facets section:not([hidden]) li input')[n % 15].click(), k);
        await tab.settle();
    }
    const box = await tab.eval(() => document.getElementById('canvas').getBoundingClientRect().toJSON());
    for (let k = 0; k < 40; k++)
        await tab.mouse('mouseMoved', box.x + box.width * (k + 0.5) / 40, box.bottom - 30 - k % 8 * 20);
    const times = await tab.eval(() => flame.page.times);
    for (const key of Object.keys(times))
        all[key].push(...times[key]);
    await tab.send('Page.close').catch(() => {});
}
await browser.close();
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1]?.toFixed(1) ?? '-';
console.log(`${basename(page, '.html').padEnd(10)} first paint ${median(all.first)}  all can be used ${median(all.ready)}  another facet, painted ${median(all.change)}` +
    `  (summing up alone ${median(all.sum)})  hover ${median(all.hover)}  paint ${median(all.paint)}`);
