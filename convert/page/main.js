// main.js - reads the page's data, shows the first picture, and hands over to page.js.

// What surrounds the graph, which the size of the first picture depends on.
function frame({title, subtitle, facets, report}) {
    document.title = byId('title').textContent = visible(title);
    byId('subtitle').textContent = visible(subtitle) || '\u00a0';
    byId('side').hidden = !facets || innerWidth < 900;
    byId('times').hidden = byId('filters').hidden = !facets;
    showReport(report);
}

// What the page opens with, painted before the samples are read: most of them nobody needs to see
// the first picture. An address may ask for another one, so then there is none.
function firstPicture(head, data, forward) {
    if (location.hash.length > 1 || head.report || head.facets?.diff || head.reverse || head.highlight)
        return 0;
    const start = performance.now(), painter = new Painter(byId('canvas'), data.names), bars = new Bars();
    const colours = makeColours(head.theme === 'dark' || (head.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches), head.palette);

    forward.weigh([data.own]);
    const view = {from: 0, to: forward.total[0] || 1, scroll: 0, icicle: head.icicle};
    document.documentElement.dataset.theme = colours.theme;
    const deepest = layout(forward, view, painter.width, 0, painter.rows() + 1, bars);
    painter.paint({tree: forward, view, bars, colours, found: null, zoomed: 0, focus: -1, hover: -1, deepest, strength: null,
        rootLabel: 'all: ' + weightText(forward.total[0], head.unit === 'samples' && head.facets ? nounOf(head.facets.start) : head.unit)});
    return performance.now() - start;
}

// The browser shows what was painted; one that is out of sight does not.
const shown = () => new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 200);
});

const parsed = () => document.readyState !== 'loading' ? null
    : new Promise((done) => addEventListener('DOMContentLoaded', done, {once: true}));

// Shows the page, or why it cannot be shown. window.flame is for tests and the curious.
async function main() {
    const times = {};
    let head, data, forward;

    try {
        head = JSON.parse(byId('head').textContent);
        data = await readTree(head, byId('data').textContent);
        forward = new Tree(data);
        frame(head);
        times.paint = [firstPicture(head, data, forward)];
        times.first = [performance.now()];
        await shown();
        if (head.facets) {
            await parsed();
            data.samples = readSamples(head, await readSections(JSON.parse(byId('directory').textContent), byId('samples').textContent), data);
        } else {
            data.samples = plainSamples(data);
        }
    } catch (e) {
        showMessage('The data of this page is damaged: ' + visible(e.message) + '.');
        return;
    }
    window.flame = new Page(head, data, forward, times).view;
    flame.page.count('ready', 0);
}

main();
