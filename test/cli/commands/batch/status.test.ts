import { appendFile, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openBatchJournal } from '../../../../src/calls/batch/index.ts'
import { retryOutcomes } from '../../../../src/files/formats/batch.ts'
import { runs } from '../../../helpers/every-case.ts'
import { toJsonLines } from '../../../helpers/json-lines.ts'
import { realClock } from '../../../helpers/real-clock.ts'
import { type TestCli, testCli } from '../../../helpers/test-cli.ts'

const at = '2026-11-24T09:00:00.000Z'
const from = '+12025550100'
const numbers = {
  ...{ p0: ['+12025550110'], p1: ['+12025550111'], p2: ['+12025550112'] },
  p3: ['+12025550113', '+12025550114'],
  ...{ blocked: ['+12025550115'], unlisted: ['+12025550116'] },
}
type PersonId = keyof typeof numbers
const ids: readonly PersonId[] = ['p0', 'p1', 'p2', 'p3', 'blocked', 'unlisted']
const rows = ids.filter(id => id !== 'unlisted').map(id => [id, ...numbers[id]].join(','))
const list = `id,mobile,home\n${rows.map(row => (row.split(',').length === 2 ? `${row},` : row)).join('\n')}\n`
const batch = [
  ...[`list: people.csv`, `from: "${from}"`, 'columns: { to: [mobile, home] }', 'doNotCall: blocked.csv'],
  ...['retry: { on: [no-answer, busy], attempts: 3, after: 1h }', 'callback: structuredData.callbackAt', ''],
].join('\n')

/** A batch whose journal and control file the test writes. */
async function project(file = batch) {
  const cli = await testCli({
    ...{ 'callyard.yaml': '', 'batches/calls.yaml': file, 'batches/people.csv': list },
    ...{ 'batches/blocked.csv': 'number\n+12025550115\n', '.callyard/batches/calls/journal.ndjson': '' },
  })
  const folder = join(cli.folder, '.callyard/batches/calls')
  const write = (name: string, lines: readonly object[]) => appendFile(join(folder, name), toJsonLines(lines))
  return {
    cli,
    folder,
    snapshot: join(folder, 'status.ndjson'),
    addSteps: (steps: readonly object[]) => write('journal.ndjson', steps),
    addRequests: (requests: readonly object[]) => write('control.ndjson', requests),
    status: () => statusOf(cli),
  }
}

async function statusOf(cli: TestCli): Promise<Readonly<Record<string, unknown>>> {
  const { exitCode, stdout, stderr } = await cli.run('batch', 'status', 'calls', '--json')
  return exitCode === 0 ? JSON.parse(stdout) : { exitCode, stderr }
}

const begun = { step: 'begun', at, version: 1, service: 'https://api.example.com', file: 'calls' }

function called(person: PersonId, attempt: string, number = numbers[person][0]) {
  return { step: 'calling', at, attempt, person, number, from, kind: 'first' }
}

function ended(attempt: string, outcome: string, callbackAt: string | null = null) {
  const unknown = { endedBy: null, reason: null, analysis: null }
  return { step: 'ended', at, attempt, outcome, seconds: 30, ...unknown, callbackAt }
}

/** A step, given the attempts so far. */
type MakeStep = (attempts: readonly string[]) => object

function makeStep<Value>(
  values: fc.Arbitrary<Value>,
  make: (value: Value, attemptAt: (index: number) => string, next: string) => object,
): fc.Arbitrary<MakeStep> {
  return values.map(
    value => attempts =>
      make(value, index => attempts[index % attempts.length] ?? 'unknown', `a${attempts.length}`),
  )
}

