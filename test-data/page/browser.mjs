// browser.mjs - a headless Chromium, spoken to over a pipe (DevTools protocol), and pages in it.
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

// However a browser is started. It draws its own address bar's lists, which nobody sees, as pages that
// are never at rest: half of a processor for each window.
export const quiet = ['--no-sandbox', '--disable-gpu', '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup'];

const flags = [...quiet, '--headless=new', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage',
    '--hide-scrollbars', '--remote-debugging-pipe'];

const patience = 120000; // ms for one answer

export class Browser {
    constructor(program) {
        this.home = mkdtempSync(join(tmpdir(), 'flame-page-'));
        this.process = spawn(program, [...flags, '--user-data-dir=' + this.home, 'about:blank'],
            {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
        this.gone = new Promise((resolve) => this.process.on('exit', resolve));
        this.waiting = new Map();
        this.listeners = [];
        this.id = 0;
        let rest = Buffer.alloc(0);
        this.process.stdio[4].on('data', (part) => {
            rest = Buffer.concat([rest, part]);
            for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1))
                this.receive(JSON.parse(rest.subarray(0, end).toString()));
        });
    }

    receive(message) {
        const wait = this.waiting.get(message.id);

        if (wait) {
            this.waiting.delete(message.id);
            if (message.error)
                wait.reject(new Error(message.error.message));
            else
                wait.resolve(message.result);
        } else {
            this.listeners.forEach((listener) => listener(message));
        }
    }

    send(method, params = {}, sessionId = undefined) {
        const id = ++this.id;

        this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + '\0');
        return new Promise((resolve, reject) => {
            const late = setTimeout(() => reject(new Error(method + ' was not answered')), patience);
            this.waiting.set(id, {resolve: (v) => resolve(v, clearTimeout(late)), reject});
        });
    }

    async close() {
        await this.send('Browser.close').catch(() => this.process.kill('SIGKILL'));
        await this.gone;
        rmSync(this.home, {recursive: true, force: true, maxRetries: 5});
    }
}

// One tab. `troubles` gathers whatever a good page never causes: errors, messages, requests.
export class Tab {
    static async open(browser, {width = 1280, height = 800, dark = false, calm = true, before = ''} = {}) {
        const tab = new Tab(), {targetId} = await browser.send('Target.createTarget', {url: 'about:blank'});

        tab.browser = browser;
        tab.troubles = [];
        tab.session = (await browser.send('Target.attachToTarget', {targetId, flatten: true})).sessionId;
        browser.listeners.push((message) => message.sessionId === tab.session && tab.note(message));
        for (const domain of ['Page', 'Runtime', 'Log', 'Network'])
            await tab.send(domain + '.enable');
        await tab.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: false});
        await tab.send('Emulation.setEmulatedMedia', {features: [
            {name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'},
            {name: 'prefers-reduced-motion', value: calm ? 'reduce' : 'no-preference'}]});
        await tab.send('Page.addScriptToEvaluateOnNewDocument', {source: `${before}
            window.violations = [];
            addEventListener('securitypolicyviolation', (e) => violations.push(e.violatedDirective + ' ' + e.blockedURI));`});
        return tab;
    }

    note({method, params}) {
        if (method === 'Runtime.exceptionThrown')
            this.troubles.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
        else if (method === 'Runtime.consoleAPICalled')
            this.troubles.push('console: ' + params.args.map((a) => a.value).join(' '));
        else if (method === 'Log.entryAdded' && !params.entry.text.includes('willReadFrequently'))
            this.troubles.push('log: ' + params.entry.text);
        else if (method === 'Network.requestWillBeSent' && !/^(file|blob|data|about):/.test(params.request.url))
            this.troubles.push('request: ' + params.request.url);
        else if (method === 'Page.loadEventFired')
            this.loaded?.();
    }

    send(method, params) {
        return this.browser.send(method, params, this.session);
    }

    async go(url) {
        for (const to of ['about:blank', url]) {
            const loaded = new Promise((resolve) => this.loaded = resolve);
            await this.send('Page.navigate', {url: to});
            await loaded;
        }
        await this.until(() => Boolean(window.flame) || !document.getElementById('message').hidden);
        await this.settle();
    }

    // Runs a function in the page, with JSON arguments and result.
    async eval(fn, ...args) {
        const expression = `(${fn})(...${JSON.stringify(args)})`;
        const {result, exceptionDetails} = await this.send('Runtime.evaluate',
            {expression, returnByValue: true, awaitPromise: true, userGesture: true});

        if (exceptionDetails)
            throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value;
    }

    async until(fn, ...args) {
        for (const start = Date.now(); Date.now() < start + 60000;) {
            if (await this.eval(fn, ...args))
                return;
            await new Promise((resolve) => setTimeout(resolve, 25));
        }
        throw new Error('waited in vain for ' + fn);
    }

    // Two frames on, and nothing moves any more.
    settle() {
        return this.eval(async () => {
            do
                for (let i = 0; i < 2; i++)
                    await new Promise((resolve) => requestAnimationFrame(resolve));
            while (window.flame?.motion);
        });
    }

    async mouse(type, x, y, more = {}) {
        await this.send('Input.dispatchMouseEvent', {type, x, y, button: type === 'mouseMoved' ? 'none' : 'left',
            clickCount: type === 'mouseMoved' ? 0 : 1, ...more});
    }

    async click(x, y) {
        await this.mouse('mouseMoved', x, y);
        await this.mouse('mousePressed', x, y);
        await this.mouse('mouseReleased', x, y);
        await this.settle();
    }

    async press(...keys) {
        const codes = {Enter: 13, Backspace: 8, Escape: 27, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40,
            Home: 36, End: 35};

        for (const key of keys) {
            const text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined;
            const params = {key, text, windowsVirtualKeyCode: codes[key] ?? key.toUpperCase().charCodeAt(0)};
            await this.send('Input.dispatchKeyEvent', {type: text ? 'keyDown' : 'rawKeyDown', ...params});
            await this.send('Input.dispatchKeyEvent', {type: 'keyUp', ...params});
            await this.settle();
        }
    }

    async shot(path) {
        const {data} = await this.send('Page.captureScreenshot', {format: 'png'});

        writeFileSync(path, Buffer.from(data, 'base64'));
    }
}
