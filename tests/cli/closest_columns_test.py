"""yupana closest: lists of columns, quoted cells, distances that are not Euclidean, -o."""
import json
import pathlib

from program import refuse, run

# Nearest in columns 1 and 2: rows 0 and 2; in column 1 alone: 0 and 1; in all: 1 and 2.
TABLE = "1,2,90\n1.1,50,7\n3,2,9\n70,52,8\n"


def write(name, text):
    pathlib.Path(name).write_text(text)
    return name


def pair(*arguments):
    answer = json.loads(run("closest", *arguments, "--json").stdout)
    return answer["i"], answer["j"], answer["dimensions"]


def a_range_names_all_its_columns():
    write("x.csv", TABLE)
    assert pair("x.csv", "--columns", "1-2") == (0, 2, 2)
    assert pair("x.csv", "--columns", "1,2") == (0, 2, 2)
    assert pair("x.csv", "--columns", "1") == (0, 1, 1)
    assert pair("x.csv", "--columns", "2-3,1") == pair("x.csv")
    assert pair("x.csv", "--columns", "1-3") == pair("x.csv")
    write("named.csv", "a,1-2,c\n" + TABLE)
    assert pair("named.csv", "--columns", "1-2")[2] == 1  # a name of the header comes first


def what_is_no_list_of_columns_is_a_usage_error():
    write("x.csv", TABLE)
    for columns in ["1.9", "2zz", "2-1", "0", "0-2", "1-", "1-2-3", ""]:
        refuse("closest", "x.csv", "--columns", columns, status=2, says=["--columns", "ranges like 1-2"])
    for columns in ["1,1", "1-2,2"]:
        refuse("closest", "x.csv", "--columns", columns, status=2, says=["a second time"])
    for columns in ["4", "2-4", "x"]:
        refuse("closest", "x.csv", "--columns", columns, status=3, says=["x.csv", f"no column '{columns}'"])


def a_name_of_two_columns_is_refused():
    write("twice.csv", "x,x,y\n1,2,3\n4,5,6\n")
    refuse("closest", "twice.csv", "--columns", "x", status=3, says=["several columns 'x'", "choose by number"])
    assert pair("twice.csv", "--columns", "2,y")[2] == 2


def a_bad_number_was_told_after_the_file_that_is_missing():
    for columns in ["1.9", "0", "-1", "nan", ""]:
        refuse("closest", "nope.csv", "--columns", columns, status=2, says=["--columns", f"got '{columns}'"])
    refuse("closest", "nope.csv", "--columns", "2zz", status=3, says=["nope.csv"])  # a header may have it
    write("named.csv", "2zz,b\n1,5\n1.5,9\n")
    assert pair("named.csv", "--columns", "2zz") == (0, 1, 1)


def quoted_cells_are_read_as_tables_read_them():
    write("x.csv", '"name","x, east","y"\n"a ""b""","1","2"\n"c, d",3,"5"\ne,1,2.5\n')
    assert pair("x.csv", "--columns", "2,3") == (0, 2, 2)
    assert pair("x.csv", "--columns", "y") == (0, 2, 1)
    refuse("closest", "x.csv", says=["x.csv:2:", "finite number"], status=3)
    write("x.csv", '1,2\n"3,4\n')
    refuse("closest", "x.csv", says=["x.csv:2:", "quoted"], status=3)
    write("x.csv", "1;2\n3;4\n1;2.5\n")
    assert pair("x.csv") == (0, 2, 2)


def nan_and_infinite_points_end_in_one_line():
    for text in ["nan", "inf", "-inf", "1e999", "NA", ""]:
        write("x.csv", f"1,2\n3,{text}\n")
        refuse("closest", "x.csv", says=["x.csv:2:", f"'{text}'", "finite"], status=3)


def tsplib_distances_other_than_euclidean_are_refused():
    def tsplib(kind, first="NAME : x\n"):
        return write("x.tsp", f"{first}TYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE{kind}"
                              "NODE_COORD_SECTION\n1 0 0\n2 5 5\n3 1 1\nEOF\n")

    for kind in ["GEO", "ATT", "MAX_2D", "MAN_2D", "XRAY1"]:
        refuse("closest", tsplib(f": {kind}\n"), says=["x.tsp:4:", f"EDGE_WEIGHT_TYPE {kind}"], status=3)
    for kind in ["EUC_2D", "CEIL_2D"]:
        assert pair(tsplib(f" : {kind}\n")) == (0, 2, 2)


def the_pair_is_written_where_o_says():
    write("x.csv", TABLE)
    done = run("closest", "x.csv", "--columns", "1-2", "-o", "pair.tsv")
    assert done.stdout == "0 2 2\nin pair.tsv\n", done.stdout
    assert pathlib.Path("pair.tsv").read_text() == "i\tj\tdistance\n0\t2\t2\n"
    run("closest", "x.csv", "--columns", "1-2", "-o", "pair.json")
    assert json.loads(pathlib.Path("pair.json").read_text()) == {
        "points": 4, "dimensions": 2, "i": 0, "j": 2, "distance": 2.0,
        "coordinates": [[1, 2], [3, 2]]}
    refuse("closest", "x.csv", "-o", "pair.npy", says=["-o pair.npy", ".tsv or .json"], status=2)
    refuse("closest", "x.csv", "-o", "x.csv/such.tsv", says=["x.csv/such.tsv"], status=3)
