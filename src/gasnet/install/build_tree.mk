# SPDX-License-Identifier: Apache-2.0
# GASNet is built. `install` refers to this installation from the folder `prefix`.
tree := $(abspath $(dir $(realpath $(lastword $(MAKEFILE_LIST))))../..)
all seq par clean:
install:
	mkdir -p "$(prefix)"
	ln -sfn "$(tree)/bin" "$(tree)/include" "$(tree)/lib" "$(prefix)/"
.PHONY: all seq par clean install
