#!/bin/bash
# The page in a real browser; the cases stand in test-data/page/page_test.mjs.
set -u
B=${B:-build}
failed=0
! command -v node >/dev/null || node test-data/page/text_test.mjs || failed=1
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$chromium" ] || { echo 'skip page: no chromium'; exit $failed; }
command -v node >/dev/null || { echo 'skip page: no node'; exit 0; }
[ -x "$B/convert/test/flame_demo_test" ] || { echo 'skip page: flame_demo_test is not built'; exit $failed; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$B/convert/test/flame_demo_test" --write "$work/demo.html" || { echo 'not ok page: not written'; exit 1; }
node test-data/page/page_test.mjs "$chromium" "$work/demo.html" || failed=1
exit $failed
