"""Every GPU test program of a build, in each way that its kernels can run; prints one table.

native      the code compiled for this GPU, where the build has it
portable    CUDA_FORCE_PTX_JIT=1: the PTX that GPUs run which the build has no code for
smallest    YUPANA_TEST_SMALLEST_GPU=1: as portable, within 99 KB of shared memory a block
80          a second build, for compute capability 8.0 alone (--build-80)
memcheck, racecheck  compute-sanitizer on the tests that take less than --small seconds natively
"""
import argparse
import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tempfile
import time


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="a build folder of the preset cuda")
    parser.add_argument("--build-80", help="a build folder with -DCMAKE_CUDA_ARCHITECTURES=80")
    parser.add_argument("--seconds-together", type=float, default=30, help="of each pair of families on one GPU")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--limit", type=float, default=1200, help="seconds a program may take")
    parser.add_argument("--small", type=float, default=0.05, help="seconds of a test that the sanitizers take")
    parser.add_argument("--ways", default="native,portable,smallest,80,memcheck,racecheck")
    parser.add_argument("--logs", default=tempfile.mkdtemp(prefix="yupana_gpu_"))
    return parser.parse_args()


class Suite:
    def __init__(self, options):
        self.options = options
        self.quick = {}  # of each program, the tests that take little time natively
        os.makedirs(options.logs, exist_ok=True)

    def run(self, way, program):
        """(verdict for the table, whether it passed)"""
        options, name = self.options, os.path.basename(program)
        command, environment = [program], dict(os.environ)
        environment["YUPANA_SECONDS_TOGETHER"] = str(options.seconds_together)
        report = os.path.join(options.logs, f"{name}.{way}.json")
        if way == "native":
            command.append(f"--gtest_output=json:{report}")
        elif way in ("portable", "smallest"):
            environment["CUDA_FORCE_PTX_JIT"] = "1"
            if way == "smallest":
                environment["YUPANA_TEST_SMALLEST_GPU"] = "1"
        elif way in ("memcheck", "racecheck"):
            if not self.quick.get(name):
                return "no short test", True
            command = ["compute-sanitizer", "--tool", way, "--error-exitcode", "9", "--report-api-errors", "no",
                       program, "--gtest_filter=" + ":".join(self.quick[name])]
        begin = time.monotonic()
        try:
            done = subprocess.run(command, env=environment, timeout=options.limit, text=True, errors="replace",
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            output, code = done.stdout, done.returncode
        except subprocess.TimeoutExpired as stopped:
            output, code = (stopped.stdout or b"").decode(errors="replace"), "too long"
        seconds = time.monotonic() - begin
        with open(os.path.join(options.logs, f"{name}.{way}.log"), "w") as log:
            log.write(output)
        if way == "native" and code == 0:
            self.quick[name] = self.short_tests(report)
        passed = sum(line.startswith("[       OK ]") for line in output.splitlines())
        failed = [line.split()[3] for line in output.splitlines()
                  if line.startswith("[  FAILED  ]") and line.endswith("ms)")]
        if code != 0:
            return f"**failed** ({code}): {', '.join(failed[:3]) or output.strip().splitlines()[-1:]}", False
        if passed == 0:
            return "**no test ran**", False
        return f"{passed} in {seconds:.0f} s", True

    def short_tests(self, report):
        with open(report) as file:
            suites = json.load(file)["testsuites"]
        return [f"{suite['name']}.{test['name']}" for suite in suites for test in suite["testsuite"]
                if test["result"] == "COMPLETED" and float(test["time"].rstrip("s")) < self.options.small]


def main():
    options = parse()
    suite, table, good = Suite(options), {}, True
    for way in options.ways.split(","):
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
