"""What the VCF specification allows is read, what it forbids is refused with one line.

The cases are of the classes of the specification's own examples (samtools/hts-specs, test/vcf, 4.1 to 4.5,
passed and failed), named as those files are, with contents of our own. UNREAD are faults of what is not
read, each with its reason: such a file gives the genotypes of one without the fault.
"""
import pathlib

import numpy as np
from program import refuse, run

HEAD = "##fileformat=VCFv4.3\n"
COLUMNS = "#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT a b"
GOOD = "1 100 rs1 C T 30 PASS AC=1 GT 0|0 0|1"
CALLS = [[0], [1]]


def vcf(*records, head=HEAD, columns=COLUMNS, end="\n"):
    """A file of records with blanks for tabs and '_' for blanks."""
    lines = [line.replace(" ", "\t").replace("_", " ") for line in (columns, *records)]
    return head + "\n".join(lines) + end


def site(**fields):
    """GOOD with other fields."""
    names = "chrom pos id ref alt qual filter info format a b".split()
    return " ".join(fields.get(name, old) for name, old in zip(names, GOOD.split()))


def sites(field, *values):
    """A file with a record for each value of a field."""
    return vcf(*(site(**{"pos": str(100 * (i + 1)), field: value}) for i, value in enumerate(values)))


def meta(*lines):
    return vcf(GOOD, head=HEAD + "".join(f"##{line}\n" for line in lines))


def calls_of(text, *options):
    """Genotypes, samples x sites."""
    pathlib.Path("x.vcf").write_text(text)
    run("filter", "x.vcf", "-o", "x.npy", "--all-chr", *options)
    return np.load("x.npy")


PLOIDY = vcf("1 1 . T A 9 PASS . GT:PL 0|0:1,2,3 1|1:4,5,6", "2 1 . T A,C 9 PASS . GT 0|0 0|1|2",
             "X 1 . T A 9 PASS . GT:PL 0:1,2 1|1:4,5,6", "X 2 . T A,C 9 PASS . GT:PL 2:1,2,3 1|2:4,5,6,7,8,9")
SPLIT = ("--multiallelic", "split", "--polyploid", "missing")

