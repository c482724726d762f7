"""Plans and --memory hold for many threads too, however many cores there are: what each thread holds was in no plan."""
import pathlib

from held_memory import MAPPED, peak_of, plan_of, sanitized
from program import run

#: oneTBB starts no more on two cores. That many held twice the memory of the plan.
THREADS = ("--threads", 128)


def threads_that_count_held_more_than_the_plan():
    if sanitized():
        return
    for arguments in (("dist", "simulate:2000x3000,missing=0.01", "--dtype", "float32"),
                      ("dist", "simulate:200x200000"), ("fermat", "simulate:1500x300,missing=0.01", "--matrix-only")):
        planned, held = plan_of(*arguments, *THREADS)["memory"], peak_of(*arguments, *THREADS)
        assert held < 1.03 * planned + MAPPED, f"{arguments}: planned {planned}, held {held}"


def threads_that_count_and_write_held_more_than_the_memory():
    if sanitized():
        return
    cohort = "simulate:2000x3000,missing=0.01"
    told = run("dist", cohort, "--format", "tsv", "-o", "o", "--memory", "1M", *THREADS, status=4).stderr
    needed = float(told.split(" need ")[1].split(" MB")[0])
    for more, memory in (((), 40), (("--pairs-below", "1e9"), 45), (("--format", "tsv"), needed),
                         (("--distance", "square", "gz", "flat-missing"), 80)):
        held = peak_of("dist", cohort, *more, "--memory", f"{memory}M", *THREADS)
        assert held < 1.05e6 * memory + MAPPED, f"{more}: {memory} MB, held {held}"


def what_a_refusal_says_is_enough_for_many_threads():
    run("simulate", "--samples", 1000, "--sites", 12000, "-o", "s")
    for call in (("dist", "s.bed"), ("dist", "s.bed", "--metric", "king"), ("fermat", "s.bed", "--matrix-only")):
        told = run(*call, "-o", "o", "--memory", "1M", *THREADS, status=4).stderr
        needed = float(told.split(" need ")[1].split(" MB")[0])
        run(*call, "-o", "o", "--memory", f"{needed}M", *THREADS)


def a_reader_of_many_threads_was_refused_without_the_advice():
    run("simulate", "--samples", 50, "--sites", 200, "--format", "vcf.gz", "-o", "v")
    assert "lower --threads" in run("dist", "v.vcf.gz", "-o", "o", "--memory", "40M", *THREADS, status=4).stderr
    run("dist", "v.vcf.gz", "-o", "o", "--memory", "40M", "--threads", 2)


def threads_that_compress_held_more_than_simulate_said():
    if sanitized():
        return
    call = ("simulate", "--samples", "20k", "--sites", 200, "--format", "vcf.gz", *THREADS)
    told = run(*call, "-o", "o", "--memory", "1M", status=4).stderr
    needed = float(told.split(" take ")[1].split(" MB")[0])
    held = peak_of(*call, "--memory", f"{needed}M")
    assert held < 1.03e6 * needed + MAPPED, f"{needed} MB, held {held}"


def threads_that_count_few_at_a_time_change_no_bit():
    written = set()
    for more in (("--threads", 1), ("--threads", 2), THREADS, (*THREADS, "--memory", "24M")):
        run("dist", "simulate:900x5000,missing=0.01", *more, "-o", "o")
        written.add(pathlib.Path("o.dist.npy").read_bytes())
    assert len(written) == 1
