import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startForeground } from '../../../src/lib/process/program.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { gone, isAlive } from '../../webhook/alive.ts'

/** A shell that does this; `$1` is a file into which it writes the id of a process. */
async function startShell(script: string) {
  const clock = manualClock()
  const folder = await temporaryFolder()
  const file = join(folder, 'pid')
  const program = await startForeground({
    file: 'sh',
    args: ['-c', script, 'sh', file],
    cwd: folder,
    env: { PATH: process.env.PATH },
    clock,
  })
  if ('kind' in program) throw new Error(program.message)
  onTestFinished(async () => {
    program.signal('SIGKILL')
    await program.exited
  })
  const pid = async () => {
    while (true) {
      const text = await readFile(file, 'utf8').catch(() => '')
      if (text.endsWith('\n')) return Number(text)
      await delay(5)
    }
  }
  return { program, clock, pid: await pid() }
}

test.each([
  ['whose parent has ended', 'sh -c \'echo $$ >"$1"; exec sleep 1000\' sh "$1" & exit 3'],
  ['with its own environment', 'env -i sh -c \'echo $$ >"$1"; exec sleep 1000\' sh "$1" & exit 3'],
])('ends a descendant %s', async (_which, script) => {
  const { program, pid } = await startShell(script)
  expect(await program.exited).toEqual({ kind: 'exit', code: 3 })
  expect(isAlive(pid)).toBe(true)
  await program.end(60_000)
  await gone(pid)
})

test('kills those that ignore SIGTERM after the shutdown timeout, not before', async () => {
  const { program, clock, pid } = await startShell(
    'trap "" TERM; echo $$ >"$1"; while :; do sleep 0.01; done',
  )
  const ended = program.end(5000)
  await clock.advance(4999)
  expect(isAlive(pid)).toBe(true)
  await clock.advance(1)
  await ended
  expect(await program.exited).toEqual({ kind: 'signal', signal: 'SIGKILL' })
})