# name: the file, what its genotypes are, options
PASSED = {
    "body_chrom": (sites("chrom", "1", "<2>", "1ABC", "1.A", "<1A>", "HLA-A*01:01"), [[0] * 6, [1] * 6]),
    "body_pos": (sites("pos", "0", "1", "123456", "2147483647"), [[0] * 4, [1] * 4]),
    "body_id": (sites("id", "rs1", "rs1;rs2", "abc123.id,456-789", "."), [[0] * 4, [1] * 4]),
    "body_ref": (sites("ref", "C", "CAGT", "N", "c", "R"), [[0] * 5, [1] * 5]),
    "body_alt": (sites("alt", "T", "TGA", ".A", "A.", "<DEL>", "<DUP:TANDEM>", "<INS:ME:SOME2>", "<*>", "*", "]1:100]AGT",
                       "[1:100[AGT", "AGT]1:100]", "AGT[1:100[", ".", "<UNK>", "<odd!\"#$%&'()*+-./;=?@[\\]^`{|}~>"),
                 [[0] * 16, [1] * 16]),
    "body_alt, several": (vcf(site(alt="T,G", a="1|2"), site(alt="T,<*>", b="2/0")), [[1, 1, 0, 0], [1, 0, 0, 1]], *SPLIT),
    "body_qual": (sites("qual", "100", "2e+1", "5.3e-10", "5.75", ".", "Inf", "+Inf", "NaN"), [[0] * 8, [1] * 8]),
    "body_filter": (sites("filter", "PASS", "q10", "q10;dp10", "my-filter", "f1-1;f2", "."), [[0] * 6, [1] * 6]),
    "body_info": (sites("info", ".", "H2", "AC=1;AN=2", "DB;H3;CIGAR=1M", "X=%3B", "AF=0.5,1e-3"), [[0] * 6, [1] * 6]),
    "body_format": (vcf(site(format="GT:GL", a="0|1:-1,-2,-3", b="1|1:-1,-2,-3"), site(format="GT:DP:x.1", a="./.", b="0/1:7")),
                    [[1, -1], [2, 1]]),
    "body_samples": (vcf(GOOD, site(format="GL", a="-1,-2,-3", b="-4,-5,-6"), site(format="DP", a="1", b="4"), site(a="1/0", b=".")),
                     [[0, 1], [1, -1]]),
    "ploidy_001": (PLOIDY, [[0, 0, 0, 0, 0, 2], [2, -1, -1, 2, 1, 1]], *SPLIT),
    "symbolic_duplicates": (vcf(site(alt="<INS>"), site(alt="<INS>")), [[0, 0], [1, 1]]),
    "fileformat_header": (vcf(GOOD), CALLS),
    "fileformat_header, other versions": (vcf(GOOD, head="##fileformat=VCFv4.1\n"), CALLS),
    "meta_alt": (meta('ALT=<ID=DEL:ME,Description="a, b">'), CALLS),
    "meta_assembly": (meta("assembly=ftp://user@host:8080/path/to/a.fastq"), CALLS),
    "meta_contig": (meta("contig=<ID=1>", 'contig=<ID=u,species="Homo sapiens",URL=ftp://host/x>', "contig=<length=9,ID=2>"), CALLS),
    "meta_filter, format, info": (meta('FILTER=<ID=q10,Description="low">', 'FORMAT=<ID=GT,Number=1,Type=String,Description="g">',
                                       'INFO=<ID=AC,Number=A,Type=Integer,Description="with \\"quotes\\" inside">'), CALLS),
    "meta_meta": (meta("META=<ID=Tissue,Number=.,Type=String,Values=[Blood, Colon, ?]>"), CALLS),
    "meta_pedigree": (meta("PEDIGREE=<ID=P2,Name_0=G0,Name_1=G1>", "pedigreeDB=ftp://host/db?arg=1"), CALLS),
    "meta_sample": (meta('SAMPLE=<ID=a,Genomes=G1;G2,Mixture=.3;.7,Description="x;y">'), CALLS),
    "complexfile": (vcf("1 1 rs1 G A 100 PASS AF=0.14;AA=. GT:DS:GL 0|0:0.2:-0.18,-0.47,-2.42 0|1:0.6:-0.48,-0.48,-0.48",
                        "<1> 2 r1;r2 C CTGT 31 FIL.1;q GT=1 GT:DS:GL 1|1:1.7:-5,-0.6,-0.1 .|.:.:.",
                        head=HEAD + "##reference=GRCh37\n##source_1.4=x -c A,B\n"), [[0, 2], [1, -1]]),
    "zero_length_LAA": (vcf(site(format="GT:LAA:LEC", a="0|1::", b="1|1:1:1"), site(format="GT:LAA:LEC", a="0|1", b="1/1:.:"), end=""),
                        [[1, 1], [2, 2]]),
}

