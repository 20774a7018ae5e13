#!/usr/bin/env python3
"""Fetches Python packages from PyPI for this interpreter, without pip: fetch_wheels.py FOLDER PROJECT=VERSION...

They are unpacked into FOLDER, which then goes into PYTHONPATH. What is there is left as it is. Where one cannot be had,
a line says why and the exit code is 1.
"""
import io, json, os, platform, re, shutil, sys, tempfile, zipfile

sys.dont_write_bytecode = True
from fetch_jdks import INDEX, checked, get  # its folder is that of this script


def fits(name, version):
    """Is it a wheel of this version for this interpreter and a Linux with glibc?"""
    if not name.endswith('.whl') or name.split('-')[1] != version:
        return False
    python, abi, system = name[:-4].split('-')[-3:]
    own = f'cp{sys.version_info[0]}{sys.version_info[1]}'
    is_abi3 = abi == 'abi3' and re.match(r'cp3(\d+)$', python) and int(python[3:]) <= sys.version_info[1]
    return (own in python.split('.') and abi in (own, 'none') or is_abi3 or python in ('py3', 'py2.py3')) and (
        system == 'any' or 'manylinux' in system and system.endswith(platform.machine()))


def fetch(folder, project, version):
    index = json.loads(get(f'{INDEX}{project}/', 'application/vnd.pypi.simple.v1+json'))
    files = [f for f in index['files'] if fits(f['filename'], version)]
    if not files:
        raise OSError(f'{INDEX}{project}/ has no file of version {version} for this Python')
    wheel = checked(files[-1]['url'], files[-1]['hashes']['sha256'])
    with tempfile.TemporaryDirectory(dir=folder) as unpacked:
        zipfile.ZipFile(io.BytesIO(wheel)).extractall(unpacked)
        for name in os.listdir(unpacked):
            to = os.path.join(folder, name)
            if not os.path.exists(to):
                shutil.move(os.path.join(unpacked, name), to)


def main():
    folder, failed = os.path.abspath(sys.argv[1]), 0
    os.makedirs(folder, exist_ok=True)
    for wanted in sys.argv[2:]:
        project, version = wanted.split('=')
        mark = os.path.join(folder, f'.{project}-{version}')
        if os.path.exists(mark):
            continue
        try:
            fetch(folder, project, version)
            open(mark, 'w').close()
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as why:
            print(f'no {project} {version}: {why}')
            failed = 1
    return failed


sys.exit(main())
