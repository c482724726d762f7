"""Options of read_genotypes: those of the command line, and none ignored without a word."""

import pickle

import numpy as np
import pytest
import yupana
from yupana import genotype

CALLS = np.array([[0, 1, 2, 0], [2, 1, 0, 1], [0, 0, 1, 2]], np.int8)
HEAD = (
    "##fileformat=VCFv4.2\n##contig=<ID=1>\n"
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n"
)


@pytest.fixture
def vcf(tmp_path):
    path = tmp_path / "c.vcf"
    sites = [("A\tC", "9", "PASS"), ("AC\tA", "9", "low"), ("A\t.", "3", "."), ("A\tC,G", "9", "PASS")]
    path.write_text(
        HEAD
        + "".join(
            f"1\t{k}\t.\t{alleles}\t{qual}\t{mark}\t.\tGT\t0/0\t0/1\t1/1\n"
            for k, (alleles, qual, mark) in enumerate(sites, 1)
        )
    )
    return path


@pytest.mark.parametrize(
    ("options", "sites"),
    [
        ({}, 3),
        ({"multiallelic": "split"}, 5),
        ({"multiallelic": "collapse"}, 4),
        ({"snps_only": True}, 2),
        ({"snps_only": "just-acgt"}, 2),
        ({"var_filter": True}, 2),
        ({"var_filter": ["low"]}, 3),
        ({"var_filter": "low"}, 3),
        ({"min_qual": 5.0}, 2),
        ({"region": "chr1:2-3"}, 2),
    ],
)
def test_sites_of_a_vcf_follow_the_options(vcf, options, sites):
    cohort = yupana.read_genotypes(vcf, **options)
    assert cohort.pair_counts().sites == sites
    again = pickle.loads(pickle.dumps(cohort))
    assert (again.to_numpy() == cohort.to_numpy()).all()


def test_species_and_founders_are_those_of_the_command_line(tmp_path):
    (tmp_path / "c.bed").write_bytes(bytes([0x6C, 0x1B, 0x01]) + bytes([0b100011] * 3))
    (tmp_path / "c.bim").write_text("".join(f"{c} r{c} 0 1 A C\n" for c in (1, 23, 39)))
    (tmp_path / "c.fam").write_text("f a 0 0 0 -9\nf b a 0 0 -9\nf c 0 0 0 -9\n")
    path = tmp_path / "c.bed"
    assert genotype.pair_counts(path).sites == 2  # 1 and 39, which is no human chromosome
    assert genotype.pair_counts(path, autosomes=38).sites == 2  # 1 and 23
    assert genotype.pair_counts(path, autosomes=38, all_chromosomes=True).sites == 3
    # Genotypes 0, 2, 1: 3 of 6 alleles, and 1 of 4 over the founders.
    assert genotype.pair_counts(path, min_maf=0.4, nonfounders=True).sites == 2
    with pytest.raises(ValueError, match="no site left"):
        genotype.pair_counts(path, min_maf=0.4)


def test_variants_and_families_are_those_of_the_command_line(tmp_path):
    (tmp_path / "c.bed").write_bytes(bytes([0x6C, 0x1B, 0x01, 0b111110, 0b111111, 0b101010]))
    (tmp_path / "c.bim").write_text("".join(f"1 r{k} 0 {k} A C\n" for k in range(3)))
    (tmp_path / "c.fam").write_text("f a 0 0 0 -9\nf b 0 0 0 -9\ng c 0 0 0 -9\n")
    (tmp_path / "names").write_text("r0 r1\n")
    (tmp_path / "families").write_text("f\n")
    path = tmp_path / "c.bed"  # 1, 0 and 3 copies of A among 6 alleles
    assert genotype.pair_counts(path, min_mac=1).sites == 2
    assert genotype.pair_counts(path, max_maf=0.2).sites == 2
    assert genotype.pair_counts(path, extract=str(tmp_path / "names")).sites == 2
    assert genotype.pair_counts(path, exclude=str(tmp_path / "names")).sites == 1
    families = str(tmp_path / "families")
    assert yupana.read_genotypes(path, keep_fam=families).samples == ["a", "b"]
    assert yupana.read_genotypes(path, remove_fam=families).samples == ["c"]
    calls = np.array([[1, 0, 1], [0, 0, 1], [0, 0, 1]], np.int8)
    assert genotype.pair_counts(calls, min_mac=1).sites == 2
    assert genotype.pair_counts(calls, max_maf=0.2).sites == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"extract": "names"}, "extract"),
        ({"keep_fam": "names"}, "keep_fam"),
        ({"region": "1"}, "region"),
        ({"half_call": "haploid"}, "half_call"),
        ({"multiallelic": "split"}, "multiallelic"),
        ({"chromosomes": "1"}, "chromosomes"),
        ({"autosomes": 38}, "autosomes"),
        ({"nonfounders": True, "min_maf": 0.1}, "nonfounders"),
        ({"round": True}, "round"),
        ({"var_filter": True}, "var_filter"),
    ],
)
def test_options_of_files_are_refused_for_an_array(options, says):
    with pytest.raises(ValueError, match=f"{says} has no effect on an array"):
        yupana.read_genotypes(CALLS, **options).distances()


def test_nobody_to_keep_is_not_everybody():
    with pytest.raises(ValueError, match="keep: expected at least one sample"):
        yupana.read_genotypes(CALLS, keep=[])
    assert yupana.read_genotypes(CALLS, keep=None).samples == ["1", "2", "3"]
    with pytest.raises(ValueError, match="snps_only"):
        yupana.read_genotypes("x.vcf", snps_only="acgt")


def test_nan_was_a_kinship_that_nobody_reaches():
    for option in ("king_cutoff", "min_qual"):
        for value in (np.nan, np.inf):
            with pytest.raises(ValueError, match="expected a (finite number|kinship).*, got (nan|inf)"):
                yupana.read_genotypes("simulate:5x30", **{option: value})
