#!/bin/bash
# Writes files of samples of all kinds into a folder: make_sample_seeds.sh FOLDER.
set -eu
cd "$(dirname "$0")/../.."
folder=${1:?usage: make_sample_seeds.sh FOLDER}

for file in tests/oracle/ibs/*.perf.data; do
	name=$(basename "$file" .perf.data)
	cp "$file" "$folder/$name"
	for how in pipe packed; do
		/usr/bin/python3 -B tests/sample/variant.py "$file" $how "$folder/$name-$how"
	done
done
for id in O01-real-2021 F06-fam15h-carrizo; do
	/usr/bin/python3 -B tests/sample/toolkit_file.py tests/oracle/ibs/ibs_vectors.json $id "$folder/$id"
done