const anybody = fc.oneof(
  { arbitrary: fc.constantFrom(...ids.slice(0, 4)), weight: 12 },
  { arbitrary: fc.constantFrom(...ids), weight: 1 },
)
const requests = fc.oneof(
  fc.record({ request: fc.constantFrom('pause', 'resume', 'cancel') }),
  fc.record({ request: fc.constant('remove'), people: fc.tuple(anybody) }),
  fc.record({
    request: fc.constant('retry'),
    outcome: fc.constantFrom(...retryOutcomes, 'skipped', 'unknown'),
  }),
)
const attempt = fc.nat(20)
const callOfPerson = makeStep(fc.tuple(anybody, fc.nat(1)), ([person, index], _, next) =>
  called(person, next, numbers[person][index % numbers[person].length]),
)
const stepOfPerson = fc.oneof(
  callOfPerson,
  makeStep(attempt, (index, attemptAt) => ({
    ...{ step: 'placed', at, attempt: attemptAt(index), call: `CC-${index}` },
  })),
  makeStep(
    fc.tuple(attempt, fc.constantFrom('not-sent', 'rejected', 'unknown')),
    ([index, outcome], attemptAt) => ({
      ...{ step: 'failed', at, attempt: attemptAt(index), outcome, reason: 'reset' },
    }),
  ),
  makeStep(
    fc.tuple(
      ...([attempt, fc.constantFrom('answered', 'no-answer', 'busy')] as const),
      fc.constantFrom(null, '2026-11-24T09:30:00.000Z', '2026-11-24T10:00:00.000Z'),
    ),
    ([index, outcome, callbackAt], attemptAt) => ended(attemptAt(index), outcome, callbackAt),
  ),
)
const anyStep = fc.oneof(
  { arbitrary: stepOfPerson, weight: 12 },
  makeStep(anybody, person => ({ step: 'skipped', at, person, numbers: numbers[person], reason: 'no' })),
  makeStep(anybody, (person, attemptAt) => ({
    ...{ step: 'opted-out', at, attempt: attemptAt(0), person, numbers: numbers[person], words: 'stop' },
  })),
  // A person whose id or number has changed in the list.
  makeStep(fc.tuple(anybody, anybody), ([person, other], _, next) => called(person, next, numbers[other][0])),
  makeStep(fc.constant('first'), by => ({ step: 'paused', at, by, reason: by })),
  makeStep(requests, request => ({ step: 'requested', at, offset: 0, request })),
)

function toSteps(steps: readonly MakeStep[]): object[] {
  const attempts: string[] = []
  return steps.map(make => {
    const step = make(attempts)
    if ('step' in step && step.step === 'calling') attempts.push(`a${attempts.length}`)
    return step
  })
}

/** Most begin with calls: a step of an unknown attempt needs the whole journal, and nothing is updated. */
const firstSteps = fc
  .tuple(
    fc.oneof(
      { arbitrary: fc.array(callOfPerson, { minLength: 1, maxLength: 3 }), weight: 3 },
      { arbitrary: fc.constant([]), weight: 1 },
    ),
    fc.array(anyStep, { minLength: 2, maxLength: 9 }),
  )
  .map(parts => parts.flat())

test('a status from a snapshot is that of the whole journal', async () => {
  const { cli, snapshot, folder, addSteps, addRequests, status } = await project()
  let updated = 0
  await fc.assert(
    fc.asyncProperty(
      firstSteps,
      fc.array(stepOfPerson, { maxLength: 6 }),
      fc.array(anyStep, { maxLength: 1 }),
      fc.array(requests, { maxLength: 1 }),
      fc.oneof(fc.constant(null), anybody),
      async (first, second, third, asked, optedOut) => {
        for (const file of ['journal.ndjson', 'control.ndjson', 'status.ndjson'])
          await writeFile(join(folder, file), '')
        await rm(join(cli.folder, 'do-not-call.csv'), { force: true })
        const steps = [begun, ...toSteps([...first, ...second, ...third])]
        await addSteps(steps.slice(0, first.length + 1))
        await status()
        const written = (await stat(snapshot)).ino
        await addSteps(steps.slice(first.length + 1))
        await addRequests(asked)
        if (optedOut !== null)
          await writeFile(join(cli.folder, 'do-not-call.csv'), `number\n${numbers[optedOut][0]}\n`)
        const known = await status()
        const { ino, size } = await stat(snapshot)
        if (size > 0 && ino === written && second.length > 0) updated += 1
        await rm(snapshot)
        expect(known).toEqual(await status())
      },
    ),
    { numRuns: runs(60) },
  )
  expect(updated).toBeGreaterThan(runs(60) / 4)
})

const history = [begun, called('p0', 'a0'), ended('a0', 'answered'), called('p1', 'a1'), ended('a1', 'busy')]

