"""Advice that was refused where it was followed, and names that other programs could not read."""
import bz2
import gzip
import lzma
import pathlib
import shutil
import subprocess
import tarfile

import numpy as np
from program import answer, files, helper, notes, put, refuse, run


def a_number_that_wraps_was_to_be_read_as_a_float_that_does_not():
    for number in (10**20, "1.5", "1e3", "inf"):
        put("x.txt", f"{number}\n2\n")
        for command in ("scan", "reduce"):
            said = refuse(command, "x.txt", "--type", "i8", "--wrap", "-o", "o.txt", says="give --type f8 without --wrap")
            assert "give --type f8" in refuse(command, "x.txt", "--type", "i8", "-o", "o.txt").stderr
            assert "without --wrap" not in refuse(command, "x.txt", "--type", "i8", "-o", "o.txt").stderr, said
    put("x.txt", f"{10**20}.\n2\n")
    run("scan", "x.txt", "--type", "f8", "-o", "o.txt")


def a_number_in_another_notation_was_to_be_left_out_as_a_line_of_names():
    for number in ("0x10", "1_000", "12O", "-.5.5"):
        put("x.txt", f"{number}\n2\n")
        said = refuse("reduce", "x.txt", says=f"got '{number}'; write all of it in decimal digits").stderr
        assert "names" not in said, said
    put("x.txt", "time\n2\n")
    refuse("reduce", "x.txt", says="leave a line of names out")


def a_column_of_columns_or_of_a_model_was_to_be_ignored():
    put("ok.csv", "a,b,y\n1,2,p\n5,3,q\n2,4,p\n")
    run("tree", "fit", "ok.csv", "--label", "y", "-o", "t")
    run("som", "fit", "ok.csv", "--ignore", "y", "--rows", 2, "--cols", 2, "-o", "s")
    for cell, says in (("1e400", "is beyond the range of float"), (2**53 + 1, "is an integer beyond 2^53"), ("", "missing")):
        put("t.csv", f"a,b,y\n1,2,p\n{cell},3,q\n2,4,p\n")
        tree = ("tree", "fit", "t.csv", "--label", "y", "-o", "x")
        som = ("som", "fit", "t.csv", "--rows", 2, "--cols", 2, "-o", "x")
        if cell:
            refuse(*tree, says=[says, "leave the column out with --ignore"])
            refuse(*tree, "--columns", "a", "b", says=[says, "leave the column out of --columns"])
            refuse("tree", "predict", "t.json", "t.csv", "-o", "x", says=[says, "leave the row out"])
        if isinstance(cell, str):
            refuse(*som, "--columns", "a", "b", says=[says, "leave the column out of --columns"])
            refuse(*som, "--id", "y", says=[says, "leave the column out with --ignore"])
            said = refuse("som", "apply", "s.json", "t.csv", "-o", "x", says=says).stderr
            assert "the row" in said and "column out" not in said, said
        run(*tree, "--columns", "b")
        run(*tree, "--ignore", "a")
        run(*som, "--columns", "b")
    put("t.csv", "a,b,y\n1,x,p\n5,3,q\n2,4,p\n")
    said = refuse("tree", "fit", "t.csv", "--label", "y", "--columns", "a,b", "-o", "x", says="leave it out of --columns").stderr
    assert "--id" not in said and "--ignore" not in said, said
    run("tree", "fit", "t.csv", "--label", "y", "--columns", "a,b", "--categorical", "b", "-o", "x")
    np.save("t.npy", np.array([[1, 2**53 + 1], [2, 3]]))
    refuse("tree", "fit", "t.npy", "--label", 1, "-o", "x", says="leave the column out with --ignore")
    refuse("tree", "fit", "t.npy", "--label", 1, "--columns", 2, "-o", "x", says="leave the column out of --columns")


