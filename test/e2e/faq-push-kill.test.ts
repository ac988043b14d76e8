import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { once } from '../cli/commands/project/project-service.ts'
import { everyCase } from '../helpers/every-case.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { runBin } from '../helpers/run-bin.ts'
import { testCli } from '../helpers/test-cli.ts'
import { environmentOf, expectKilled, type KillPoint, recordingService, runUntil } from './apply-helpers.ts'

const own = '.callyard/faq/faq.yaml'
const ledger = `${own}/.callyard/lockfile.ndjson`
const temporaryFile = '.faq.yaml.callyard-tmp'

/**
 * One kill for each state that the next push can find. A kill at an event of a file comes a moment after it, and can leave the
 * next state. `npm run attack -- cases` kills at more requests, and at more events of each file.
 */
const representatives: readonly (readonly [state: string, KillPoint])[] = [
  ['a ledger without its first intent', { file: ledger, event: 1 }],
  ['a first batch whose response was lost', { request: 1, at: 'stored' }],
  ['committed batches and one whose response was lost', { request: 4, at: 'stored' }],
  ['a ledger in the middle of its lines', { file: ledger, event: 6 }],
  ['ids in the file, and a ledger that has them too', { file: 'faq.yaml', event: 1 }],
]

const morePoints: readonly KillPoint[] = [
  ...[1, 2, 4, 6].flatMap(request =>
    (['arrived', 'stored', 'answered'] as const).map(at => ({ request, at })),
  ),
  ...['faq.yaml', temporaryFile].flatMap(file => [1, 3, 5].map(event => ({ file, event }))),
  ...[1, 2, 3, 4, 6, 8, 12].map(event => ({ file: ledger, event })),
  { file: `${own}/callyard.lock.yaml`, event: 1 },
  { file: `${own}/.callyard.lock.yaml.callyard-tmp`, event: 1 },
]

const points = everyCase ? morePoints.map(point => [JSON.stringify(point), point] as const) : representatives

test.each(points)('the next push loses and repeats nothing after a kill that left %s', async (_, point) => {
  const bench = await openBench(60, 6)
  const killed = await bench.push([], point)
  expectKilled(killed, point)
  await bench.finish()
  await bench.expectWhole()
})

test('loses and repeats nothing after consecutive kills at every boundary', async () => {
  const bench = await openBench(300, 50)
  for (const at of ['arrived', 'answered', 'stored', 'answered', 'stored'] as const) {
    const point = { request: 1, at }
    expectKilled(await bench.advance(point), point)
  }
  await bench.finish()
  await bench.expectWhole()
})

// A large push leaves the same states.
test.runIf(everyCase)('loses and repeats nothing after four kills of a push of 10,000 entries', async () => {
  const bench = await openBench(10_000, 1000)
  for (const point of [
    { request: 3, at: 'stored' },
    { file: 'faq.yaml', event: 2 },
    { file: ledger, event: 2 },
    { request: 1, at: 'answered' },
  ] as const) {
    expectKilled(await bench.advance(point), point)
  }
  await bench.finish()
  await bench.expectWhole()
})

test('rejects a second concurrent push without disturbing the first', async () => {
  const bench = await openBench(20, 10)
  const { value: second } = await bench.whileHeld(() => bench.push([]))
  expect(second.exitCode).toBe(9)
  expect(second.stderr).toMatch(/another callyard \(process \d+ on .*\) is using .*faq\.yaml/)
  await bench.expectWhole()
})

test('does not overwrite a file that was edited during the push, and writes the ids next time', async () => {
  const bench = await openBench(20, 10)
  const file = join(bench.folder, 'faq.yaml')
  const edited = bench.original.replace('answer: a 3\n', 'answer: another\n')
  const { held: first } = await bench.whileHeld(() => writeFile(file, edited))
  expect(first.exitCode).toBe(9)
  expect(first.stderr).toContain('was changed while it was being pushed')
  expect(await readFile(file, 'utf8')).toBe(edited)
  const next = await bench.push([])
  expect(JSON.parse(next.stdout)).toMatchObject({ inserted: 10, updated: 1, unchanged: 9 })
  await bench.expectWhole(edited)
})