test('a run leaves a snapshot, which status reads and does not replace', async () => {
  const { cli, snapshot, addSteps, status } = await project('list: people.csv\nfrom: "+12025550100"\n')
  for (const id of ['CC-0', 'CC-1']) cli.answer('POST', '/calls/v1/conversations', { json: { sid: id } })
  expect(await cli.run('batch', 'run', 'calls', '--yes', '--max-calls', '2')).toMatchObject({
    exitCode: 8,
  })
  const { ino, mode } = await stat(snapshot)
  expect(mode & 0o777).toBe(0o600)
  const first = await status()
  expect(first).toMatchObject({ people: 5, calls: 2, counts: { placed: 2, due: 3 }, unknown: [] })
  await addSteps([called('p2', 'a2')])
  expect(await status()).toEqual({
    ...first,
    calls: 3,
    counts: { ...(first.counts as object), due: 2, unknown: 1 },
    unknown: [{ person: 'p2', number: '+12025550112', at, inFlight: false }],
  })
  expect((await stat(snapshot)).ino).toBe(ino)
})

test('a request is in flight while a run waits for its response', async () => {
  const { cli, folder, addSteps } = await project()
  const failed = { step: 'failed', at, attempt: 'a0', outcome: 'unknown', reason: 'reset' }
  await addSteps([begun, called('p0', 'a0'), failed, called('p1', 'a1')])
  const inFlight = async () =>
    ((await statusOf(cli)).unknown as { inFlight: boolean }[]).map(call => call.inFlight)
  const text = async () => (await cli.run('batch', 'status', 'calls')).stdout
  const run = await openBatchJournal(folder, { clock: realClock })
  try {
    // The first one reads the journal, the second one the snapshot.
    for (const _ of [1, 2]) expect(await inFlight()).toEqual([false, true])
    expect(await text()).toMatch(
      /^calls: 2 unknown, 2 to call\n2 calls\n.*p0 may have been called\n.*p1 is being called\n$/,
    )
  } finally {
    await run.close()
  }
  expect(await inFlight()).toEqual([false, false])
  expect(await text()).toMatch(
    /^calls: 2 unknown, 2 to call\n2 calls\n.*p0 may have been called\n.*p1 may have been called\n$/,
  )
})

test('a damaged snapshot is not used', async () => {
  const { snapshot, addSteps, status } = await project()
  await addSteps(history)
  const expected = await status()
  const text = await readFile(snapshot)
  const positions = Array.from({ length: 12 }, (_, index) => Math.floor((index * text.length) / 12))
  for (const position of positions) {
    const damaged = Buffer.from(text)
    damaged[position] = (damaged[position] ?? 0) ^ 1
    for (const content of [damaged, text.subarray(0, position)]) {
      await writeFile(snapshot, content)
      expect(await status()).toEqual(expected)
      expect(await readFile(snapshot)).toEqual(text)
    }
  }
})

test('a change of the list, the settings or the journal is noticed', async () => {
  const { cli, folder, addSteps, status } = await project()
  const path = (name: string) => join(cli.folder, 'batches', name)
  await addSteps(history)
  expect(await status()).toMatchObject({ people: 4, counts: { waiting: 1 } })
  await writeFile(path('people.csv'), `${list}p5,+12025550117,\n`)
  expect(await status()).toMatchObject({ people: 5 })
  await writeFile(path('blocked.csv'), 'number\n+12025550115\n+12025550112\n')
  expect(await status()).toMatchObject({ people: 4, skipped: { doNotCall: 2 } })
  await writeFile(path('calls.yaml'), batch.replace('[no-answer, busy]', '[no-answer]'))
  expect(await status()).toMatchObject({ counts: { waiting: 0, busy: 1 } })
  await writeFile(join(folder, 'journal.ndjson'), toJsonLines(history.slice(0, 3)))
  expect(await status()).toMatchObject({ calls: 1, counts: { busy: 0 } })
  await writeFile(path('people.csv'), 'id\np0\n')
  expect(await status()).toMatchObject({ exitCode: 3 })
  await rm(path('people.csv'))
  expect(await status()).toMatchObject({ exitCode: 3 })
})
