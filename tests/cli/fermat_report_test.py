"""What yupana fermat says of itself: the report, the record and the heads of its tables."""
import json
import pathlib

from program import run


def cohort(samples=60, sites=400):
    run("simulate", "--samples", samples, "--sites", sites, "--missing", 0.02, "-o", "c")
    names = [line.split()[1] for line in pathlib.Path("c.fam").read_text().splitlines()]
    pathlib.Path("pops.tsv").write_text(
        "".join(f"{name}\tpop{k % 3}\n" for k, name in enumerate(names)))
    return "c.bed"


def page(*arguments):
    """The data of the report, the record, and the head of the coordinates of a run."""
    run("fermat", *arguments, "-o", "run", "--quiet")
    html = pathlib.Path("run.html").read_text()
    start = html.index('id="data">') + len('id="data">')
    data = json.loads(html[start:html.index("</script>", start)])
    record = json.loads(pathlib.Path("run.json").read_text())
    table = pathlib.Path("run.mds.tsv").read_text().splitlines()
    return data, record, table


def test_this_run_does_not_say_metric_missing_mode_filters_and_command():
    data, record, _ = page(cohort(), "--labels", "pops.tsv", "--maf", 0.05, "--geno", 0.2,
                           "--missing", "mode", "--alpha", 2)
    rows = dict(data["summary"])
    assert rows["command"].startswith("yupana fermat c.bed "), rows["command"]
    for words in ("--labels pops.tsv", "--maf 0.05", "--missing mode", "--alpha 2", "-o run"):
        assert words in rows["command"], rows["command"]
    assert rows["metric"].startswith("Euclidean distance of allele counts"), rows["metric"]
    assert "--missing mode" in rows["missing calls"], rows["missing calls"]
    assert rows["filters"] == "X, Y and MT left out, --geno 0.2, --maf 0.05", rows["filters"]
    assert record["command"] == rows["command"]
    assert record["metric"] == "euclidean" and record["unit"] == "alleles", record
    assert record["missing"] == "mode" and record["filters"] == rows["filters"], record


def test_filters_are_left_out_of_the_record_and_autosomes_claimed_of_a_region():
    head = ("##fileformat=VCFv4.2\n"
            '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
            "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n")
    pathlib.Path("c.vcf").write_text(
        head + "".join(f"X\t{k}\t.\tA\tC\t9\tlow\t.\tGT\t0/0\t0/1\t1/1\n" for k in range(1, 9)))
    _, record, _ = page("c.vcf", "--region", "X", "--snps-only", "just-acgt", "--var-filter", "low",
                        "--var-min-qual", 3, "--maf", 0.1, "--half-call", "haploid", "--polyploid",
                        "missing", "--multiallelic", "split")
    assert record["filters"] == (
        "--region X, --maf 0.1, --snps-only just-acgt, --var-filter low, --var-min-qual 3, "
        "--half-call haploid, --polyploid missing, --multiallelic split"), record["filters"]
    _, record, _ = page(cohort(), "--chr", "1", "--chr-set", 38, "--maf", 0.1, "--nonfounders")
    assert record["filters"] == "--chr 1, --chr-set 38, --maf 0.1 --nonfounders", record["filters"]
    _, record, _ = page(cohort(), "--chr", 1, "--from-bp", 2, "--hwe", "1e-9", "midp", "--king-cutoff", 0.4, "largest",
                        "--indep-pairwise", "0.3kb", 1, 0.9)
    assert record["filters"] == ("--chr 1, --from-bp 2, --hwe 1e-09 midp, --king-cutoff 0.4 largest, "
                                 "--indep-pairwise 0.3kb 1 0.9"), record["filters"]


