#!/bin/bash
# maven.sh FOLDER [OPTION-OF-MVN...]: installs jfrkit.jar and jfrkit-api.jar of the folder in the local repository of Maven,
# as jfrkit:jfrkit:VERSION and jfrkit:jfrkit-api:VERSION.
set -eu
folder=$1
shift
command -v mvn >/dev/null || { echo 'maven.sh: no mvn (Debian: maven)' >&2; exit 1; }
for name in jfrkit jfrkit-api; do
    mvn -q -B org.apache.maven.plugins:maven-install-plugin:2.4:install-file -Dfile="$folder/$name.jar" -DgroupId=jfrkit \
        -DartifactId=$name -Dversion="$(tools/package/version.sh)" -Dpackaging=jar "$@"
done
