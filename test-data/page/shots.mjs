// shots.mjs - pictures of each view of a page, in both themes and three widths, to be looked at:
// node shots.mjs CHROMIUM PAGE FOLDER [PATTERN], for those whose name matches.
// A picture that is one colour only, or that needs a sideways scroll, fails.
import {pathToFileURL} from 'node:url';
import {Browser, Tab} from './browser.mjs';

const [program, page, folder, pattern = '.'] = process.argv.slice(2);
const browser = new Browser(program), url = pathToFileURL(page).href;
const sizes = {wide: [1440, 900], tablet: [820, 1180], phone: [390, 844]};
const views = {flame: '', tree: '#view=tree', table: '#view=table', sandwich: '#sandwich=', details: '#details=1', lanes: '#lanes=user', compare: '#a=', search: '#q=json'};
let failed = 0, made = 0;

for (const [size, [width, height]] of Object.entries(sizes))
    for (const [view, at] of Object.entries(views))
        for (const theme of ['light', 'dark']) {
            const name = `${view}-${size}-${theme}`;
            if (!new RegExp(pattern).test(name))
                continue;
            const tab = await Tab.open(browser, {width, height, dark: theme === 'dark'});
            await tab.go(url + at);
            if (view === 'sandwich')
                await tab.eval(() => flame.page.setView('sandwich'));
            await tab.settle();
            const {wide, colours} = await tab.eval(() => {
                const canvas = document.getElementById('canvas'), {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
                return {wide: document.documentElement.scrollWidth, colours: new Set(new Uint32Array(data.buffer)).size};
            });
            const good = wide <= width && colours > 3;
            await tab.shot(`${folder}/${name}.png`);
            await tab.send('Page.close').catch(() => {});
            made++;
            failed += !good;
            console.log(`${good ? 'ok' : 'not ok'} picture ${name}${good ? '' : `: ${wide} px wide, ${colours} colours`}`);
        }
await browser.close();
process.exit(failed === 0 && made > 0 ? 0 : 1);