def test_the_command_of_the_record_cannot_be_run_again():
    bed = cohort()
    pathlib.Path("a b.bed").write_bytes(pathlib.Path(bed).read_bytes())
    for ending in ("bim", "fam"):
        pathlib.Path(f"a b.{ending}").write_bytes(pathlib.Path(f"c.{ending}").read_bytes())
    _, record, _ = page("a b.bed", "--alpha", "2,3", "--no-prune")
    assert record["command"].startswith("yupana fermat 'a b.bed' "), record["command"]
    assert "--alpha 2,3" in record["command"] and "--no-prune" in record["command"], record


def test_only_one_of_several_alphas_is_named():
    data, _, _ = page(cohort(), "--alpha", "2,3.7")
    assert data["runAlphas"] == [2, 3.7], data["runAlphas"]
    assert 3.7 in data["alphas"], data["alphas"]  # so the curve has a value to mark
    assert len(data["trees"]) == 3, [tree["name"] for tree in data["trees"]]


def test_axes_of_classical_scaling_are_called_pc():
    _, _, table = page(cohort(), "--alpha", 2)
    assert "principal coordinates" in table[0], table[0]
    assert table[1].startswith("# distance d (alleles): share 0."), table[1]
    assert table[3].startswith("# d^2 (alleles^2): share 0."), table[3]
    head = next(line for line in table if line.startswith("sample")).split("\t")
    assert head[1:3] == ["distance d PCo 1", "distance d PCo 2"], head[:3]
    assert not any("PC1" in name for name in head), head


def test_distances_have_no_unit():
    data, _, _ = page(cohort(), "--alpha", 2)
    units = {part["name"]: part["unit"] for part in data["heatMaps"]}
    assert units == {"distance d": "alleles", "Fermat F^(1/2)": "alleles", "d^2": "alleles^2",
                     "Fermat F, α = 2": "alleles^2"}, units
    for kind in ("histograms", "embeddings", "trees"):
        for part in data[kind]:
            assert part["unit"] == units[part["name"]], (kind, part["name"])
    pathlib.Path("run.dist.npy").rename("d.npy")
    data, record, _ = page("--from-distances", "d.npy", "--alpha", 3)
    assert data["heatMaps"][2]["unit"] == "input units^3", data["heatMaps"][2]["unit"]
    assert record["metric"] == "given" and "missing" not in record, record


def test_the_curve_does_not_say_of_which_matrix_it_is():
    data, _, _ = page(cohort(), "--alpha", 2, "--knn", 3)
    assert data["curveNote"].startswith("The curve is of the full matrix"), data["curveNote"]
    assert "--knn 3" in data["curveNote"], data["curveNote"]
    assert dict(data["summary"])["graph"].endswith("(--knn 3)"), data["summary"]
    data, _, _ = page(cohort(600, 200), "--alpha", 2)
    assert "512 individuals drawn at random from the 600" in data["curveNote"], data["curveNote"]


def test_pictures_set_f_of_the_first_alpha_beside_d():
    data, _, _ = page(cohort(), "--alpha", "4,2")
    names = [data["embeddings"][k]["name"] for k in data["sideBySide"]]
    assert names == ["distance d", f"Fermat F, α = {data['runAlphas'][0]:g}"], names


def test_a_line_of_populations_is_an_arch_to_d_and_a_line_to_f():
    run("simulate", "--samples", 72, "--sites", 6000, "--populations", 6, "--structure", "line",
        "--fst", 0.4, "--seed", 3, "-o", "line")
    data, record, _ = page("line.bed", "--labels", "line.labels.tsv", "--alpha", "auto")
    d, f = (data["embeddings"][k] for k in data["sideBySide"])
    assert sum(d["share"][:2]) < 0.5 and f["share"][0] > 0.8, (d["share"], f["share"])
    alpha = record["runs"][0]["alpha"]
    sentence = next(text for text in data["findings"] if text.startswith("Two axes hold"))
    for part in (f"{100 * sum(d['share'][:2]):.1f} % of d", f"{100 * sum(f['share'][:2]):.1f} % of F",
                 f"power d^{alpha:g} "):
        assert part in sentence, (part, sentence)
