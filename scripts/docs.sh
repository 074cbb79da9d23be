#!/usr/bin/env bash
# The documentation site, of the package that was built: `scripts/docs.sh [dev|build|test]`, or `npm run docs -- build`.
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
