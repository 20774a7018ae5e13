// text_test.mjs - how the page shortens names (text.js), without a browser.
import {readFileSync} from 'node:fs';
import vm from 'node:vm';

vm.runInThisContext(readFileSync('convert/page/text.js', 'utf8') + '; globalThis.shorter = shorter;');
const cases = [
    ['java.util.List.add', 'java.util.List.add|j.u.List.add|List.add|List.add'],
    ['java.util.List.add(int)', 'java.util.List.add(int)|j.u.List.add(int)|List.add(int)|List.add'],
    ['Main.run', 'Main.run'],
    ['deflate_slow', 'deflate_slow'],
    ['libjvm.so.Compile::Code_Gen', 'Compile::Code_Gen'],
    ['libc.so.6.start_thread', 'start_thread'],
    ['libstdc++.so.6.0.30.std::terminate()', 'std::terminate()'],
    ['libc-2.31.so.__GI___clone', '__GI___clone'],
    ['libjvm.so.std::vector<a.b.C, d.e>::at(a.b)', 'std::vector<a.b.C, d.e>::at(a.b)'],
    ['com.so.Main.run', 'com.so.Main.run|c.s.Main.run|Main.run|Main.run'],
    ['libc.so.6', 'libc.so.6'],
];
let failed = 0;

for (const [name, want] of cases) {
    const got = shorter(name).join('|');

    if (got !== want) {
        failed = 1;
        console.log(`    ${name}: ${got}, not ${want}`);
    }
}
console.log((failed ? 'not ok' : 'ok') + ' names are shortened, functions are without their library');
process.exit(failed);
