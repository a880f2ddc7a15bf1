#!/bin/bash
# SPDX-License-Identifier: MIT
# Writes machine code of many kinds into a folder: make_code_seeds.sh FOLDER.
set -eu
folder=$(cd "${1:?usage: make_code_seeds.sh FOLDER}" && pwd)
cd "$(dirname "$0")/../.."
for source in tests/programs/*.S; do
	name=$(basename "$source" .S)
	gcc -c -o "$folder/object" "$source"
	objcopy -O binary --only-section=.text "$folder/object" "$folder/$name"
	[ -s "$folder/$name" ] && [ "$(wc -c <"$folder/$name")" -le 512 ] || rm -f "$folder/$name"
done
rm "$folder/object"
