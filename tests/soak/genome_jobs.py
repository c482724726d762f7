"""Random jobs of genotypes, distances and splicing."""
import math

from cohorts import cohort, filters, seeded
from ingredients import Job, Npy, Text, number, size, some


METRICS = ("sqeuclidean", "euclidean", "manhattan", "ibs", "1-ibs", "hamming", "king", "normalized")
TREES = ("nj", "bionj", "upgma", "average", "single", "complete")


def job_of(command, made, options, out="o", bound=0, **more):
    return Job([command, *made.command], made.inputs, options, out, bound, **more)


def tree_options(rng, name):
    options = [[name, rng.choice(TREES)]]
    if rng.random() < 0.6:
        options += [["--bootstrap", str(rng.randrange(1, 9))]]
        options += some(rng, ["--block", (1, 7, "1kb")])
    return options


def labels(rng, made):
    made.inputs["labels.tsv"] = Text(["id\tpop\tage"] + [f"{n}\tp{k % 3}\t{k}"
                                                         for k, n in enumerate(made.samples)])
    return [["--labels", "labels.tsv"], ["--label-column", rng.choice(("pop", "2"))]]


def dist(rng):
    made = cohort(rng)
    options, what = filters(rng, made), rng.random()
    if what < 0.25:
        options += [["--distance", rng.choice(("square", "square0", "triangle")),
                     *rng.sample(("bin", "bin4", "gz"), rng.randrange(2)),
                     *rng.sample(("ibs", "1-ibs", "allele-ct", "flat-missing"), rng.randrange(3))]]
    elif what < 0.4:
        options += [["--make-king-table"], *some(rng, ["--king-table-filter", (0.0442, 0.2)],
                                                 ["--king-table-ibd"])]
    else:
        options += some(rng, ["--metric", METRICS], ["--format", "npy", ("tsv", "phylip")],
                        ["--dtype", ("float32", "float64", "int64", "int32")],
                        ["--pairs-below", (0.1, 50)], ["--pairs-above", (0.2, 90)])
        if any(option[0].startswith("--pairs") for option in options):
            options += some(rng, ["--pairs-format", "parquet"], share=0.3)
            if not any(option[0] in ("--format", "--dtype") for option in options):
                options += some(rng, ["--no-matrix"], share=0.4)
        if rng.random() < 0.25:
            options += tree_options(rng, "--tree")
            options += seeded(rng, options) if ["--bootstrap"] in [o[:1] for o in options] else []
        options += some(rng, ["--shared"], share=0.2)
    return job_of("dist", made, options, ranks=True)


def dosage(rng, made, options):
    """Dosages of files that have them; refused with what takes hard calls alone."""
    others = {"--multiallelic", "--missing"} & {o[0] for o in options}
    has_dosages = {"g.bgen", "g.vcf"} & set(made.inputs)
    return [["--dosage"]] if has_dosages and not others and rng.random() < 0.4 else []


def grm(rng):
    made = cohort(rng)
    options = filters(rng, made)
    options += dosage(rng, made, options) + some(rng, ["--standardize", ("gcta", "eigensoft")],
                                        ["--cutoff", (0.05, 0.3)])
    options += [["--format", *rng.sample(("gcta", "npy"), rng.randrange(1, 3))]]
    options += some(rng, ["--dtype", ("float32", "float64")]) if "npy" in options[-1] else []
    return job_of("grm", made, options)


def pca(rng):
    """Components, or in a third of the jobs samples among the components of an earlier run."""
    made = cohort(rng)
    options = filters(rng, made)
    options += dosage(rng, made, options)
    fitting = some(rng, ["--components", range(1, 6)], ["--standardize", ("gcta", "eigensoft")])
    if rng.random() < 0.3:
        before = (["pca", *made.command, *(w for o in options + fitting for w in o), "--loadings", "-o", "p"],)
        return job_of("pca", made, [*options, ["--project", "p.loadings.tsv"]], before=before)
    options += fitting + some(rng, ["--loadings"])
    if rng.random() < 0.15:
        options += [["--approx"]]
    if rng.random() < 0.1:
        options += [["--report"]] + some(rng, ["--figures", ("svg", "svg,pdf,png")], share=0.5)
        if made.samples:
            options += labels(rng, made) + some(rng, ["--figure-width", (85, 180)], share=0.3)
    return job_of("pca", made, options)


def filter_sites(rng):
    made = cohort(rng)
    out = "o" + rng.choice((".bed", ".pgen", ".vcf", ".vcf.gz", ".npy"))
    return job_of("filter", made, filters(rng, made, 0.2), out)