def a_label_and_an_index_that_no_double_equals_were_columns_to_leave_out():
    put("t.csv", f"a,y\n1,{2**53 + 1}\n5,3\n2,4\n")
    refuse("tree", "fit", "t.csv", "--label", "y", "--regression", "-o", "x", says="leave the row out")
    put("t.libsvm", f"1 1:2 2:{2**53 + 1}\n0 1:3\n")
    refuse("tree", "fit", "t.libsvm", "--label", "label", "-o", "x", says="leave the row out")


def one_point_had_neighbors_from_1_to_0():
    np.save("p.npy", np.zeros((1, 2)))
    refuse("closest", "p.npy", "--neighbors", 1, says="expected at least 2 points, got 1")
    np.save("q.npy", np.zeros((3, 2)))
    refuse("closest", "q.npy", "--neighbors", 3, says="expected k of 1 to 2")
    run("closest", "q.npy", "--queries", "p.npy", "--neighbors", 3)


def an_infinite_coefficient_was_of_no_file_and_counted_from_0():
    put("a.txt", "1\n2\n")
    for number, name in (("inf", "inf"), ("nan", "nan"), ("-inf", "-inf")):
        put("b.txt", f"# b\n1\n{number}\n")
        for names in (("a.txt", "b.txt"), ("b.txt", "a.txt")):
            refuse("polymul", *names, "-o", "o.txt", says=f"b.txt: expected finite numbers, got {name} as number 2")


def keys_without_an_output_had_an_empty_name():
    put("x.txt", "1\n2\n")
    refuse("reduce", "x.txt", "--by", "x.txt", status=2, says="expected -o FILE.tsv, for lines of key and total, got none")


def a_value_of_a_matrix_was_refused_without_a_reason():
    def refused(field, value, says):
        put("m.mtx", f"%%MatrixMarket matrix coordinate {field} general\n1 1 1\n1 1 {value}\n")
        refuse("trisolve", "m.mtx", says=says)

    refused("real", "1e400", "got '1 1 1e400'; 1e400 is beyond what a double holds")
    refused("real", "1.5D2", "; write exponents with e, as 1.5e2")
    refused("complex", "1 2d0", "; write exponents with e, as 1.5e2")
    refused("integer", 10**20, "; declare the field real")
    refused("integer", 1.5, "; declare the field real")
    refused("real", "", "expected row, column and value, got '1 1 '")
    refused("quaternion", 1, "real, integer, complex and pattern are read")
    put("m.mtx", f"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 {10**20}\n")
    run("trisolve", "m.mtx")


@helper
def cdna(name):
    """A genome and a cDNA of one exon of it, by this name."""
    exon = "ATG" + "GCTGAACTGAAAGGCCACATTCCGTCTGACTGGTTC" * 9 + "TAA"
    put("g.fa", f">chr=1;a,b%20\n{'ACGGTCAT' * 9}{exon}{'TTGACCAG' * 9}\n")
    put("c.fa", f">{name}\n{exon}\n")


def a_cdna_whose_name_begins_as_a_header_made_a_sam_that_nobody_reads():
    for name, says in (("@read1", "'@read1' begins as a line of the header"), ("r" * 255, "have names of 254 letters")):
        cdna(name)
        for words in ("sam", "bam", "sam,bam"):
            refuse("splice", "--genome", "g.fa", "--target", "c.fa", "-o", "x", "--also", words,
                   says=[says, "SAM and BAM", "leave both out of --also"])
        run("splice", "--genome", "g.fa", "--target", "c.fa", "-o", "x")
    cdna("read@1")
    run("splice", "--genome", "g.fa", "--target", "c.fa", "-o", "x", "--also", "sam,bam")
    if shutil.which("samtools"):
        for name in ("x.sam", "x.bam"):
            shown = subprocess.run(["samtools", "view", name], capture_output=True, text=True, check=True).stdout
            assert shown.split("\t")[:3] == ["read@1", "0", "chr=1;a,b%20"], shown


