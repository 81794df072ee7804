"""`python -m padron`: the command line."""

from padron.cli.app import main

main()
