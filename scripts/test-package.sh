#!/usr/bin/env bash
# What publint and attw say of the package that was built, the files that must be in it, and the values that it declares.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
npm pack --ignore-scripts --silent --pack-destination "$folder" >/dev/null
for file in LICENSE .github/SECURITY.md dist/THIRD-PARTY-LICENSES.md docs/skills/shortlink-sdk/SKILL.md; do
  tar -xzOf "$folder"/*.tgz "package/$file" >/dev/null
done
npx publint --strict "$folder"/*.tgz
npx attw "$folder"/*.tgz
npx tsx scripts/declared-values.ts
