# npm_lib.sh - a package of the npm registry, without npm: Debian's has hundreds of packages with it.

# npm_package NAME VERSION: its folder, fetched once; false when the registry cannot be reached
npm_package() {
    local to=${B:-build}/npm/$1-$2

    if [ ! -e "$to/package.json" ]; then
        rm -rf "$to.$$" && mkdir -p "$to.$$"
        timeout 300 node -e "fetch('https://registry.npmjs.org/$1/-/$1-$2.tgz').then(async (r) => {
            if (!r.ok) process.exit(1);
            process.stdout.write(Buffer.from(await r.arrayBuffer()));
        }).catch(() => process.exit(1))" | tar xz -C "$to.$$" --strip-components=1 2>/dev/null
        [ -e "$to.$$/package.json" ] && { mv -T "$to.$$" "$to" 2>/dev/null || rm -rf "$to.$$"; }
        rm -rf "$to.$$"
    fi
    [ -e "$to/package.json" ] && realpath "$to"
}
