// boot.js - unpacks the page's style and code and puts them in place. The policy names the hashes of
// both, so nothing but what was built can run. Until then nothing is to be seen. It waits for nothing
// but its own promises, so that the first picture is made before the parser goes on to the samples.

const digits91 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!"#$%\'()*+,-./:;=?@[\\]^_`{|}~';

// The 13 bits of two digits, by their two bytes as a number of 16 bits, low one first; -1 for others.
const pairs91 = new Int16Array(65536).fill(-1);
for (let high = 0; high < 91; high++)
    for (let low = 0; low < 91; low++)
        pairs91[digits91.charCodeAt(low) | digits91.charCodeAt(high) << 8] = low + high * 91;

// The digits of flame/pack.h: two are 13 bits, a last one is up to 6. Null where there are others.
function fromText(text) {
    const chars = new TextEncoder().encode(text.trim()), n = chars.length, pairs = new Uint16Array(chars.buffer, 0, n >> 1);
    const out = new Uint8Array(Math.floor(((n >> 1) * 13 + (n & 1) * 6) / 8));
    let bits = 0, have = 0, wrong = 0, at = 0;

    for (let i = 0; i < pairs.length; i++) {
        const v = pairs91[pairs[i]];
        wrong |= v;
        bits |= v << have;
        out[at++] = bits;
        have += 5;
        bits >>= 8;
        if (have > 7) {
            out[at++] = bits;
            have -= 8;
            bits >>= 8;
        }
    }
    if (n & 1) {
        const low = pairs91[chars[n - 1] | 65 << 8]; // as if an A came after it, which is 0
        wrong |= low;
        out[at] = bits | low << have;
    }
    return wrong < 0 ? null : out;
}

// What a gzip stream unpacks to, part by part.
async function* unpacked(packed) {
    const {writable, readable} = new DecompressionStream('gzip'), writer = writable.getWriter(), reader = readable.getReader();

    for (const act of [writer.write(packed), writer.close()])
        act.catch(() => 0); // the reader tells it
    for (let part; !(part = await reader.read()).done;)
        yield part.value;
}

{
    const fail = () => {
        const box = document.getElementById('message');
        box.textContent = 'This browser is too old to show the page.';
        box.hidden = false;
    };
    const unpack = async () => {
        const script = document.createElement('script'), style = document.createElement('style'), decoder = new TextDecoder();
        let text = '';
        for await (const part of unpacked(fromText(document.getElementById('code').textContent)))
            text += decoder.decode(part, {stream: true});
        [style.textContent, script.textContent] = text.split('\0');
        document.head.append(style);
        document.querySelector('style').disabled = true;
        document.body.append(script);
    };
    unpack().catch(fail);
}
