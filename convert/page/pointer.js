// pointer.js - mouse, pen and touch on the graph.

const dragStart = 4; // px before a press is a drag

function bindPointer(view, canvas, tip, focusGraph) {
    const down = new Map(); // pointer id -> where it was last
    let dragged = false, onThumb = false;
    const place = (e) => {
        const box = canvas.getBoundingClientRect();
        return {x: e.clientX - box.left, y: e.clientY - box.top};
    };
    const barAt = ({x, y}) => view.bars.at(x, view.painter.rowAt(y, view.range));
    const hover = (i, at) => {
        if (i !== view.hover) {
            view.hover = i;
            view.draw();
        }
        canvas.style.cursor = i >= 0 ? 'pointer' : 'default';
        tip.show(i, at);
    };
    const scrollThumb = (dy) => {
        const {painter} = view, all = (view.deepest + 1) * painter.rowHeight, room = painter.height - rulerHeight;
        view.pan(0, dy * all / room);
    };
    const pinch = (id, at) => {
        const other = [...down].find(([key]) => key !== id)[1], old = down.get(id);
        const before = Math.hypot(old.x - other.x, old.y - other.y), now = Math.hypot(at.x - other.x, at.y - other.y);
        if (before > 8)
            view.scale(now / before, (at.x + other.x) / 2, false);
    };

    canvas.addEventListener('pointerdown', (e) => {
        if (e.button !== 0)
            return;
        const at = place(e);
        canvas.setPointerCapture(e.pointerId);
        dragged = down.size > 0;
        onThumb = at.x > view.painter.width - 12 && view.painter.thumb({view: view.range, deepest: view.deepest}) !== null;
        down.set(e.pointerId, {...at, fromX: at.x, fromY: at.y});
    });
    canvas.addEventListener('pointermove', (e) => {
        const at = place(e), old = down.get(e.pointerId), start = performance.now();
        if (!old) {
            hover(barAt(at), at);
            view.page.count('hover', start);
            return;
        }
        if (!dragged && Math.hypot(at.x - old.fromX, at.y - old.fromY) < dragStart)
            return;
        dragged = true;
        hover(-1);
        if (down.size > 1)
            pinch(e.pointerId, at);
        else if (onThumb)
            scrollThumb(at.y - old.y);
        else
            view.pan(old.x - at.x, old.y - at.y);
        down.set(e.pointerId, {...old, ...at});
    });
    canvas.addEventListener('pointerup', (e) => {
        const at = place(e), i = barAt(at), pressed = down.delete(e.pointerId);
        if (!pressed || dragged || onThumb || i < 0)
            return;
        focusGraph();
        hover(-1);
        if (e.shiftKey && view.bars.count[i] === 1) { // hides, as the key h does
            view.focus = view.bars.node[i];
            view.page.hide(view);
            return;
        }
        view.zoomTo(view.bars.count[i] > 1 ? view.tree.parent[view.bars.node[i]] : view.bars.node[i]);
    });
    canvas.addEventListener('pointercancel', (e) => down.delete(e.pointerId));
    canvas.addEventListener('pointerleave', () => hover(-1));
    canvas.addEventListener('wheel', (e) => {
        const unit = e.deltaMode === 1 ? view.painter.rowHeight : e.deltaMode === 2 ? view.painter.height : 1;
        e.preventDefault();
        hover(-1);
        if (e.ctrlKey || e.metaKey || e.altKey)
            view.scale(Math.exp(-e.deltaY * unit / 300), place(e).x, false);
        else if (e.shiftKey && e.deltaX === 0)
            view.pan(e.deltaY * unit, 0);
        else
            view.pan(e.deltaX * unit, e.deltaY * unit);
    }, {passive: false});
}

// The box beside the pointer.
class Tip {
    constructor(view, box, stage) {
        this.view = view;
        this.box = box;
        this.stage = stage;
    }

    show(i, at) {
        const {box, view} = this;

        box.hidden = i < 0;
        if (i < 0)
            return;
        const {bars, tree} = view, node = bars.node[i], n = bars.count[i];
        let weight = 0;
        if (n > 1) {
            for (let k = node, seen = 0; seen < n && k < tree.n; k = tree.depth[k] === bars.row[i] ? tree.end[k] : k + 1)
                if (tree.depth[k] === bars.row[i]) {
                    weight += tree.total[k];
                    seen++;
                }
            this.fill(plural(n, 'frame') + ' too narrow to draw', [['Total',
                tree.a ? percentText(weight, view.whole) : view.page.amount(weight, view.whole)]]);
        } else {
            this.fill(view.nameOf(node), view.facts(node));
        }
        this.move(at);
    }

    fill(title, facts) {
        this.box.querySelector('b').textContent = title;
        this.box.querySelector('dl').replaceChildren(...facts.flatMap(([key, value]) => [
            element('dt', key), element('dd', value)]));
    }

    // Below and to the right of the pointer, or on the other side where there is no room.
    move({x, y}) {
        const {width, height} = this.stage.getBoundingClientRect(), box = this.box, gap = 14;
        const w = box.offsetWidth, h = box.offsetHeight;

        box.style.left = Math.max(x + gap + w > width ? x - gap - w : x + gap, 4) + 'px';
        box.style.top = Math.max(y + gap + h > height ? y - gap - h : y + gap, 4) + 'px';
    }
}
