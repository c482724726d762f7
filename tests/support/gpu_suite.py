"""Every GPU test program of a build, in each way that its kernels can run; prints one table.

native      the code compiled for this GPU, where the build has it
portable    CUDA_FORCE_PTX_JIT=1: the PTX that GPUs run which the build has no code for
smallest    YUPANA_TEST_SMALLEST_GPU=1: as portable, within 99 KB of shared memory a block
80          a second build, for compute capability 8.0 alone (--build-80)
memcheck, racecheck  compute-sanitizer on the tests that took less than --small seconds natively, in
            this run or an earlier one with the same --logs; those not reached within --limit are counted
python      the package's tests of torch's and CuPy's arrays, where the build has its module
            (-DYUPANA_PYTHON=ON) and Python has both
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# Races that racecheck reports and that are none, by kernel.
RING = "waits at barriers in shared memory (mbarrier), which the tool does not follow"
BEHIND = "a thread reads words behind its run, which may be changing, and does not use them"
WORDS = "warps hand over words in shared memory by relaxed loads and stores"
NO_RACES = {"sum_tiles_kernel": RING, "scan_kernel": RING, "sort_tiles_kernel": BEHIND, "leaf_kernel": BEHIND,
            "pivot_kernel": BEHIND, "levels_kernel": WORDS, "strip_kernel": WORDS}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="a build folder of the preset cuda")
    parser.add_argument("--build-80", help="a build folder with -DCMAKE_CUDA_ARCHITECTURES=80")
    parser.add_argument("--seconds-together", type=float, default=30, help="of each pair of families on one GPU")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--shards", type=int, default=6, help="processes of a program that the driver compiles for, and of the pairs together")
    parser.add_argument("--limit", type=float, default=1200, help="seconds a program may take")
    parser.add_argument("--small", type=float, default=0.05, help="seconds of a test that the sanitizers take")
    parser.add_argument("--ways", default="native,portable,smallest,80,memcheck,racecheck,python")
    parser.add_argument("--logs", default=tempfile.mkdtemp(prefix="yupana_gpu_"))
    return parser.parse_args()


SANITIZERS = ("memcheck", "racecheck")


def finish(process, deadline):
    """(output, exit status or "too long")"""
    try:
        return process.communicate(timeout=max(deadline - time.monotonic(), 0))[0], process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # what a sanitizer started holds the pipe too
        return process.communicate()[0], "too long"


def only_known_races(output):
    """Whether all that a sanitizer reports are races that NO_RACES names."""
    reports = re.findall(r"^========= (\S.*)", output, re.M)
    return all(report.startswith(("COMPUTE-SANITIZER", "RACECHECK SUMMARY", "ERROR SUMMARY")) or
               report.startswith("Error: Race reported") and any(f"::{name}<" in report for name in NO_RACES)
               for report in reports)


class Suite:
    def __init__(self, options):
        self.options = options
        os.makedirs(options.logs, exist_ok=True)

    def run(self, way, program):
        """(verdict for the table, whether it passed)"""
        options, name = self.options, os.path.basename(program)
        together = name == "test_together_gpu"  # pairs of families, each for long
        command, environment, shards = [program], dict(os.environ), options.shards if together else 1
        environment["YUPANA_SECONDS_TOGETHER"] = str(options.seconds_together)
        report = os.path.join(options.logs, f"{name}.native.json")
        if way == "native":
            command += [] if together else [f"--gtest_output=json:{report}"]
        elif way in ("portable", "smallest"):
            environment["CUDA_FORCE_PTX_JIT"] = "1"
            shards = options.shards  # the driver compiles with one thread a process
            if way == "smallest":
                environment["YUPANA_TEST_SMALLEST_GPU"] = "1"
        elif way in SANITIZERS:
            tests = [] if together else self.short_tests(report)
            if not tests:
                return "no short test", True
            environment["NV_COMPUTE_SANITIZER_MAX_RACECHECK_HAZARDS"] = "1000000"  # others come after those of NO_RACES
            command = ["compute-sanitizer", "--tool", way, "--error-exitcode", "9", "--report-api-errors", "no",
                       program, "--gtest_filter=" + ":".join(tests)]
        begin = time.monotonic()
        processes = [subprocess.Popen(command, text=True, errors="replace", stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, start_new_session=True,
                                      env={**environment, "GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(k)})
                     for k in range(shards)]
        with concurrent.futures.ThreadPoolExecutor(shards) as pool:
            done = list(pool.map(lambda process: finish(process, begin + options.limit), processes))
        output = "".join(text for text, _ in done)
        codes = [code for _, code in done if code != 0]
        seconds = time.monotonic() - begin
        with open(os.path.join(options.logs, f"{name}.{way}.log"), "w") as log:
            log.write(output)
        passed = sum(line.startswith("[       OK ]") for line in output.splitlines())
        failed = [line.split()[3] for line in output.splitlines()
                  if line.startswith("[  FAILED  ]") and line.endswith("ms)")]
        if way in SANITIZERS and not failed and passed and codes in ([9], ["too long"]) and only_known_races(output):
            return f"{passed} of {len(tests)} in {seconds:.0f} s", True
        if codes:
            return f"**failed** ({codes[0]}): {', '.join(failed[:3]) or output.strip().splitlines()[-1:]}", False
        if passed == 0:
            return "**no test ran**", False
        return f"{passed} in {seconds:.0f} s", True

    def short_tests(self, report):
        if not os.path.exists(report):
            sys.exit(f"{report}: expected the times of a native run, got none; add native to --ways")
        with open(report) as file:
            suites = json.load(file)["testsuites"]
        return [f"{suite['name']}.{test['name']}" for suite in suites for test in suite["testsuite"]
                if test["result"] == "COMPLETED" and float(test["time"].rstrip("s")) < self.options.small]


def run_python(options):
    """(verdict, whether it passed) of the package's tests on a GPU; None without its module."""
    modules = glob.glob(os.path.join(options.build, "python", "package", "yupana", "_core*.so"))
    if not modules:
        return None
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with tempfile.TemporaryDirectory() as site:
        package = shutil.copytree(os.path.join(root, "python", "yupana"), os.path.join(site, "yupana"))
        shutil.copy(modules[0], package)
        environment = {**os.environ, "PYTHONPATH": site,
                       "YUPANA_PROGRAM": os.path.join(os.path.abspath(options.build), "yupana")}
        tests = sorted(glob.glob(os.path.join(root, "python", "tests", "device_*test.py")))
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--disable-warnings",
                               *tests], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    with open(os.path.join(options.logs, "python.log"), "w") as log:
        log.write(done.stdout)
    summary = (done.stdout.strip().splitlines() or [""])[-1].strip("= ")
    return summary, done.returncode == 0 and " passed" in summary


def main():
    options = parse()
    suite, table, good = Suite(options), {}, True
    for way in options.ways.split(","):
        if way == "python":
            found = run_python(options)
            if found:
                table["python"], good = {way: found[0]}, good and found[1]
                print(f"{way:9} {found[0]}", flush=True)
            continue
        build = options.build_80 if way == "80" else options.build
        if build is None:
            continue
        programs = sorted(glob.glob(os.path.join(build, "tests", "test_*_gpu")))
        if not programs:
            sys.exit(f"{build}: expected GPU test programs in tests/, got none; build it first")
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            verdicts = pool.map(lambda program: suite.run(way, program), programs)
            for program, (verdict, passed) in zip(programs, verdicts):
                good = good and passed
                table.setdefault(os.path.basename(program)[5:-4], {})[way] = verdict
                print(f"{way:9} {os.path.basename(program)[5:-4]:10} {verdict}", flush=True)
    ways = [way for way in options.ways.split(",") if any(way in row for row in table.values())]
    print(f"\n| program | {' | '.join(ways)} |\n|---|{'---|' * len(ways)}")
    for name, row in table.items():
        print(f"| {name} | {' | '.join(row.get(way, '') for way in ways)} |")
    print(f"logs: {options.logs}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