# name: the file, words of the line
FAILED = {
    "body_alt_001, white space": (sites("alt", "A_T"), "has a space"),
    "body_alt_002, a comma too many": (sites("alt", "A,,T"), "ALT has an empty allele"),
    "body_alt_002, at the end": (sites("alt", "A,"), "ALT has an empty allele"),
    "body_alt_002, at the beginning": (sites("alt", ",A"), "ALT has an empty allele"),
    "body_alt, empty": (sites("alt", ""), "REF or ALT is empty"),
    "body_chrom_002, white space": (sites("chrom", "chr_1"), "has a space"),
    "body_chrom, empty": (sites("chrom", ""), "CHROM is empty"),
    "body_columns, blanks for tabs": (vcf(GOOD.replace(" ", "_")), "expected 11 columns"),
    "body_columns, one too few": (vcf(GOOD[:-4]), "expected 11 columns"),
    "body_columns, one too many": (vcf(GOOD + " 0|0"), "expected 11 columns"),
    "body_format_002, GT is not first": (vcf(site(format="GS:GT:GL", a="0|0:0.000:-1", b="0|0:0.000:-1")), "'0.000' is no genotype"),
    "body_format_006, GT misses an allele": (vcf(site(a="0/|1")), "'0/|1' is no genotype"),
    "body_id_000, white space": (sites("id", "rs1807_id34498"), "has a space"),
    "body_pos_000, missing": (sites("pos", "."), "POS: expected a whole number from 0 on"),
    "body_pos_001, letters": (sites("pos", "123abc"), "POS: expected a whole number from 0 on"),
    "body_pos_002, negative": (sites("pos", "-1"), "POS: expected a whole number from 0 on"),
    "body_ref_000, several alleles": (sites("ref", "C,A"), "REF has several alleles"),
    "body_ref, empty": (sites("ref", ""), "REF or ALT is empty"),
    "body_sample_000, no number": (vcf(site(a="1/C")), "sample a: '1/C' is no genotype"),
    "body_sample_001, an allele out of range": (vcf(site(a="0/2")), "sample a: '0/2' names an allele"),
    "body_sample_002, no genotype": (vcf(site(format="GT:GS", a="0.000:0.000", b="0/0:1")), "'0.000' is no genotype"),
    "body_sample_011, names twice": (vcf(GOOD, columns=COLUMNS.replace(" b", " a")), "'a' appears twice"),
    "fileformat_000, empty": (vcf(GOOD, head="##fileformat=\n"), "expected ##fileformat=VCFv4.2"),
    "fileformat_001, white space": (vcf(GOOD, head="##fileformat=VCF v4.3\n"), "got 'VCF v4.3'"),
    "header_000, another column": (vcf(GOOD, columns=COLUMNS.replace("POS", "POSITION")), "name the columns"),
    "header_001, FORMAT without samples": (vcf(columns=COLUMNS[:-4]), "no samples"),
    "header, none": (HEAD + GOOD.replace(" ", "\t") + "\n", "name the columns"),
    "header, cut": (HEAD + "##source=x\n", "ends without the line of column names"),
    "meta_002, a line break": (vcf(GOOD, head=HEAD + '##ALT=<ID=DEL,Description="with\nline break">\n'), "name the columns"),
    "no_newline, in a call": (vcf(GOOD[:-1], end=""), "is no genotype"),
    # Files of the specification that pass there and have no genotypes.
    "passed_fileformat_header_000, sites only": (vcf(columns=COLUMNS[:-11]), "no samples: expected genotypes, got sites only"),
    "passed_fileformat_header_001, no sites": (vcf(), "expected at least one site, got 0"),
    "passed, GT in no record": (vcf(site(format="LAA:LEC", a=":", b="1:1")), "no GT in FORMAT"),
}

NAMES = "names are compared, not understood"
SYMBOLS = "alleles are counted; their letters are read by --snps-only just-acgt alone"
ORDER = "counts do not depend on the order of records, nor on a record that is there twice"
FILTER = "FILTER is read by --var-filter alone, name by name"
FORMAT = "of FORMAT and the samples' fields only GT is read"
META = "of the header's lines only ##fileformat, the names of ##contig and the columns are read"
INFO = "INFO is not read"

