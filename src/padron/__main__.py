"""`python -m padron`: the command line."""

from padron.cli import main

main()
