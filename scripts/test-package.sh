#!/usr/bin/env bash
# What publint and attw say of the package that was built, and the files that must be in it.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
npm pack --ignore-scripts --silent --pack-destination "$folder" >/dev/null
for file in LICENSE .github/SECURITY.md dist/THIRD-PARTY-LICENSES.md docs/skills/shortlink-sdk/SKILL.md; do
  tar -xzOf "$folder"/*.tgz "package/$file" >/dev/null
done
npx publint --strict "$folder"/*.tgz
# attw objects to `require` of an ES module, which Node supports, and to `node10`, which finds the root entry only.
npx attw --profile node16 --ignore-rules cjs-resolves-to-esm -- "$folder"/*.tgz
