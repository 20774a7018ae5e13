// picture.mjs - makes the pictures of README.md from the page that `make demo` writes.
//
//     node tools/docs/picture.mjs CHROMIUM PLAYWRIGHT PAGE.html OUT.png
//
// Alice is picked in the page, by the link that the page itself makes for that.
const [chromium, playwright, page, out] = process.argv.slice(2);
const { chromium: driver } = await import(`${playwright}/index.mjs`);
const browser = await driver.launch({ executablePath: chromium, args: ['--no-sandbox'] });
const tab = await browser.newPage({ viewport: { width: 1200, height: 640 }, colorScheme: 'light' });

await tab.goto(`file://${page}#only.user=alice`);
await tab.waitForTimeout(1500); // the drawing has settled
await tab.screenshot({ path: out });
await browser.close();
