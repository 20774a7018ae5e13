// picture.mjs - makes the pictures of README.md and page.md from the page that `make demo` writes.
//
//     node tools/docs/picture.mjs CHROMIUM PLAYWRIGHT PAGE.html FOLDER
//
// What each shows is chosen by the links that the page itself makes.
const [chromium, playwright, page, folder] = process.argv.slice(2);
const { chromium: driver } = await import(`${playwright}/index.mjs`);
const browser = await driver.launch({ executablePath: chromium, args: ['--no-sandbox'] });
const pictures = {
    flame: { at: 'only.user=alice' },
    lanes: { at: 'kind=alloc&weight=bytes&lanes=user', theme: 'dark' },
    tree: { at: 'view=tree' },
    compare: { at: 'a=only.user%3Dalice&only.user=ivan' },
};

for (const [name, { at, theme = 'light' }] of Object.entries(pictures)) {
    const tab = await browser.newPage({ viewport: { width: 1200, height: 640 }, colorScheme: theme });
    await tab.goto(`file://${page}#${at}`);
    await tab.waitForTimeout(1500); // the drawing has settled
    await tab.screenshot({ path: `${folder}/${name}.png` });
    await tab.close();
}
await browser.close();
