// stacks.mjs PAGE - what a flame-graph page opens with, as collapsed stacks: read by the page's own
// decoder (decode.js and what it takes from boot.js and text.js), without a browser.
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import vm from 'node:vm';

const source = (name) => readFileSync(fileURLToPath(new URL('../../convert/page/' + name, import.meta.url)), 'utf8');
const boot = source('boot.js'), types = source('text.js').match(/^const frameTypes = \[[^\]]*\];/m)[0];
const decoder = [boot.slice(0, boot.indexOf('\n{\n')), types, source('decode.js'), 'readTree'].join('\n');
const readTree = vm.runInThisContext(decoder);

const page = readFileSync(process.argv[2], 'utf8');
const part = (id) => page.split(`id="${id}">\n`)[1].split('</script>')[0];
const {depth, name, names, own} = await readTree(JSON.parse(part('head')), part('data'));
const path = [];

for (let i = 0; i < depth.length; i++) {
    path.length = depth[i];
    path[depth[i]] = names.get(name[i]);
    if (own[i] > 0)
        process.stdout.write((path.slice(1).join(';') || '[no frames]') + ' ' + own[i] + '\n');
}
