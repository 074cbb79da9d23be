#!/usr/bin/env bash
# Serves, builds or tests the documentation site of the built packages: `scripts/docs.sh [dev|build|test]`, or
# `npm run docs -- build`, which builds the packages first.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! [ docs/node_modules/.package-lock.json -nt docs/package-lock.json ]; then
  npm ci --prefix docs --no-audit --no-fund --loglevel=error
fi
npx tsx scripts/api-pages.ts

command=${1:-dev}
shift || true
if [ "$command" = test ]; then npm --prefix docs run build; fi
npm --prefix docs run "$command" -- "$@"
