# SPDX-License-Identifier: Apache-2.0
"""Operations on columns: arrays of one length whose rows belong together."""
