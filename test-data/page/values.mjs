// values.mjs PAGE DIMENSION - the samples of a flame-graph page by their value of a dimension, one value a line:
// "VALUE<tab>SAMPLES". Read by the page's own decoder, as in stacks.mjs.
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import vm from 'node:vm';

const source = (name) => readFileSync(fileURLToPath(new URL('../../convert/page/' + name, import.meta.url)), 'utf8');
const boot = source('boot.js'), types = source('text.js').match(/^const frameTypes = \[[^\]]*\];/m)[0];
const {readTree, readSections, readSamples} = vm.runInThisContext(
    [boot.slice(0, boot.indexOf('\n{\n')), types, source('samples.js').match(/^function bits[^]*?^}/m)[0], source('decode.js'),
        '({readTree, readSections, readSamples})'].join('\n'));

const page = readFileSync(process.argv[2], 'utf8');
const part = (id) => page.split(`id="${id}">\n`)[1].split('</script>')[0];
const head = JSON.parse(part('head')), sections = await readSections(JSON.parse(part('directory')), part('samples'));
const {dims} = readSamples(head, sections, await readTree(head, part('data')));
const {texts, column} = dims.find(({name}) => name === process.argv[3]), counts = texts.map(() => 0);

column.forEach((v) => counts[v]++);
texts.forEach((text, v) => counts[v] > 0 && process.stdout.write(`${text}\t${counts[v]}\n`));
