"""`python -m cudasem_reports …`, which is what `cudasem report …` starts."""

import gc
import signal
import sys

from cudasem_reports.cli import main

signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends the program, as it ends any other
gc.disable()  # one short command that keeps what it reads: collecting doubles the time of reading a large log
sys.exit(main())
