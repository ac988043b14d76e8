import { execa } from 'execa'
import { expect, test } from 'vitest'
import { everyCase } from '../helpers/every-case.ts'
import { type KillPoint, openBatch } from './followed-batch.ts'

const people = 12

/** `npm run attack -- cases` kills at 200 points. */
const points: readonly KillPoint[] = everyCase
  ? [
      ...Array.from({ length: 2 * people }, (_, index) => ({
        request: Math.floor(index / 2) + 1,
        at: index % 2 === 0 ? ('before the response' as const) : ('after the response' as const),
      })),
      ...Array.from({ length: 176 }, (_, index) => ({
        file: 'journal' as const,
        event: (index % (2 * people)) + 1,
      })),
    ]
  : [
      { request: 3, at: 'before the response' },
      { request: 4, at: 'after the response' },
      { file: 'journal', event: 1 },
      { file: 'journal', event: 9 },
    ]

test.each(points)('after a kill at %j nobody is called twice, and nobody is forgotten', async point => {
  const batch = await openUnfollowed()
  await batch.run({ point })
  await batch.expectFinished()
})

test.each(['SIGINT', 'SIGHUP', 'SIGTERM'] as const)(
  '%s pauses the batch after the call in progress',
  async signal => {
    const batch = await openUnfollowed()
    const paused = await batch.run({ at: { request: 3, act: child => child.kill(signal) } })
    expect(paused.exitCode).toBe(130)
    expect(paused.stderr).toMatch(/Paused; 3 placed, 9 to call/)
    expect(batch.calls).toHaveLength(3)
    await batch.expectFinished({ unknown: 0 })
  },
)

test('a service that resets a connection or does not respond leaves a call unknown, and nobody is called twice', async () => {
  const batch = await openUnfollowed()
  batch.service.hooks.faults.set(2, 'reset').set(5, 'hang')
  const { exitCode, stderr } = await batch.run({ flags: ['--timeout', '3s'] })
  expect(exitCode).toBe(9)
  expect(stderr).toContain('2 people may have been called')
  await batch.expectFinished({ unknown: 2 })
})

test('a full disk stops the batch before the next call, and it continues later', async () => {
  const batch = await openUnfollowed()
  // With a limit on the size of files, and its signal ignored, writes fail as on a full disk.
  const full = await execa(
    'bash',
    ['-c', `trap '' XFSZ; ulimit -f 2; exec "$@"`, 'bash', ...batch.command()],
    { cwd: batch.folder, env: batch.env, extendEnv: false, reject: false },
  )
  expect(full.exitCode).toBe(2)
  expect(full.stderr).toContain('cannot be written')
  expect(full.stderr).toContain('nobody is called without it')
  expect(batch.calls.length).toBeGreaterThan(0)
  expect(batch.calls.length).toBeLessThan(people)
  await batch.expectFinished()
})

async function openUnfollowed() {
  const batch = await openBatch({ people, isFollowed: false })
  return {
    ...batch,
    /** Continues the batch, and checks that each person was called once, or may have been. */
    async expectFinished({ unknown: expected }: { readonly unknown?: number } = {}) {
      const { exitCode, stdout } = await batch.run()
      const lines = stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line))
      const { placed, unknown, due, rejected } = lines.find(({ kind }) => kind === 'summary').counts
      expect({ placed: placed + unknown, due, rejected }).toEqual({ placed: people, due: 0, rejected: 0 })
      expect(exitCode).toBe(unknown === 0 ? 0 : 9)
      expect(unknown).toBeLessThanOrEqual(expected ?? 1)
      if (expected !== undefined) expect(unknown).toBe(expected)
      const called = batch.calls.map(({ number }) => number)
      expect(new Set(called).size).toBe(called.length)
      // Only a person who may have been called can be missing at the service.
      expect(called.length).toBeGreaterThanOrEqual(people - unknown)
    },
  }
}
