// save.js - the current view as a file: picture or collapsed stacks. Files are made in the page and
// handed over as blobs; nothing is sent anywhere.

function saveBlob(blob, name) {
    const link = document.createElement('a');

    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function savePng(view) {
    view.painter.canvas.toBlob((blob) => blob && saveBlob(blob, 'flame.png'));
}

// A stand-in for the canvas's context that makes elements of what the painter draws.
class SvgContext {
    constructor({width, height, context, rowHeight}) {
        this.svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
        this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
        this.svg.setAttribute('font-size', rowHeight * 0.6);
        this.svg.setAttribute('font-family', 'sans-serif');
        this.context = context;
    }

    add(tag, attributes, text = '') {
        const e = document.createElementNS(this.svg.namespaceURI, tag);

        for (const key of Object.keys(attributes))
            e.setAttribute(key, attributes[key]);
        e.textContent = text;
        this.svg.append(e);
    }

    fillRect(x, y, width, height) {
        this.add('rect', {x, y, width, height, fill: this.fillStyle});
    }

    fillText(text, x, y) {
        this.add('text', {x, y, fill: this.fillStyle, 'dominant-baseline': 'central'}, text);
    }

    measureText(text) {
        return this.context.measureText(text);
    }

    strokeRect() {}

    setTransform() {}
}

function saveSvg(view) {
    const {painter} = view, {context} = painter, drawing = painter.context = new SvgContext(painter);

    view.paint();
    painter.context = context;
    saveBlob(new Blob([new XMLSerializer().serializeToString(drawing.svg)], {type: 'image/svg+xml'}), 'flame.svg');
}

// One line per stack of the zoomed part: frames from the root, separated by ';', and the weight.
function collapsedOf(view) {
    const {tree, names, zoomed} = view, lines = [], stack = tree.path(zoomed).map((i) => frameText(names, tree, i));

    for (let i = zoomed; i < tree.end[zoomed]; i++) {
        stack.length = tree.depth[i];
        stack.push(frameText(names, tree, i));
        if (tree.self[i] > 0 && i > 0)
            lines.push(stack.slice(1).join(';') + ' ' + tree.self[i] + '\n');
    }
    return lines;
}

function frameText(names, tree, i) {
    return visible(names.get(tree.name[i] ?? 0)).replaceAll(';', ':');
}

function saveText(view) {
    saveBlob(new Blob(collapsedOf(view), {type: 'text/plain'}), 'flame.collapsed');
}
