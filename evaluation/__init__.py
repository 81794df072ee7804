"""How well Padrón matches, measured from outside: queries made from the official records, answers scored.

Nothing here imports `padron` or shares a table with it: what people write is judged by a second opinion.

    records     the companies of a built release, read straight from its files
    names       a name taken apart: words, legal form, what is said after it
    forms       own list of legal forms            vocabulary  abbreviations, translations, places
    asked       labelled questions for agentic search, in questions/, and how answers are scored
    directory   which companies a query fits, and whether it fits none
    distort     what people do to a name           identifiers what they do to a number
    kinds       of queries for known companies     absent      names of nobody
    queries     a query and its truth              generate    the seeded query set
    score       figures                            report      the page, the plot, the kept result
    run, ask    `make golden`                      peers       simple rankers on the same set
    publish     the set as a data set of its own, in dataset/
"""
