import { expect, test } from 'vitest'
import { programTags } from './programs.ts'
import { skippedLines } from './skipped-tests.ts'

const tags = [
  { name: 'nats-server', description: 'no nats-server (package nats-server)', skip: true },
  { name: 'zsh', description: 'no zsh (package zsh)', skip: false },
]
const skipped = (note?: string, ...names: string[]) => ({
  tags: names,
  result: () => ({ state: 'skipped', errors: undefined, note }) as const,
})

test('counts skipped tests by the program that is missing, or by their note', () => {
  const tests = [
    skipped(undefined, 'nats-server'),
    skipped(undefined, 'zsh', 'nats-server'),
    skipped('no yarn (package yarn)'),
    skipped(undefined, 'zsh'),
  ]
  expect(skippedLines(tests, tags)).toEqual([
    '2 tests skipped: no nats-server (package nats-server)',
    '1 test skipped: no yarn (package yarn)',
  ])
})

test('a missing program skips its tests, unless it is required', () => {
  const skips = (env: NodeJS.ProcessEnv) =>
    Object.fromEntries(programTags(env).map(({ name, skip }) => [name, skip]))
  const required = {
    CALLYARD_REQUIRE_NATS: '1',
    CALLYARD_REQUIRE_SHELLS: 'zsh',
    CALLYARD_REQUIRE_BROWSER: '1',
  }
  expect(skips(required)).toMatchObject({ 'nats-server': false, zsh: false, jq: false, chromium: false })
})
