// A program of its own, for the headers are compiled with the options of one.
