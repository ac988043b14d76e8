import { expect, test } from 'vitest'
import { exitError } from '../../../src/cli/commands/apply-outcomes.ts'

test('shows the hint of one conflict, and refers to those of several', () => {
  const failed = (name: string) => ({
    ...({ address: `tool/${name}`, file: `tools/${name}.yaml`, action: 'create', status: 'failed' } as const),
    ...({ kind: 'conflict', hint: `adopt ${name}` } as const),
  })
  const { signal } = new AbortController()
  const hintOf = (...outcomes: Parameters<typeof exitError>[0]) =>
    exitError(outcomes, { target: 'live' }, signal)?.hint
  expect(hintOf(failed('a'))).toBe('adopt a')
  expect(hintOf(failed('a'), failed('b'))).toBe('follow the hint of each resource')
})