def sequences_of_gtf_had_the_names_of_gff3_which_no_reader_of_gtf_decodes():
    cdna("t=1,2")
    run("splice", "--genome", "g.fa", "--target", "c.fa", "-o", "x", "--also", "gtf")
    rows = [line.split("\t") for line in pathlib.Path("x.gtf").read_text().splitlines()]
    assert {row[0] for row in rows} == {"chr=1;a,b%20"} and 'gene_name "t=1,2";' in rows[0][8], rows
    run("splice", "--genome", "g.fa", "--target", "c.fa", "--exons", "x.gtf", "-o", "y")
    assert pathlib.Path("x.gff3").read_text().splitlines()[2].startswith("chr%3D1%3Ba%2Cb%2520\t")
    cdna('t"1;2')
    run("splice", "--genome", "g.fa", "--target", "c.fa", "-o", "x", "--also", "gtf")
    assert 'gene_name "t%221%3B2"; identity' in pathlib.Path("x.gtf").read_text()


def answers_for_programs_had_no_files_and_no_seconds():
    put("x.txt", "1\n2\n")
    put("p.csv", "1,2\n3,4\n5,7\n")
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n")
    for command in (("scan", "x.txt"), ("sort", "x.txt"), ("merge", "x.txt"), ("reduce", "x.txt"), ("fft", "x.txt"),
                    ("polymul", "x.txt", "x.txt"), ("trisolve", "m.mtx")):
        said = answer(*command, "-o", "o.txt")
        assert said["files"] == ["o.txt"] == [said["out"]] and said["stages"], said
    for options in ((), ("--neighbors", 1)):
        said = answer("closest", "p.csv", *options, "-o", "o.tsv")
        assert said["files"] == ["o.tsv"] and said["stages"], said
    assert "files" not in answer("reduce", "x.txt")
    assert answer("scan", "x.txt", "-o", "/dev/null")["files"] == []
    assert run("scan", "x.txt", "-o", "o.txt").stdout == "2 numbers (f8) in o.txt\n"
    assert not notes("scan", "x.txt", "-o", "o.txt")


