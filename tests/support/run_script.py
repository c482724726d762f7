"""Runs a test script: run_script.py SCRIPT [PROGRAM]. Its tests are its functions without parameters that are no
helpers, each in a scratch folder. Scripts find the modules of this folder and of their own, and skip without the
packages that are their oracles."""
import pathlib
import sys
import types

script = pathlib.Path(sys.argv.pop(1)).resolve()
sys.argv[0] = str(script)
sys.path.insert(0, str(script.parent))
import program

PACKAGES = {"numcodecs": "numcodecs", "numpy": "NumPy", "onnxruntime": "onnxruntime", "scipy": "SciPy",
            "sklearn": "scikit-learn"}
tests = sys.modules["__main__"] = types.ModuleType("__main__")
tests.__file__ = str(script)
try:
    exec(compile(script.read_bytes(), script, "exec"), vars(tests))
except ModuleNotFoundError as missing:
    if missing.name not in PACKAGES:
        raise
    program.skip(f"{PACKAGES[missing.name]} is not installed")
sys.exit(program.main())
