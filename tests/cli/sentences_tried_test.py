#!/usr/bin/env python3
"""tree, forest, som and the building blocks, used with other data: what they said that was not so."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import main, refuse, run


def put(name, text):
    pathlib.Path(name).write_text(text)


def importances_of_a_model_alone_took_threads_in_silence():
    put("t.csv", "x,y\n1,a\n2,b\n3,a\n")
    run("tree", "fit", "t.csv", "--label", "y", "-o", "m")
    for option in (("--threads", 2), ("--device", "cpu")):
        refuse("tree", "importances", "m.json", *option, status=2, says=f"{option[0]} has no effect without 'table'")
        run("tree", "importances", "m.json", "t.csv", "--label", "y", *option)


def a_map_rounded_a_column_of_one_whole_number_in_silence():
    put("t.csv", "t,b\n" + "".join(f"{i},{i % 7}\n" for i in range(60)))
    run("som", "fit", "t.csv", "--rows", 3, "--cols", 3, "-o", "m")
    for value, rounded in ((16777217, True), (-16777219, True), (16777216, False), (0.1, False)):
        for rows in (1, 3):
            put("new.csv", "t,b\n" + f"{value},2\n" * rows)
            said = run("som", "apply", "m.json", "new.csv", "-o", "n").stderr
            assert (f"column 't': the value {value} is rounded by up to 1, to float32" in said) == rounded, said


sys.exit(main())