def a_file_of_another_compression_was_damaged_or_to_be_stripped_of_its_line_ends():
    text = b"a,b,y\n" + b"".join(b"%d,%d,%s\n" % (i, i * i % 7, b"pq"[i % 2:][:1]) for i in range(50))
    with tarfile.open("t.tar.gz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("t.csv"))
    put("t.bz2", bz2.compress(text))
    put("t.xz", lzma.compress(text))
    for name, says in (("t.bz2", "got a bzip2 file; unpack it (bunzip2)"), ("t.xz", "got an xz file; unpack it (unxz)"),
                       ("t.tar.gz", "got a tar archive; unpack it first")):
        for command in (("sort", name, "-o", "o"), ("sort", name, "--key", 1, "-o", "o"), ("fft", name, "-o", "o"),
                        ("closest", name), ("trisolve", name), ("tree", "fit", name, "--label", "y", "-o", "o"),
                        ("som", "fit", name, "--rows", 1, "--cols", 2, "-o", "o"),
                        ("splice", "--genome", name, "--target", name, "-o", "o")):
            refuse(*command, says=[f"{name}: expected text, {says}"])
    for name in ("1AY&SY", "BZh91AY", "7zXZ", "PAR1"):  # texts of such letters
        put("x.csv", f"{name},b\n1,2\n3,5\n")
        run("sort", "x.csv", "--key", name, "-o", "o.csv")


def a_list_of_places_in_the_region_par1_was_called_a_parquet_file():
    run("simulate", "--samples", 9, "--sites", 20, "-o", "c")
    put("par.bed", "PAR1\t0\t2699520\n" + "".join(f"{c}\t0\t300000000\n" for c in range(1, 23)))
    run("dist", "c.bed", "--extract", "bed0", "par.bed", "-o", "d")
    refuse("dist", "c.bed", "--extract", put("p.txt", b"PAR1\x15\x04\x15\x00"), "-o", "e", says="got a Parquet file")


def bed_with_points_for_names_lost_its_strands_and_first_bases_in_silence():
    cdna("t")
    first = 73
    last = first + len(pathlib.Path("c.fa").read_text().split()[1]) - 1
    given = ("splice", "--genome", "g.fa", "--target", "c.fa", "-o", "x", "--exons")
    for name in (".", "1", "+"):
        bed = f"chr=1;a,b%20\t{first - 1}\t{last}\t{name}\t0\t+\n"
        for words in (put("b.txt", bed), "-"):
            refuse(*given, words, says=["got '+' in column 6, where BED has the strand", "ends in .bed"],
                   input=bed if words == "-" else None)
        for file in ("b.bed", "b.BED", "b.bed.gz"):
            run(*given, put(file, gzip.compress(bed.encode()) if file.endswith("gz") else bed))
            assert pathlib.Path("x.tsv").read_text().split("\n")[1].split("\t")[9] == f"{first}-{last}"
    run(*given, put("e.txt", f"chr=1;a,b%20\t{first}\t{last}\t+\tmore\tand more\n"))


def nodes_of_another_dimension_than_their_distances_were_taken_in_silence():
    for kind, dimensions, given in (("EUC_2D", 2, "1 2 3"), ("CEIL_2D", 2, "1"), ("EUC_3D", 3, "1 2")):
        head = f"NAME: a\nTYPE: TSP\nEDGE_WEIGHT_TYPE: {kind}\nNODE_COORD_SECTION\n"
        put("a.tsp", f"{head}1 {given}\n2 {given}\nEOF\n")
        refuse("closest", "a.tsp", says=f"a.tsp:5: expected {dimensions} coordinates, as EDGE_WEIGHT_TYPE says, got {len(given.split())}")
        right = " ".join("1" * dimensions)
        put("a.tsp", f"{head}1 {right}\n2 {right}\nEOF\n")
        assert run("closest", "a.tsp").stdout == "0 1 0\n"


def an_empty_cell_was_half_of_a_number_with_a_decimal_comma():
    put("p.csv", "1,\n3,4\n")
    said = refuse("closest", "p.csv", says="expected a finite number, got ''").stderr
    assert "decimal" not in said, said
    put("p.csv", "1,5;2\n2,5;3\n")
    refuse("closest", "p.csv", says="numbers have a decimal point")


def complex_numbers_as_numpy_writes_them_and_names_had_no_advice():
    for text in ("(1+2j)", "1+2j", "1-2i"):
        put("x.txt", f"{text}\n")
        refuse("fft", "x.txt", "-o", "o.txt", says=["expected a number", "real and imaginary part with a blank between"])
    for text in ("signal", "pi", "j"):
        put("x.txt", f"{text}\n1\n")
        refuse("fft", "x.txt", "-o", "o.txt", says="leave a line of names out (tail -n +2)")


def a_matrix_of_another_compression_was_not_square():
    for name, text, says in (("d.phy.bz2", bz2.compress(b"2\na 0 1\nb 1 0\n"), "got a bzip2 file; unpack it (bunzip2)"),
                             ("d.phy.xz", lzma.compress(b"2\na 0 1\nb 1 0\n"), "got an xz file; unpack it (unxz)")):
        refuse("nj", put(name, text), "-o", "o", says=f"{name}: expected text, {says}")
        refuse("fermat", "--from-distances", name, "-o", "o", says=f"{name}: expected text, {says}")
        refuse("polymul", "--digits", "decimal", name, name, "-o", "o", says=f"{name}: expected text, {says}")


def sums_beyond_64_bits_were_to_be_read_as_floats_that_were_refused():
    for command in ("reduce", "scan"):
        put("x.txt", f"{2**63 - 1}\n{2**63 - 1}\n")
        refuse(command, "x.txt", "--type", "i8", "-o", "o.txt",
               says="or write each number with a point (7.) and pass --type f8 if the result may be rounded")
        put("x.txt", f"{2**63 - 1}.\n{2**63 - 1}.\n")
        run(command, "x.txt", "--type", "f8", "-o", "o.txt")
        np.save("x.npy", np.full(2, 2**63 - 1))
        refuse(command, "x.npy", "-o", "o.npy", says="or save the numbers as f8 if the result may be rounded")
        np.save("x.npy", np.full(2, 2**63 - 1).astype("f8"))
        run(command, "x.npy", "-o", "o.npy")


def a_folder_as_o_had_two_codes_and_two_sentences():
    put("x.txt", "1\n2\n")
    pathlib.Path("folder").mkdir()
    for out, in_it in (("folder", "folder/run"), ("folder/", "folder/run"), (".", "./run"), ("..", "../run")):
        refuse("scan", "x.txt", "-o", out, status=2, says=f"{out}: expected the name of a file, got a folder; write {in_it}")
    run("scan", "x.txt", "-o", "folder/run")


def a_plan_of_more_pairs_than_64_bits_count_named_wrong_bytes():
    for command in ("dist", "fermat"):
        for samples in ("9e18", "1e12", 500_000_001):
            refuse("plan", command, "--samples", samples, "--sites", 1000, status=2,
                   says="--samples: expected at most 500000000, whose pairs 64 bits can count, got ")
        assert "EB" in run("plan", command, "--samples", "500M", "--sites", 1000, "--memory", "9E").stdout


def queries_of_other_dimensions_were_said_to_be_the_points():
    put("a.csv", "1,2\n3,4\n")
    put("b.csv", ",".join("123456789") + "\n")
    refuse("closest", "a.csv", "--queries", "b.csv", "--neighbors", 1,
           says="b.csv: neighbors: expected queries of 1 to 8 coordinates, got 9")
    refuse("closest", "b.csv", "--queries", "a.csv", "--neighbors", 1,
           says="b.csv: neighbors: expected points of 1 to 8 coordinates, got 9")


def a_cell_that_is_no_coordinate_had_no_advice():
    for cell, says in (("nan", "leave the row out"), ("NA", "leave the row out"), ("", "leave the row out"),
                       ("a", "choose the columns of coordinates with --columns")):
        put("a.csv", f"{cell},1,2\n3,4,5\n6,7,8\n") if cell != "a" else put("a.csv", "a 1 2\nb 3 4\n")
        refuse("closest", "a.csv", says=f"expected a finite number, got '{cell}'; {says}")


def what_a_plan_does_not_know_was_minus_one():
    run("simulate", "--samples", 9, "--sites", 20, "--format", "vcf", "-o", "c")
    plan = answer("dist", "c.vcf", "--plan")
    assert plan["sites"] is None and plan["pair_sites"] is None, plan
    assert answer("plan", "--samples", 9, "--sites", 20)["sites"] == 20


def a_note_named_an_option_that_was_not_given():
    run("simulate", "--samples", 9, "--sites", 20, "--format", "vcf", "-o", "c")
    chromosome = next(line for line in pathlib.Path("c.vcf").read_text().splitlines() if line[0] != "#").split("\t")[0]
    for given, option in ((("--chr", chromosome, "--from-bp", 1, "--to-bp", 10**9), "--chr"),
                          (("--region", chromosome), "--region")):
        assert f"no index (.tbi or .csi), so {option} reads the whole file" in run("dist", "c.vcf", *given, "-o", "o").stderr


def a_table_of_names_and_numbers_had_1_names():
    put("d.txt", "a\nb 1\nc 2 3\n")
    refuse("nj", "d.txt", "-o", "o", says="d.txt:1: expected a name for each of 2 columns, got 1 name")


def an_equals_sign_after_o_was_the_first_letter_of_a_name():
    put("x.txt", "1\n2\n")
    refuse("scan", "x.txt", "-o=y.txt", status=2, says="-o=y.txt: expected a blank after -o, got '='; write -o y.txt")
    run("scan", "x.txt", "--out=y.txt")
    run("scan", "x.txt", "-o", "./=y.txt")
    assert files() == ["=y.txt", "x.txt", "y.txt"]