def simulate(rng):
    samples = 2 + size(rng, 60)
    options = [["--samples", str(samples)], ["--sites", str(1 + size(rng, 900))]]
    options += some(rng, ["--populations", range(1, min(samples, 5) + 1)],
                    ["--structure", ("island", "line", "ring")], ["--fst", (0.01, 0.4)],
                    ["--missing", (0.05, 0.5)], ["--seed", range(99)], ["--family-size", range(3, 7)],
                    ["--format", ("bed", "pgen", "vcf", "vcf.gz")])
    return Job(["simulate"], {}, options, "o")


def matrix(rng, infinite=0.02):
    n, style = 2 + size(rng, 40), rng.choice(("ties", "finite", "plain"))
    d = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            x = abs(number(rng, "d", style))
            d[i][j] = d[j][i] = math.inf if rng.random() < infinite else x
    return Npy("d", d, n)


def nj(rng):
    return Job(["nj", "d.npy"], {"d.npy": matrix(rng, 0)}, some(rng, ["--tree", TREES], share=0.7), "o.nwk")


def path(rng):
    """The chain between two individuals of a finished run."""
    samples = 3 + size(rng, 20)
    options = [["--alpha", rng.choice(("1", "2", "3.5"))], *some(rng, ["--knn", range(1, 5)])]
    cohort_words = f"simulate:{samples}x{1 + size(rng, 200)},seed={rng.randrange(99)}"
    before = (["fermat", cohort_words, *(w for o in options for w in o), "-o", "r"],)
    one, other = rng.sample(range(1, samples + 1), 2)
    return Job(["path", "r", f"s{one}", f"s{other}"], {}, some(rng, ["--alpha", options[0][1]]), "", 1e-4,
               before=before)


def fermat(rng):
    options = some(rng, ["--alpha", (1, 1.5, 2, 3.7, "auto")], ["--root"],
                   ["--precision", ("int", "float32", "float64")], share=0.3)
    alone = rng.random() < 0.2
    if rng.random() < 0.4:
        options.append([rng.choice(("--knn", "--landmarks")), str(rng.randrange(1, 9))])
        if options[-1][0] == "--landmarks":
            options += some(rng, ["--estimator", ("upper", "lower", "mean")])
    elif not alone:
        options += some(rng, ["--no-prune"])
    if alone:
        options.append(["--matrix-only"])
    else:
        options += some(rng, ["--dimensions", range(1, 6)])
    if rng.random() < 0.6:
        made = cohort(rng)
        options += filters(rng, made, 0.05)
        if not alone:
            options += some(rng, ["--relationships"], share=0.2)
            options += tree_options(rng, rng.choice(("--tree", "--linkage"))) if rng.random() < 0.3 else []
            options += seeded(rng, options) if ["--bootstrap"] in [o[:1] for o in options] else []
            options += some(rng, ["--figures", ("svg", "svg,pdf,png")], share=0.1)
            if made.samples and rng.random() < 0.3:
                options += labels(rng, made) + some(rng, ["--figure-width", (85, 180)], share=0.3)
        return job_of("fermat", made, options, bound=1e-4, ranks=True)
    options += [] if alone else some(rng, ["--linkage", TREES])
    options += some(rng, ["--squared"], share=0.15)
    return Job(["fermat"], {"d.npy": matrix(rng)}, [["--from-distances", "d.npy"], *options], "o",
               1e-4, ranks=True)


