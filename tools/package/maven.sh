#!/bin/bash
# maven.sh [OPTION-OF-MVN...]: installs $B/bundle/jfrkit.jar and jfrkit-api.jar in the local repository of Maven, as
# jfrkit:jfrkit:VERSION and jfrkit:jfrkit-api:VERSION.
set -eu
B=${B:-build}
command -v mvn >/dev/null || { echo 'maven.sh: no mvn (Debian: maven)' >&2; exit 1; }
for name in jfrkit jfrkit-api; do
    mvn -q -B org.apache.maven.plugins:maven-install-plugin:2.4:install-file -Dfile="$B/bundle/$name.jar" -DgroupId=jfrkit \
        -DartifactId=$name -Dversion="$(tools/package/version.sh)" -Dpackaging=jar "$@"
done
