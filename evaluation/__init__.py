"""Evaluation of match quality from outside: queries made from the official records, and scored answers.

Except for what is listed last, nothing here imports `padron` or shares a table with it: the truth about a query
does not come from the code that is measured.

    records             the companies of a built release, read straight from its files
    names               parser of names: words, legal form, what follows the form
    forms               own list of legal forms
    vocabulary          own lists of abbreviations, translations and places
    directory           search for the companies that a query fits, and the proof that it fits none
    distortions         changes that people make to a name
    identifiers         changes that people make to a number
    present_queries     kinds of queries for companies in the directory
    absent_queries      kinds of queries for companies that do not exist
    queries             a query with its truth
    generate            the seeded query set
    intervals           95 % confidence intervals
    score               figures
    report              the printed report, the kept result, docs/reliability.md
    plot                the reliability plot
    run                 `make golden`, names and numbers
    labelled_questions  questions for agentic search, in questions/ and typed/, and their scoring
    run_questions       `make golden`, questions
    baselines           simple rankers on the same queries
    side_by_side        Padrón beside PostgreSQL, RapidFuzz and logic-v2
    publish             the query set as a data set of its own, in dataset/

What imports `padron`, training above all:

    choice_model        the conditional logit of ranking, over many queries
    fit_weights         `make calibrate`
    challenger          a gradient-boosted model on the same features
    name_bench          `padron compare` beside logic-v2 on OpenSanctions' pairs of names
"""