def splice(rng):
    letters = lambda n, alphabet="ACGT": "".join(rng.choice(alphabet) for _ in range(n))
    alphabet = rng.choice(("ACGT", "ACGT", "AC", "ACGTN"))
    exons = [letters(rng.randrange(1, 60), alphabet) for _ in range(rng.randrange(1, 5))]
    bases, places = letters(rng.randrange(30), alphabet), []
    for exon in exons:
        places.append((len(bases) + 1, len(bases) + len(exon)))
        bases += exon + "GT" + letters(rng.randrange(90), alphabet) + "AG"
    for _ in range(rng.randrange(12)):
        first = rng.randrange(1, len(bases) + 1)
        places.append((first, rng.randrange(first, min(len(bases), first + 80) + 1)))
    target = [x for x in "".join(exons)]
    for _ in range(rng.randrange(6)):
        target[rng.randrange(len(target))] = rng.choice(("", letters(1), letters(3)))
    inputs = {"g.fa": Text([">g", bases]), "t.fa": Text([">t", "".join(target) or "A"])}
    options, automatic = [["--genome", "g.fa"]], rng.random() < 0.4
    if rng.random() < 0.04:
        return Job(["splice"], {"g.fa": inputs["g.fa"]}, [*options, ["--save", rng.choice(("index", "sites"))]], "o")
    if not automatic:
        inputs["e.tsv"] = Text([f"{a} {b}" for a, b in places])
        options.append(["--exons", "e.tsv"])
        options += some(rng, ["--both-strands"], share=0.3)
    also = rng.sample(("gtf", "html"), rng.randrange(3))
    if rng.random() < 0.3:
        inputs["t.fa"] = Text([">t", letters(rng.randrange(1, 40), "ARNDCQEGHILKMFPSTWYVX")])
        options.append(["--protein", "t.fa"])
        options += some(rng, ["--genetic-code", (1, 2, 4)], ["--partial-codon", (-3, 0)], ["--allow-acgt"],
                        share=0.2)
        options += some(rng, ["--frameshift", (5, 23)], share=0.5 if automatic else 0)
        also += rng.sample(("faa",), rng.randrange(2))
    else:
        options.append(["--target", "t.fa"])
        options += some(rng, ["--match", range(1, 5)], ["--mismatch", range(-4, 1)],
                        ["--ends", ("global", "local")], ["--min-orf", range(1, 30)])
        also += rng.sample(("sam", "bam"), rng.randrange(3))
    options += some(rng, ["--gap-open", (-9, -3, 0)], ["--gap-extend", (-4, -1, 0)],
                    ["--min-intron", 60 if automatic else (0, 5, 60)], share=0.3)
    if not any(o[0] == "--frameshift" or o == ["--ends", "local"] for o in options):
        isoforms = some(rng, ["--isoforms", range(2, 5)], share=0.2)
        options += isoforms + some(rng, ["--isoform-score", (0, 1)], share=0.7 if isoforms else 0)
        options += some(rng, ["--isoform-evalue", (0.001, 1, 100)], share=0.5 if isoforms and automatic else 0)
    if rng.random() < 0.1:
        inputs["s.txt"] = Text(["   " + "  ".join("ACGT"), *(
            f"{a} " + " ".join(str(3 if a == b else -rng.randrange(4)) for b in "ACGT") for a in "ACGT")])
        options = [o for o in options if o[0] not in ("--match", "--mismatch")] + [["--matrix", "s.txt"]]
    options += [["--also", *also]] if also else []
    if automatic:
        options += signals(rng)
        if rng.random() < 0.2 and not any(o[0] == "--frameshift" for o in options):
            inputs["sites.tsv"] = Text(["\t".join(map(str, ("g", rng.randrange(len(bases) + 1), rng.choice("+-"),
                                                            rng.choice("DA"), rng.randrange(-20, 20))))
                                        for _ in range(rng.randrange(1, 30))])
            options.append(["--splice-scores", "sites.tsv"])
        if ["--target", "t.fa"] in options and rng.random() < 0.3:
            before = (["splice", "--genome", "g.fa", "--save", "index", "-o", "g.idx"],)
            return Job(["splice"], inputs, [*options, ["--index", "g.idx"]], "o", ranks=True, before=before)
    elif rng.random() < 0.1:
        return batch(rng, inputs, options)
    return Job(["splice"], inputs, options, "o", ranks=True)


def signals(rng):
    """Options of --exons auto."""
    return some(rng, ["--junction-weight", (0, 1.5)], ["--junction-cost", (0, 5)], ["--missing-signal", (0, 3)],
                ["--min-donor", (-20, 2)], ["--min-gc-donor", (-20, 2)], ["--min-acceptor", (-20, 2)],
                [("--gc-donors", "--no-gc-donors")], [("--coding", "--any-frame")],
                ["--min-exon", (1, 12)], ["--max-exon", (40, 500)], ["--max-exons", (10, 1000)],
                ["--one-strand"], ["--exact-window"], ["--max-intron", (60, 4000)],
                ["--species", ("vertebrate", "worm", "fly", "plant", "yeast", "fungi")],
                ["--max-loci", range(1, 4)], ["--max-evalue", (0, 1e8)], share=0.15)


def batch(rng, inputs, options):
    """The same case several times over, and with other targets, from one list."""
    word = "protein" if any(o[0] == "--protein" for o in options) else ""
    inputs["cases.txt"] = Text([f"g.fa {rng.choice(('e.tsv', 'auto'))} t.fa {word}".strip()
                                for _ in range(rng.randrange(1, 4))])
    options = [o for o in options if o[0] not in ("--genome", "--exons", "--target", "--protein")]
    return Job(["splice"], inputs, [["--batch", "cases.txt"], *options], "o", ranks=True)


FAMILIES = (dist, fermat, grm, pca, filter_sites, simulate, nj, path, splice)
