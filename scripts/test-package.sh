#!/usr/bin/env bash
# Checks that both built packages export the types that they refer to. Packs them and checks the tarballs: required
# files, publint, attw, the packages that an app installs with them, and the first steps of both READMEs.
set -euo pipefail
cd "$(dirname "$0")/.."

npx tsx scripts/named-types.ts

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
npm pack --workspaces --ignore-scripts --silent --pack-destination "$folder" >/dev/null
sdk=$(echo "$folder"/shortlink-sdk-*.tgz)
cli=$(echo "$folder"/shortlink-cli-*.tgz)
for file in LICENSE README.md .github/SECURITY.md dist/THIRD-PARTY-LICENSES.md docs/skills/shortlink-sdk/SKILL.md; do
  tar -xzOf "$sdk" "package/$file" >/dev/null
done
for file in LICENSE README.md; do tar -xzOf "$cli" "package/$file" >/dev/null; done
for tarball in "$sdk" "$cli"; do
  npx publint --strict "$tarball"
  # Node supports `require` of an ES module, and `node10` only resolves the root entry: attw reports both.
  npx attw --profile node16 --ignore-rules cjs-resolves-to-esm -- "$tarball"
done

app=$folder/app
mkdir "$app"
cd "$app"
echo '{ "private": true, "type": "module" }' >package.json

# Prints the packages that are installed in the app. Fails if a dependency is missing or unexpected.
list_installed() {
  npm ls --all --parseable | sed 1d | xargs -n 1 basename | sort | xargs
}
npm install --silent --no-audit --no-fund "$sdk"
alone=$(list_installed)
echo "shortlink-sdk alone: $alone"
[ "$alone" = 'ky shortlink-sdk zod' ]
npm install --silent --no-audit --no-fund "$cli"
both=$(list_installed)
echo "both: $both"

npx shortlink-sandbox -- npx shortlink list links
cd "$OLDPWD"

npx tsx scripts/first-minute.ts
