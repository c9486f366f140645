"""`python -m cudasem_reports …`, which is what `cudasem report …` starts."""

import gc
import sys

from cudasem_reports.cli import main

gc.disable()  # one short command that keeps what it reads: collecting doubles the time of reading a large log
sys.exit(main())
