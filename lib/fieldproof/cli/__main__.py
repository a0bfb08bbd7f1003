from fieldproof.cli import main

main()
