# SPDX-License-Identifier: Apache-2.0
"""Notebooks: kernels that are PE 0 of a job, their provisioner, and IPython's extension."""
