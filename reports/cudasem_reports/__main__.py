"""`python -m cudasem_reports …`, which is what `cudasem report …` starts."""

import sys

from cudasem_reports.cli import main

sys.exit(main())
