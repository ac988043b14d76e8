import { tmpdir } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { startProgram } from '../../../src/lib/process/program.ts'
import { createProgramEnvironment } from '../../../src/lib/process/program-environment.ts'
import { gone, isAlive } from '../../helpers/alive.ts'
import { manualClock } from '../../helpers/manual-clock.ts'

/** A shell that has ended and left another behind, which does `last` without holding its output. */
async function startLeaving({ first = ':', last }: { first?: string; last: string }) {
  const clock = manualClock()
  let said = (_line: string) => {}
  const line = new Promise<string>(resolve => {
    said = resolve
  })
  const program = await startProgram({
    command: `sh -c '${first}; echo $$; exec >/dev/null 2>&1; ${last}' & exit 3`,
    cwd: tmpdir(),
    env: createProgramEnvironment(process.env),
    clock,
    onOutput: bytes => said(bytes.toString()),
  })
  onTestFinished(() => program.end(0))
  const pid = Number(await line)
  expect(await program.ended).toEqual({ kind: 'exit', code: 3 })
  expect(isAlive(pid)).toBe(true)
  return { program, clock, pid }
}

test('descendants that are left are ended, though they hold no output', async () => {
  const { program, pid } = await startLeaving({ last: 'exec sleep 1000' })
  await program.end(60_000)
  await gone(pid)
})

test('kills those that ignore SIGTERM after the grace period, not before', async () => {
  const { program, clock, pid } = await startLeaving({
    first: 'trap "" TERM',
    last: 'while :; do sleep 0.01; done',
  })
  const ended = program.end(5000)
  await clock.advance(4999)
  expect(isAlive(pid)).toBe(true)
  await clock.advance(1)
  await ended
  await gone(pid)
})

test('does not touch what was released', async () => {
  const { program, pid } = await startLeaving({ last: 'exec sleep 1000' })
  onTestFinished(() => void process.kill(pid, 'SIGKILL'))
  program.release()
  await program.end(0)
  expect(isAlive(pid)).toBe(true)
})

test('a program has exited before its output has ended', async () => {
  const clock = manualClock()
  let child = 0
  const program = await startProgram({
    command: 'sleep 1000 & echo $!',
    cwd: tmpdir(),
    env: createProgramEnvironment(process.env),
    clock,
    onOutput: bytes => {
      child = Number(bytes.toString())
    },
  })
  onTestFinished(() => program.end(0))
  expect(await program.exited).toEqual({ kind: 'exit', code: 0 })
  let isOver = false
  const ended = program.ended.then(() => {
    isOver = true
  })
  await clock.advance(999)
  expect(isOver).toBe(false)
  await clock.advance(1)
  await ended
  expect(isAlive(child)).toBe(true)
  await program.end(60_000)
  await gone(child)
})