# name: the file, its genotypes, why it is not refused
UNREAD = {
    "body_alt_000, no base": (sites("alt", "R"), CALLS, SYMBOLS),
    "body_alt_003, brackets in a symbol": (sites("alt", "<INS>BLAH>"), CALLS, SYMBOLS),
    "body_alt_005, a breakend without bases": (sites("alt", "[1:100["), CALLS, SYMBOLS),
    "body_ref_001, no base": (sites("ref", "B"), CALLS, SYMBOLS),
    "body_ref_002, missing": (sites("ref", "."), CALLS, SYMBOLS),
    "body_chrom_000, 001, 003, 004": (sites("chrom", "<1", "chr:1", "chr,1", "chr*1"), [[0] * 4, [1] * 4], NAMES),
    "body_id_001, 002, semicolons": (sites("id", ";rs1", "rs1;"), [[0] * 2, [1] * 2], NAMES),
    "body_contiguous": (vcf(GOOD, site(chrom="2", a="1|1"), site(pos="200")), [[0, 2, 0], [1, 1, 1]], ORDER),
    "body_unsorted": (vcf(site(pos="1400", a="1|1"), GOOD), [[2, 0], [1, 1]], ORDER),
    "body_duplicated": (vcf(GOOD, GOOD), [[0, 0], [1, 1]], ORDER),
    "body_qual_000, 001": (sites("qual", "quality", "-100"), [[0] * 2, [1] * 2], "QUAL is read by --var-min-qual alone"),
    "body_filter": (sites("filter", "q10;.", "PASS;", ";PASS", "my_filter", "q12;0;h56"), [[0] * 5, [1] * 5], FILTER),
    "body_format_000, empty": (vcf(site(format="GT::GL", a="0|0:1:2", b="0|1:1:2")), CALLS, FORMAT),
    "body_format_001, 003, 007, letters": (vcf(site(format="GT:G_S:G*S:G%3AS")), CALLS, FORMAT),
    "body_format_005, twice": (vcf(site(format="GT:GL:GL", a="0|0:1:1", b="0|1:1:1")), CALLS, FORMAT),
    "body_sample_003, a field too many": (vcf(site(format="GT:GS", a="0|0:1:extra")), CALLS, FORMAT),
    "body_sample_004 to 010, numbers and types": (vcf(site(format="GT:DS:AL", a="0|0:0.05,0.1:x", b="0|1:my-string:1,2,3")), CALLS, FORMAT),
    "body_samples_ploidy, PL of another ploidy": (vcf(site(format="GT:PL", a="0|0:1,2")), CALLS, FORMAT),
    "body_info": (sites("info", "", "AC=1_2", ";AC=1", "AC=1;AC=2", "AC=x", "=1", "END=99999999999"), [[0] * 7, [1] * 7], INFO),
    "body_no_newline": (vcf(GOOD, end=""), CALLS, "editors leave it out; a plain-text file cut between two calls cannot be told from it"),
    "meta_000, no key": (meta("Some random plain text"), CALLS, META),
    "meta_001, 008, quotation marks": (meta('ALT=<ID=D,Description="a "quote">', 'INFO=<ID=D,Description="no end>'), CALLS, META),
    "meta_003 to 007, 009": (meta("reference=", "ALT=<>", "FORMAT=ID", "INFO=<ID=1,Number=x,Type=None>"), CALLS, META),
    "meta_alt, assembly, contig, format, info, pedigree, sample": (
        meta("ALT=<ID=FOO>", "assembly=no url", "contig=<ID=a,b>", "FORMAT=<ID=GT,Number=7,Type=Flag>", "INFO=<Number=1>",
             "PEDIGREE=<x>", "pedigreeDB=<1>", "SAMPLE=<Genomes=G1>"), CALLS, META),
}


def what_the_specification_passes_is_read():
    for name, (text, wanted, *options) in PASSED.items():
        found = calls_of(text, *options)
        assert found.tolist() == wanted, f"{name}: {found.tolist()}"


def what_it_fails_is_refused_with_one_line():
    for name, (text, words) in FAILED.items():
        pathlib.Path("x.vcf").write_text(text)
        refuse("filter", "x.vcf", "-o", "y.npy", "--all-chr", says=["x.vcf" if "expected at least" not in words else "", words])


def faults_of_what_is_not_read_change_nothing():
    for name, (text, wanted, reason) in UNREAD.items():
        found = calls_of(text)
        assert found.tolist() == wanted, f"{name} ({reason}): {found.tolist()}"


def what_an_option_reads_is_refused_with_it():
    pathlib.Path("x.vcf").write_text(sites("qual", "quality"))
    refuse("filter", "x.vcf", "-o", "y.npy", "--var-min-qual", "1", says="QUAL: expected a number")
    assert calls_of(sites("filter", "my_filter", "PASS", "0"), "--var-filter").tolist() == [[0], [1]]
    assert calls_of(sites("ref", "B", "C"), "--snps-only", "just-acgt").tolist() == [[0], [1]]


print(f"{len(PASSED)} passed, {len(FAILED)} failed, {len(UNREAD)} unread")
