#!/usr/bin/env bash
# Builds the documentation site of the built packages, and serves it: `scripts/docs.sh`, or `npm run docs`, which builds
# the packages first. `build` only builds it, `test` tests it, and `dev` serves it without a search, for writers.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! [ docs/node_modules/.package-lock.json -nt docs/package-lock.json ]; then
  npm ci --prefix docs --no-audit --no-fund --loglevel=error
fi
npx tsx scripts/api-pages.ts

command=${1:-preview}
shift || true
if [[ $command =~ ^(preview|test)$ ]]; then npm --prefix docs run build; fi
npm --prefix docs run "$command" -- "$@"
