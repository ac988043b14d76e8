import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { createCapturedHost } from '../../../src/cli/shell/captured-host.ts'
import type { Host } from '../../../src/cli/shell/context.ts'
import { createContext } from '../../../src/cli/shell/create-context.ts'
import { createOutput } from '../../../src/cli/shell/output/create-output.ts'
import { realClock } from '../../helpers/real-clock.ts'
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

test('commands of a derived context run in its folder, and end with its signal', async () => {
  const runs: Host[] = []
  const runProgram = async (_words: readonly string[], host: Host) => {
    runs.push(host)
    return 0
  }
  const { signal } = new AbortController()
  const options = {
    cwd: '/work',
    env: {},
    platform: process.platform,
    clock: realClock,
    signal: new AbortController().signal,
  }
  const { host } = createCapturedHost([], options)
  const { context } = createContext(host, {}, undefined, { runProgram })
  const { runCommand } = context.with({ cwd: '/other' }).with({ signal })
  await runCommand(['version'])
  await runCommand(['version'], { cwd: '/third' })
  expect(runs.map(({ cwd, signal }) => ({ cwd, signal }))).toEqual([
    { cwd: '/other', signal },
    { cwd: '/third', signal },
  ])
})

test('a client of a derived context ends with its signal, unless a command put another one in its place', () => {
  const context = testContext()
  const { signal } = new AbortController()
  expect(context.with({ signal }).api).not.toBe(context.api)
  const api = () => context.api()
  expect(context.with({ api }).with({ signal }).api).toBe(api)
})
