import sys

from fieldproof_sim._main import main

sys.exit(main())
