// text_test.mjs - how the page shortens names (text.js) and whose code it takes them for (origin.js), without a browser.
import {readFileSync} from 'node:fs';
import vm from 'node:vm';

const source = ['text', 'origin'].map((name) => readFileSync(`convert/page/${name}.js`, 'utf8')).join('\n');
vm.runInThisContext(source + '; Object.assign(globalThis, {shorter, origin: (name, type) => origins[originOf(name, frameTypes.indexOf(type))]});');
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

const owners = [
    ['com.acme.shop.Cart.add(int)', 'JIT compiled', 'Your code'],
    ['UserFiles$$Lambda+0x0000000083046200.handle(HttpExchange)', 'Interpreted', 'Your code'],
    ['org.acme.Main.main', 'Inlined', 'Your code'],
    ['javax0.Main.main', 'Inlined', 'Your code'],
    ['iota.Main.main', 'C1 compiled', 'Your code'],
    ['java.util.HashMap.get', 'C1 compiled', 'JDK'],
    ['com.sun.net.httpserver.Filter$Chain.doFilter', 'Interpreted', 'JDK'],
    ['com/sun/net/httpserver/Filter$Chain.doFilter', 'Interpreted', 'JDK'],
    ['javax.net.ssl.SSLEngine.wrap', 'JIT compiled', 'JDK'],
    ['javax.servlet.http.HttpServlet.service', 'JIT compiled', 'Libraries'],
    ['jakarta.servlet.http.HttpServlet.service', 'JIT compiled', 'Libraries'],
    ['org.springframework.web.servlet.DispatcherServlet.doDispatch', 'Inlined', 'Libraries'],
    ['org/apache/catalina/core/StandardHostValve.invoke', 'Inlined', 'Libraries'],
    ['io.netty.channel.nio.NioEventLoop.run', 'JIT compiled', 'Libraries'],
    ['com.fasterxml.jackson.databind.ObjectMapper.readValue', 'Interpreted', 'Libraries'],
    ['Compile::Code_Gen', 'C++', 'JVM'],
    ['libjvm.so.Compile::Code_Gen', 'C++', 'JVM'],
    ['librocksdbjni.so.rocksdb::DB::Get', 'C++', 'Native'],
    ['libjvm.so.JVM_Sleep', 'Native', 'JVM'],
    ['JVM_Sleep', 'Native', 'JVM'],
    ['Java_java_util_zip_Deflater_deflateBytesBytes', 'Native', 'JDK'],
    ['libzip.so.deflate_slow', 'Native', 'JDK'],
    ['Java_com_acme_Native_call', 'Native', 'Native'],
    ['libc.so.6.start_thread', 'Native', 'Native'],
    ['do_syscall_64', 'Kernel', 'Kernel'],
    ['[http-nio-1]', 'Group', 'Other'],
    ['[unknown]', 'Interpreted', 'Other'],
];
let strangers = 0;

for (const [name, type, want] of owners) {
    const got = origin(name, type);

    if (got !== want) {
        strangers++;
        console.log(`    ${name}, ${type}: ${got}, not ${want}`);
    }
}
console.log((strangers ? 'not ok' : 'ok') + ' frames are of the right origin');
process.exit(failed || strangers ? 1 : 0);
