# SPDX-License-Identifier: Apache-2.0
"""Batch scripts for the schedulers of clusters; their templates are in the folder `templates`."""
