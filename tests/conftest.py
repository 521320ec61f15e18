# SPDX-License-Identifier: Apache-2.0
"""All Python tests hear interrupts, also where a shell has started them in the background."""

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # inherited from that shell
    signal.signal(signal.SIGINT, signal.default_int_handler)
