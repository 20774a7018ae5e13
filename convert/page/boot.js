// boot.js - unpacks the page's code and runs it. The policy names the hash of the code, so nothing
// but what was built can run.

{
    const fail = () => {
        const box = document.getElementById('message');
        box.textContent = 'This browser is too old to show the page.';
        box.hidden = false;
    };
    const unpack = async () => {
        const packed = Uint8Array.from(atob(document.getElementById('code').textContent), (c) => c.charCodeAt(0));
        const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
        const script = document.createElement('script');
        script.textContent = await new Response(stream).text();
        document.body.append(script);
    };
    unpack().catch(fail);
}
