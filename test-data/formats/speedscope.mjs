// speedscope.mjs - opens files in speedscope itself, in a browser: node speedscope.mjs CHROMIUM DIR FILE...
// DIR is the package's dist/release. Prints for each file the title that speedscope gives it and how
// many profiles it counts, or what it complained about.
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {Browser, Tab} from '../page/browser.mjs';

const [, , chromium, dir, ...files] = process.argv;
const work = mkdtempSync(join(tmpdir(), 'speedscope-')), browser = new Browser(chromium);

try {
    for (const file of files) {
        const script = join(work, 'profile.js'), tab = await Tab.open(browser);
        const data = readFileSync(file).toString('base64');

        writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(basename(file))}, '${data}')`);
        await tab.send('Page.navigate', {url: `file://${dir}/index.html#localProfilePath=${encodeURIComponent(script)}`});
        await tab.until(() => /Left Heavy|Unrecognized|Failed|Something went wrong/.test(document.body?.innerText ?? ''));
        const text = await tab.eval(() => document.body.innerText.replace(/\s+/g, ' '));
        console.log(/Left Heavy/.test(text) ? `opened ${basename(file)}: ${text.slice(0, 160)}` : `failed ${basename(file)}: ${text.slice(0, 200)}`);
    }
} finally {
    await browser.close();
    rmSync(work, {recursive: true, force: true});
}
