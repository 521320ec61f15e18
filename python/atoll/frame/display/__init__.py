# SPDX-License-Identifier: Apache-2.0
"""How frames are shown: strings, HTML, plots."""
