// expect.mjs - what tests of a page with playwright share: comparing, waiting, the mouse.

// Of maps of stacks only their sums.
export function brief(v) {
    const text = JSON.stringify(v);

    return text.length < 400 ? text : `${Object.keys(v).length} of ${sum(v)} (${text.slice(0, 100)}...)`;
}

export function same(got, want, what = 'value') {
    if (JSON.stringify(got) !== JSON.stringify(want))
        throw new Error(`${what}: ${brief(got)}, not ${brief(want)}`);
}

export function holds(value, what) {
    if (!value)
        throw new Error(what);
}

// Collapsed stacks as a map, so that they can be compared whatever their order.
export function stacks(text) {
    return Object.fromEntries(text.split('\n').filter(Boolean).map((line) => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))];
    }).sort((a, b) => a[0] < b[0] ? -1 : 1));
}

export const sum = (map) => Object.values(map).reduce((a, b) => a + b, 0);

// The policy forbids playwright's own way of waiting.
export async function until(page, fn) {
    for (const start = Date.now(); Date.now() < start + 60000;) {
        if (await page.evaluate(fn))
            return;
        await page.waitForTimeout(25);
    }
    throw new Error('waited in vain for ' + fn);
}

export const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

export async function drag(page, selector, x1, y1, x2, y2) {
    const box = await page.locator(selector).boundingBox();

    await page.mouse.move(box.x + x1, box.y + y1);
    await page.mouse.down();
    await page.mouse.move(box.x + (x1 + x2) / 2, box.y + (y1 + y2) / 2);
    await page.mouse.move(box.x + x2, box.y + y2);
    await page.mouse.up();
}
