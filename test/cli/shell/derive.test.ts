import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { createOutput } from '../../../src/cli/shell/output/create-output.ts'
import { testContext } from '../../helpers/test-context.ts'

test('an output derived from another one has the current width of the terminal', () => {
  const sink = { isTTY: true, columns: 80, write() {} }
  const output = createOutput({ stdout: sink, stderr: sink, cwd: '/' }, { env: {} }).with({ note() {} })
  sink.columns = 40
  expect(output.width).toBe(40)
  expect(output.with({ warn() {} }).width).toBe(40)
})

test('a derived context follows its changes, opens nothing and keeps getters', () => {
  let reads = 0
  const context = testContext({ cwd: '/work', env: { CALLYARD_PROFILE: 'live' } }).with({
    get notStored() {
      reads += 1
      return []
    },
  })
  const derived = context.with({ cwd: '/other', env: {} })
  expect(reads).toBe(0)
  expect(derived.resolve('a.yaml')).toBe(resolve('/other/a.yaml'))
  expect(derived.files).toMatchObject({ cwd: '/other', env: {} })
  expect([derived.notStored, derived.notStored, reads]).toEqual([[], [], 2])
  const { settings, signal } = derived.with({ cwd: '/third' })
  expect([settings, signal]).toEqual([context.settings, context.signal])
})