const openBatch = z.object({
  error: z.object({ unknown: z.array(z.object({ line: z.number(), question: z.string() })) }),
})
const sentEntries = z.array(z.object({ question: z.string() }))

/** A FAQ file, and a service that knows what it has stored. */
async function openBench(count: number, batchSize: number) {
  const original = `# ${count} entries\r\nknowledgeBaseId: kb\nfaq:\n${Array.from({ length: count }, (_, index) => `  - question: "Question ${index}?"  # é ${index}\n    answer: a ${index}\n`).join('')}`
  const folder = await temporaryFolder({ 'faq.yaml': original })
  const file = join(folder, 'faq.yaml')
  const service = await recordingService()
  const env = await environmentOf(service)
  const cli = await testCli({}, { env })

  const argvOf = (flags: readonly string[]) => [
    ...['faq', 'push', 'faq.yaml', '--json', '--batch-size', String(batchSize)],
    ...flags,
  ]

  /** One push in a process of its own; with a point, killed there. */
  async function push(flags: readonly string[], point?: KillPoint) {
    const argv = argvOf(flags)
    if (point === undefined) return runBin(argv, { cwd: folder, env })
    const result = await runUntil(point, argv, { cwd: folder, env, service })
    await service.idle()
    return result
  }

  /** One push that nothing kills. */
  const pushToEnd = (flags: readonly string[]) => cli.runWith({ cwd: folder }, ...argvOf(flags))

  /** One push, and what a person does when it ends with 9: looks which entries are there, writes their ids, resends the others. */
  async function advance(point?: KillPoint) {
    const run = async (flags: readonly string[]) =>
      point === undefined ? { ...(await pushToEnd(flags)), signal: undefined } : push(flags, point)
    const result = await run([])
    if (result.exitCode !== 9) return result
    const { unknown } = openBatch.parse(JSON.parse(result.stdout)).error
    const named = unknown.map(({ question }) => question)
    expect(named.length).toBeLessThanOrEqual(batchSize)
    const ids = new Map(service.entries.map(({ id, question }) => [question, id]))
    // The last batch that was stored, or one that was not.
    const last = sentEntries.parse(service.exchanges.at(-1)?.body.faq ?? []).map(({ question }) => question)
    if (named[0] === last[0]) expect(named).toEqual(last)
    else expect(named.filter(question => ids.has(question))).toEqual([])
    const lines = (await readFile(file, 'utf8')).split('\n')
    for (const { line, question } of unknown) {
      expect(lines[line - 1]).toContain(`question: ${JSON.stringify(question)}`)
      const id = ids.get(question)
      if (id !== undefined)
        lines[line - 1] = (lines[line - 1] ?? '').replace('- question', `- id: ${id}\n    question`)
    }
    await writeFile(file, lines.join('\n'))
    return run(['--resend-unknown'])
  }

  return {
    folder,
    original,
    push,
    advance,
    /** Runs until all is done. */
    async finish() {
      expect(await advance()).toMatchObject({ exitCode: 0 })
      expect(await pushToEnd([])).toMatchObject({ exitCode: 0 })
    },
    /** Does something while the response to the first request of a push is held back. Returns its result and that of the push. */
    async whileHeld<Value>(work: () => Promise<Value>) {
      const [reached, released] = [once(), once()]
      service.onMoment((moment, ordinal) => {
        if (moment !== 'stored' || ordinal !== 1) return undefined
        reached.happen()
        return released.done
      })
      const running = push([])
      await reached.done
      const value = await work()
      released.happen()
      return { value, held: await running }
    },
    async expectWhole(expected = original) {
      const text = await readFile(file, 'utf8')
      const ids = new Map(
        [...text.matchAll(/- id: (\S+)\n {4}question: "(.*)"/g)].map(([, id, question]) => [question, id]),
      )
      expect(service.entries).toHaveLength(count)
      expect(ids).toEqual(new Map(service.entries.map(({ id, question }) => [question, id])))
      expect(text.replace(/id: \S+\n {4}/g, '')).toBe(expected)
      expect((await readdir(folder)).toSorted()).toEqual(['.callyard', 'faq.yaml'])
      expect(await readdir(join(folder, own), { recursive: true })).toEqual([
        '.callyard',
        'callyard.lock.yaml',
      ])
    },
  }
}
