"""Names of samples that have several parts, FID, IID and SID, and names with blanks in them."""
import pathlib
import re
import shutil
import subprocess

from program import helper, put, refuse, run

PARTS = {"FID IID SID": ["f{f} i{i} v{v}", "0 i{n} x{n}", "f{f} i{n} 0"], "IID SID": ["i{i} v{v}"]}


@helper
def cohort(columns, line, name="c"):
    """Eight samples of a .pgen that are named so; returns their names, with tabs."""
    run("simulate", "--samples", 8, "--sites", 60, "--format", "pgen", "-o", name)
    names = [line.format(f=n // 4, i=n // 2, v=n % 2, n=n).replace(" ", "\t") for n in range(8)]
    put(f"{name}.psam", "#" + columns.replace(" ", "\t") + "\tSEX\n" + "".join(f"{n}\tNA\n" for n in names))
    return names


def lines(path):
    return [line.split("\t") for line in pathlib.Path(path).read_text().splitlines()]


def second_ids_were_left_out_of_tables_that_plink2_writes_them_to():
    for columns, all_of in PARTS.items():
        for line in all_of:
            names = cohort(columns, line)
            run("pca", "c.pgen", "--components", 2, "-o", "c")
            run("dist", "c.pgen", "--make-king-table", "-o", "c")
            parts = columns.split()
            head, *rows = lines("c.eigenvec")
            assert head == ["#" + parts[0], *parts[1:], "PC1", "PC2"], head
            assert ["\t".join(row[:-2]) for row in rows] == names, rows
            head, *rows = lines("c.kin0")
            assert head[:len(parts)] == ["#" + parts[0] + "1", *(p + "1" for p in parts[1:])], head
            if shutil.which("plink2") is None:
                continue
            theirs = subprocess.run(["plink2", "--pfile", "c", "--make-king-table", "--out", "p"], capture_output=True, text=True)
            if "Duplicate sample ID" in theirs.stderr:  # the PLINK 2 of Debian 13 takes no second IDs
                continue
            assert theirs.returncode == 0, theirs.stderr
            columns_of_names = 2 * len(parts)
            theirs = [row[:columns_of_names] for row in lines("p.kin0")]
            assert [row[:columns_of_names] for row in [head, *rows]] == theirs, (head, theirs[0])


def samples_that_second_ids_alone_tell_apart_had_one_line_in_plinks_and_gctas_lists():
    cohort("FID IID SID", "f{f} i{i} v{v}")
    run("dist", "c.pgen", "--distance", "square", "1-ibs", "-o", "c")
    run("grm", "c.pgen", "-o", "c")
    wanted = [[f"f{n // 4}", f"i{n // 2}_v{n % 2}"] for n in range(8)]
    assert lines("c.mdist.id") == lines("c.grm.id") == wanted, lines("c.mdist.id")
    run("nj", "c.mdist", "-o", "c.nwk")
    assert all(name in pathlib.Path("c.nwk").read_text() for _, name in wanted)
    # Where the pairs differ they are as the .psam has them.
    cohort("FID IID SID", "f{f} i{n} v{v}")
    run("grm", "c.pgen", "-o", "c")
    assert lines("c.grm.id")[3] == ["f0", "i3"]


def a_list_of_kept_samples_took_the_first_of_those_that_share_family_and_individual():
    cohort("FID IID SID", "f{f} i{i} v{v}")
    for line in ("f0 i0 v1", "f0\ti0\tv1", "f0_i0_v1"):
        run("dist", "c.pgen", "--keep", put("keep", f"#FID IID SID\n{line}\nf1 i2 v0\n"), "-o", "c")
        assert lines("c.ids") == [["f0_i0_v1"], ["f1_i2_v0"]], lines("c.ids")
    for line in ("f0 i0", "i0"):
        refuse("dist", "c.pgen", "--keep", put("keep", f"{line}\n"), "-o", "c",
               says=f"keep:1: several samples are '{line}'; write FID, IID, SID")
    cohort("IID SID", "i{i} v{v}")
    run("dist", "c.pgen", "--remove", put("keep", "i0 v1\n"), "-o", "c")
    assert ["i0_v1"] not in lines("c.ids") and len(lines("c.ids")) == 7


def labels_of_second_ids_were_of_the_first_sample_or_of_none():
    for columns, line in (("FID IID SID", "f{f} i{i} v{v}"), ("IID SID", "i{i} v{v}")):
        names = cohort(columns, line)
        put("pops", columns.replace(" ", "\t") + "\tPOP\n" + "".join(f"{n}\t{'AB'[k % 2]}\n" for k, n in enumerate(names)))
        run("fermat", "c.pgen", "--labels", "pops", "-o", "c")
        given = re.findall(r'key="label">(.)<', pathlib.Path("c.graphml").read_text())
        assert given == ["A", "B"] * 4, given
        put("pops", "i0\tA\ni1\tB\n")
        refuse("fermat", "c.pgen", "--labels", "pops", "-o", "d", says="pops:1: names several samples; name one in columns")


def a_blank_between_family_and_individual_of_a_table_of_tabs_was_not_named():
    cohort("FID IID", "f{f} i{n}")
    put("pops", "".join(f"f{n // 4} i{n}\t{'AB'[n % 2]}\n" for n in range(8)))
    refuse("fermat", "c.pgen", "--labels", "pops", "-o", "o",
           says="or family and individual in the first two, and tabs between all columns, as between two of them, not blanks")
    put("pops", pathlib.Path("pops").read_text().replace(" ", "\t"))
    run("fermat", "c.pgen", "--labels", "pops", "-o", "o")


def names_with_blanks_made_two_fields_of_a_line_of_plink():
    run("simulate", "--samples", 6, "--sites", 50, "--format", "vcf", "-o", "c")
    text = pathlib.Path("c.vcf").read_text()
    head = next(line for line in text.splitlines() if line.startswith("#CHROM"))
    cells = head.split("\t")
    put("c.vcf", text.replace(head, "\t".join([*cells[:9], "a b", *cells[10:]])))
    refuse("dist", "c.vcf", "--distance", "square", "-o", "o", says=["sample 'a b': PLINK's .id is cut at blanks", "rename"])
    refuse("grm", "c.vcf", "-o", "o", says=["sample 'a b': GCTA's .grm.id is cut at blanks", ".npy alone"])
    run("grm", "c.vcf", "--format", "npy", "-o", "o")
    for command, ending in ((("dist", "--make-king-table"), ".kin0"), (("pca", "--components", 1), ".eigenvec")):
        said = run(command[0], "c.vcf", *command[1:], "-o", "o").stderr
        assert f"note: o{ending}: cut it at tabs alone, as PLINK and GCTA do not: some names have blanks, one is 'a b'" in said, said
    # A list between tabs, as such a program wrote it, is read back as it is.
    put("d.mdist", "0\t1\t2\n1\t0\t3\n2\t3\t0\n")
    put("d.mdist.id", "f 1\ta b\nf 1\tc\ng\td\n")
    run("nj", "d.mdist", "-o", "d.nwk")
    assert "'a b'" in pathlib.Path("d.nwk").read_text()


def a_blank_between_tabs_moved_the_columns_after_it():
    run("simulate", "--samples", 4, "--sites", 20, "-o", "c")
    run("simulate", "--samples", 4, "--sites", 20, "--format", "pgen", "-o", "p")
    for file, line, column in (("c.fam", 1, 1), ("c.bim", 2, 1), ("p.psam", 2, 0)):
        text = pathlib.Path(file).read_text().splitlines(keepends=True)
        cells = text[line - 1].split("\t")
        changed = "\t".join([*cells[:column], "a b", *cells[column + 1:]])
        put(file, "".join([*text[:line - 1], changed, *text[line:]]))
        refuse("dist", "c.bed" if file[0] == "c" else "p.pgen", "-o", "o",
               says=f"{file}:{line}: has a blank inside a column between tabs")
        put(file, "".join(text))
    # Blanks and tabs between six columns, and blanks after them, are PLINK's own.
    put("c.fam", "a 1\t0\t0\t1\t-9\na\t2 0 0 2\t-9\na\t3\t0\t0\t1\t-9\tbig one\na 4 0 0 1 -9\n")
    run("dist", "c.bed", "-o", "o")
