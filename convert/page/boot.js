// boot.js - unpacks the page's style and code and puts them in place. The policy names the hashes of
// both, so nothing but what was built can run. Until then nothing is to be seen.

{
    const fail = () => {
        const box = document.getElementById('message');
        box.textContent = 'This browser is too old to show the page.';
        box.hidden = false;
    };
    const unpack = async () => {
        const packed = Uint8Array.from(atob(document.getElementById('code').textContent), (c) => c.charCodeAt(0));
        const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
        const script = document.createElement('script'), style = document.createElement('style');
        [style.textContent, script.textContent] = (await new Response(stream).text()).split('\0');
        document.querySelector('style').replaceWith(style);
        document.body.append(script);
    };
    unpack().catch(fail);
}
