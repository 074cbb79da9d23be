import { test } from 'node:test'
import { run } from '../harness.ts'

test('optional properties and parameters accept undefined, with exactOptionalPropertyTypes', () =>
  run('tsc', ['-p', 'tsconfig.json']))

test('the root entry has types with moduleResolution node10', () => run('tsc', ['-p', 'tsconfig.node10.json']))
