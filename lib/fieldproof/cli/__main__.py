from fieldproof.cli import main

main(prog_name="fieldproof")
