import { execa } from 'execa'
import { expect, test } from 'vitest'
import { everyCase } from '../helpers/every-case.ts'
import { startInTerminal } from '../helpers/terminal.ts'
import { openFollowedBatch } from './followed-batch.ts'

/** Requests around which something happens. `npm run attack -- cases` tries each. */
const moments = everyCase ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] : [4]
const atEach = <Value>(values: readonly Value[]) =>
  values.flatMap(value => moments.map(request => [value, request] as const))

/** A terminal that is closed sends SIGHUP, below. */
const signals = everyCase ? (['SIGINT', 'SIGHUP', 'SIGTERM'] as const) : (['SIGINT'] as const)

test.each(atEach(signals))(
  '%s at request %i pauses the batch, and the next run takes the outcomes',
  async (signal, request) => {
    const batch = await openFollowedBatch()
    const paused = await batch.run({ at: { request, act: child => child.kill(signal) } })
    expect(paused.exitCode).toBe(130)
    const { unsent } = await batch.expectFinished()
    expect(unsent).toBe(0)
  },
)

test.each(moments)('a terminal that is closed at request %i pauses the batch', async request => {
  const batch = await openFollowedBatch()
  const terminal = startInTerminal(batch.argv, { cwd: batch.folder, env: batch.env })
  let requests = 0
  batch.service.hooks.onRequest = (_, respond) => {
    requests += 1
    if (requests === request) terminal.close()
    respond()
  }
  await terminal.exitCode
  const { unsent } = await batch.expectFinished()
  expect(unsent).toBe(0)
})

test.each(moments)('a reader that closes its pipe at request %i loses nobody', async request => {
  const batch = await openFollowedBatch()
  await batch.run({ at: { request, act: child => child.stdout.destroy() } })
  const { unsent } = await batch.expectFinished()
  expect(unsent).toBe(0)
})

test.each(everyCase ? [1, 2, 3, 4, 5, 6] : [3])(
  'a disk that is full after %i KiB of a file stops the batch, and it continues later',
  async kibibytes => {
    const batch = await openFollowedBatch()
    // With a limit on the size of files, and its signal ignored, writes fail as on a full disk.
    const full = execa(
      'bash',
      ['-c', `trap '' XFSZ; ulimit -f ${kibibytes}; exec "$@"`, 'bash', ...batch.command('--drain', '500ms')],
      { cwd: batch.folder, env: batch.env, extendEnv: false, reject: false },
    )
    let said = ''
    full.stderr.on('data', chunk => {
      said += chunk
      // Events are rejected until there is space, and the batch waits for them.
      if (said.includes('not recorded since')) full.kill('SIGINT')
    })
    const { exitCode, stderr } = await full
    if (stderr.includes('not recorded since')) expect([2, 130], stderr).toContain(exitCode)
    else {
      expect(exitCode, stderr).toBe(2)
      expect(stderr).toContain('nobody is called without it')
    }
    await batch.expectFinished()
  },
)

test.each(atEach(['reset', 'hang'] as const))(
  'after a %s at request %i, the events tell that the call was placed',
  async (fault, request) => {
    const batch = await openFollowedBatch()
    batch.service.hooks.faults.set(request, fault)
    batch.service.hooks.faults.set(request + 2, fault)
    const { unsent } = await batch.expectFinished({ flags: ['--timeout', '3s'] })
    expect(unsent).toBe(0)
  },
)

// The run waits for 30 seconds; test/calls/batch/run/run-batch.test.ts moves the clock.
test.each(everyCase ? moments : [])(
  'after 429 at request %i the same person is called later',
  async request => {
    const batch = await openFollowedBatch()
    batch.service.hooks.faults.set(request, 'busy')
    const { unsent } = await batch.expectFinished()
    expect(unsent).toBe(0)
  },
)

test.each(moments)('a second run at request %i is refused', async request => {
  const batch = await openFollowedBatch()
  let second: Awaited<ReturnType<typeof batch.ask>> | undefined
  const { unsent } = await batch.expectFinished({
    at: {
      request,
      async act() {
        second = await batch.ask('run', '--follow', '--yes', '--max-calls', '100')
      },
    },
  })
  expect(unsent).toBe(0)
  expect(second?.exitCode).toBe(9)
  expect(second?.stderr).toMatch(/being run by another callyard \(pid \d+\)/)
})

test.each(moments)('a pause at request %i from another process lasts until resume', async request => {
  const batch = await openFollowedBatch()
  const paused = await batch.run({ at: { request, act: () => batch.ask('pause') } })
  expect([0, 8]).toContain(paused.exitCode)
  const called = batch.calls.length
  const refused = await batch.run()
  expect(refused.exitCode).toBe(9)
  expect(batch.calls).toHaveLength(called)
  const { unsent } = await batch.expectFinished({ verb: 'resume' })
  expect(unsent).toBe(0)
})

test.each(moments)('after a cancel at request %i nobody else is called', async request => {
  const batch = await openFollowedBatch()
  const cancelled = await batch.run({ at: { request, act: () => batch.ask('cancel') } })
  expect([0, 8]).toContain(cancelled.exitCode)
  expect(batch.calls).toHaveLength(request)
  expect((await batch.run()).exitCode).toBe(9)
  expect(batch.calls).toHaveLength(request)
})

/** Seven people get eleven calls. */
test.each(moments.filter(request => request <= 11))(
  'a person who is added at request %i is called, and one who is removed is not',
  async request => {
    const batch = await openFollowedBatch({ people: 7 })
    const added = '+12025551007'
    const removed = '+12025551006'
    const isCalled = () => batch.callsTo(removed).length > 0
    const at = {
      request,
      async act() {
        expect(await batch.ask('add', '--to', added)).toMatchObject({ exitCode: 0 })
        if (!isCalled()) expect(await batch.ask('remove', removed)).toMatchObject({ exitCode: 0 })
      },
    }
    const { exitCode, stderr } = await batch.run({ at })
    expect(exitCode, stderr).toBe(0)
    expect(batch.callsTo(added)).toHaveLength(3)
    expect(batch.callsTo(removed).length).toBeLessThanOrEqual(1)
  },
)
