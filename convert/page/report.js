// report.js - the report that a page may open with: text and pictures that are there from the start, and buttons that show
// the samples they are about. data-b is what to show, data-a what to compare it with, both as "key=value"; data-from and
// data-to are a time, in ms since 1970.

function showReport(isShown) {
    byId('report').hidden = !isShown;
    document.body.classList.toggle('reporting', isShown);
}

function bindReport(page, box) {
    box.addEventListener('click', (e) => {
        const chosen = e.target.closest('button')?.dataset;

        if (chosen)
            page.change((state) => followReport(page, state, chosen));
    });
}

function followReport({samples}, state, {a, b, from, to}) {
    const given = b ? choiceOf(b) : new URLSearchParams();

    if (from) {
        given.set('from', Math.max(0, from - samples.first));
        given.set('to', Math.max(0, to - samples.first));
    }
    Object.assign(state, {view: 'flame', sandwich: '', zoom: 0, hide: [], keep: '', tops: [], a: a ? choiceOf(a).toString() : null,
        choice: readChoice(samples, given)});
}
