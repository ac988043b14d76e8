import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runProgram } from '../../../src/cli/commands/run.ts'
import { type CaptureOptions, runCaptured } from '../../../src/cli/shell/captured-host.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

test('runs several commands concurrently, each with its own folder and environment, without changing the process', async () => {
  const before = { cwd: process.cwd(), env: { ...process.env }, exitCode: process.exitCode }
  const listeners = process.eventNames().length
  const runs = await Promise.all(
    ['one', 'two'].map(async name => {
      const host = await machine({ env: { CALLYARD_BASE_URL: `https://${name}.example.com` } })
      await writeFile(join(host.cwd, `${name}.yaml`), 'type: function\nfunction: { name: book }\n')
      return [
        await run(['validate', `${name}.yaml`, '--kind', 'tool'], host),
        await run(['profile', 'show'], host),
      ]
    }),
  )
  for (const [index, name] of ['one', 'two'].entries()) {
    expect(runs[index]).toMatchObject([
      { exitCode: 0, result: { files: 1, errors: 0 }, stderr: '' },
      { exitCode: 0, result: { baseUrl: { value: `https://${name}.example.com`, from: 'environment' } } },
    ])
  }
  expect({ cwd: process.cwd(), env: { ...process.env }, exitCode: process.exitCode }).toEqual(before)
  expect(process.eventNames().length).toBe(listeners)
})

test('the result of a stream is the list of its events', async () => {
  const { exitCode, result } = await run(
    ['webhook', 'trigger', 'call', '--dry-run', '--call', 'CC-1'],
    await machine(),
  )
  expect(exitCode).toBe(0)
  expect(result).toContainEqual(expect.objectContaining({ kind: 'delivery', callId: 'CC-1' }))
})

test('a stream of one event is a list, too', async () => {
  const { result } = await run(['webhook', 'trigger', 'status-update', '--dry-run'], await machine())
  expect(result).toEqual([expect.objectContaining({ kind: 'delivery' })])
})

test('a failure has an exit code, a document and a message', async () => {
  const { exitCode, result, stderr } = await run(['validate', 'missing.yaml'], await machine())
  expect({ exitCode, result }).toMatchObject({ exitCode: 3, result: { errors: 1 } })
  expect(stderr).toContain('1 error found')
  expect(await run(['validate'], await machine())).toMatchObject({
    exitCode: 2,
    result: { error: { kind: 'usage', exitCode: 2 } },
  })
})

test('stdin is what is handed in', async () => {
  const host = await machine({ input: 'key-from-stdin\n' })
  const argv = ['profile', 'add', 'work', '--base-url', 'https://example.com', '--api-key-stdin']
  expect(await run(argv, host)).toMatchObject({ exitCode: 0, result: { name: 'work', apiKey: '****tdin' } })
})

test('the signal cancels a command', async () => {
  const ending = new AbortController()
  const host = await machine({
    signal: ending.signal,
    onPrint: printed => {
      if (printed.includes('"ready"')) ending.abort('SIGTERM')
    },
  })
  const { exitCode, result } = await run(['webhook', 'tail', '--port', '0'], host)
  expect({ exitCode, result }).toMatchObject({
    exitCode: 0,
    result: [{ kind: 'ready' }, { kind: 'summary' }],
  })
})

function run(argv: readonly string[], options: CaptureOptions) {
  return runCaptured(runProgram, argv, options)
}

/** A machine with an empty folder and its own settings. */
async function machine({ env, ...more }: Partial<CaptureOptions> = {}): Promise<CaptureOptions> {
  const cwd = await temporaryFolder()
  return {
    cwd,
    env: { CALLYARD_CONFIG_DIR: cwd, ...env },
    platform: process.platform,
    clock: systemClock,
    signal: new AbortController().signal,
    ...more,
  }
}
