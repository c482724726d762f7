"""The commands of REPRODUCIBILITY.md give the digests that it states."""
import hashlib
import os
import pathlib
import re
import subprocess

from program import PROGRAM, ROOT


def stated_digests_are_those_of_the_commands():
    page = (ROOT / "REPRODUCIBILITY.md").read_text()
    commands = re.search(r"```sh\n(.*?)```", page, re.S)[1]
    stated = dict(re.findall(r"^\| `([\w.]+)` \| ([0-9a-f]{16}) \|$", page, re.M))
    assert len(stated) > 10 and commands.count("yupana ") > 8, stated
    environment = {**os.environ, "PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-e", "-c", commands], capture_output=True, text=True, check=False,
                          env=environment)
    assert done.returncode == 0, done.stderr
    found = {name: hashlib.sha256(pathlib.Path(name).read_bytes()).hexdigest()[:16] for name in stated}
    assert found == stated, {name: found[name] for name in stated if found[name] != stated[name]}
