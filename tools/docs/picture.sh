#!/bin/bash
# Makes the pictures of README.md and tools/docs/page.md from the page of `make demo` in headless Chromium.
set -eu
B=${B:-build}
page=$B/demo/demo.html
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo 'skip picture: no chromium'; exit 0; }
command -v node >/dev/null || { echo 'skip picture: no node'; exit 0; }
. tools/test/npm_lib.sh
playwright=$(npm_package playwright-core 1.49.1) ||
    { echo 'skip picture: npm package playwright-core cannot be had'; exit 0; }
[ -e "$page" ] || tools/demo.sh >/dev/null
node tools/docs/picture.mjs "$chromium" "$playwright" "$(realpath "$page")" tools/docs
ls -l tools/docs/*.png
