'use strict';
// The filter: events, types and entries of the tree whose texts hold every word of the input.
(() => {
    const input = document.getElementById('filter');
    const found = document.getElementById('found');
    const articles = [...document.querySelectorAll('article')];
    const entries = new Map([...document.querySelectorAll('nav li')].map((li) => [li.dataset.of, li]));
    const groups = [...document.querySelectorAll('nav details')];
    const sections = [...document.querySelectorAll('main section')];
    const wasOpen = new Map();
    const texts = articles.map((a) =>
        [a.querySelector('h3'), ...a.querySelectorAll('.fields td:first-child, p')]
            .map((e) => e.textContent).join('\n').toLowerCase());

    const holds = (e, what) => e.querySelector(what + ':not([hidden])') !== null;

    const apply = () => {
        const words = input.value.toLowerCase().split(/\s+/).filter((w) => w !== '');
        const filtering = words.length > 0;
        let n = 0;

        if (filtering && wasOpen.size === 0)
            groups.forEach((g) => wasOpen.set(g, g.open));
        document.body.classList.toggle('filtering', filtering);
        articles.forEach((a, i) => {
            const entry = entries.get(a.id);

            a.hidden = !words.every((w) => texts[i].includes(w));
            n += !a.hidden;
            if (entry !== undefined)
                entry.hidden = a.hidden;
        });
        groups.forEach((g) => {
            g.hidden = !holds(g, 'li');
            g.open = filtering || (wasOpen.has(g) ? wasOpen.get(g) : g.open);
        });
        sections.forEach((s) => {
            s.hidden = !holds(s, 'article');
        });
        found.textContent = filtering ? n + ' found' : '';
        if (!filtering)
            wasOpen.clear();
    };

    input.hidden = false;
    input.addEventListener('input', apply);
    document.addEventListener('keydown', (e) => {
        if (e.key === '/' && document.activeElement !== input) {
            e.preventDefault();
            input.focus();
        } else if (e.key === 'Escape' && document.activeElement === input) {
            input.value = '';
            apply();
        }
    });
})();
