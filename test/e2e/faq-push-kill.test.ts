import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/mini'
import { startSandbox } from '../../src/sandbox/http/start-sandbox.ts'
import { everyCase } from '../helpers/every-case.ts'
import { killAtEvent } from '../helpers/kill-at-event.ts'
import { realClock } from '../helpers/real-clock.ts'
import { startBin, temporaryFolder } from '../helpers/run-bin.ts'
import { testCli } from '../helpers/test-cli.ts'

/** Point of a kill: around its nth POST, or at the nth event of a file. */
type KillPoint =
  | { readonly post: number; readonly at: 'before it is stored' | 'stored, not answered' | 'answered' }
  | { readonly file: string; readonly event: number }

const ledger = '.callyard/faq.yaml.lock.ndjson'
const temporaryFile = '.faq.yaml.callyard-tmp'

/**
 * One kill for each state that the next push can find. A kill at an event of a file comes a moment after it, and can leave the
 * next state. `npm run attack -- cases` kills at more requests, and at more events of each file.
 */
const representatives: readonly (readonly [state: string, KillPoint])[] = [
  ['a ledger without its first intent', { file: ledger, event: 1 }],
  ['a first batch whose response was lost', { post: 1, at: 'stored, not answered' }],
  ['committed batches and one whose response was lost', { post: 4, at: 'stored, not answered' }],
  ['a ledger in the middle of its lines', { file: ledger, event: 6 }],
  ['ids in the file, and a ledger that has them too', { file: 'faq.yaml', event: 1 }],
]

const morePoints: readonly KillPoint[] = [
  ...[1, 2, 4, 6].flatMap(post =>
    (['before it is stored', 'stored, not answered', 'answered'] as const).map(at => ({ post, at })),
  ),
  ...['faq.yaml', temporaryFile].flatMap(file => [1, 3, 5].map(event => ({ file, event }))),
  ...[1, 2, 3, 4, 6, 8, 12].map(event => ({ file: ledger, event })),
  { file: '.callyard/faq.yaml.lock.yaml', event: 1 },
  { file: '.callyard/.faq.yaml.lock.yaml.callyard-tmp', event: 1 },
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
  for (const at of [
    'before it is stored',
    'answered',
    'stored, not answered',
    'answered',
    'stored, not answered',
  ] as const) {
    expect(await bench.advance({ post: 1, at })).toMatchObject({ signal: 'SIGKILL' })
  }
  await bench.finish()
  await bench.expectWhole()
}, 120_000)

// A large push leaves the same states.
test.runIf(everyCase)(
  'loses and repeats nothing after four kills of a push of 10,000 entries',
  async () => {
    const bench = await openBench(10_000, 1000)
    for (const point of [
      { post: 3, at: 'stored, not answered' },
      { file: 'faq.yaml', event: 2 },
      { file: ledger, event: 2 },
      { post: 1, at: 'answered' },
    ] as const) {
      expectKilled(await bench.advance(point), point)
    }
    await bench.finish()
    await bench.expectWhole()
  },
  240_000,
)

test('rejects a second concurrent push without disturbing the first', async () => {
  const bench = await openBench(20, 10)
  const second = await bench.whileHeld(() => bench.push([]))
  expect(second.exitCode).toBe(9)
  expect(second.stderr).toMatch(/another push \(process \d+ on .*\) of faq\.yaml is running/)
  await bench.expectWhole()
})

test('does not overwrite a file that was edited during the push, and writes the ids next time', async () => {
  const bench = await openBench(20, 10)
  const file = join(bench.folder, 'faq.yaml')
  const edited = bench.original.replace('answer: a 3\n', 'answer: another\n')
  let first: Awaited<ReturnType<typeof bench.push>> | undefined
  await bench.whileHeld(
    () => writeFile(file, edited),
    run => {
      first = run
    },
  )
  expect(first?.exitCode).toBe(9)
  expect(first?.stderr).toContain('was changed while it was being pushed')
  expect(await readFile(file, 'utf8')).toBe(edited)
  const next = await bench.push([])
  expect(JSON.parse(next.stdout)).toMatchObject({ inserted: 10, updated: 1, unchanged: 9 })
  await bench.expectWhole(edited)
})

const faqAnswer = z.object({ faq: z.array(z.object({ id: z.string(), question: z.string() })) })
const openAnswer = z.object({
  error: z.object({ unknown: z.array(z.object({ line: z.number(), question: z.string() })) }),
})

/** A FAQ file, the sandbox, and between them a proxy that sees what is stored and kills the push at the chosen request. */
async function openBench(count: number, batchSize: number) {
  const folder = await temporaryFolder()
  const config = await temporaryFolder()
  const file = join(folder, 'faq.yaml')
  const original = `# ${count} entries\r\nknowledgeBaseId: kb\nfaq:\n${Array.from({ length: count }, (_, index) => `  - question: "Question ${index}?"  # é ${index}\n    answer: a ${index}\n`).join('')}`
  await writeFile(file, original)
  const sandbox = await startSandbox({ port: 0, pace: 0, clock: realClock })
  onTestFinished(() => sandbox.close())

  /** Entries of the service: id → question, in order of storing. */
  const stored: { id: string; question: string }[] = []
  /** The questions of the last POST that arrived. */
  let inFlight: string[] = []
  let seen = 0
  let kill: { readonly point: KillPoint | undefined; now(): void } = { point: undefined, now() {} }
  let hold: (() => Promise<void>) | undefined

  const isKill = (at: string) =>
    kill.point !== undefined && 'post' in kill.point && kill.point.post === seen && kill.point.at === at
  const proxy = createServer(async (request, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString('utf8')
    const inserts = request.method === 'POST'
    if (inserts) {
      seen += 1
      inFlight = z
        .object({ faq: z.array(z.object({ question: z.string() })) })
        .parse(JSON.parse(body))
        .faq.map(({ question }) => question)
      if (isKill('before it is stored')) return kill.now()
    }
    const answer = await fetch(sandbox.baseUrl + (request.url ?? ''), {
      method: request.method ?? '',
      headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
      body,
    })
    const text = await answer.text()
    if (inserts && answer.ok) stored.push(...faqAnswer.parse(JSON.parse(text)).faq)
    if (inserts && isKill('stored, not answered')) return kill.now()
    await hold?.()
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(text, () => {
      if (inserts && isKill('answered')) kill.now()
    })
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const { port } = proxy.address() as AddressInfo
  const env = {
    CALLYARD_BASE_URL: `http://127.0.0.1:${port}`,
    CALLYARD_API_KEY: sandbox.apiKey,
    CALLYARD_CONFIG_DIR: config,
  }

  const argvOf = (flags: readonly string[]) => [
    ...['faq', 'push', 'faq.yaml', '--json', '--batch-size', String(batchSize)],
    ...flags,
  ]

  /** One push; with a point, killed there. */
  async function push(flags: readonly string[], point?: KillPoint) {
    const child = startBin(argvOf(flags), { cwd: folder, env })
    const now = () => void child.kill('SIGKILL')
    if (point !== undefined) {
      seen = 0
      kill = { point, now }
    }
    const stop = point !== undefined && 'file' in point ? await killAtEvent(folder, point, now) : () => {}
    const { exitCode, stdout, stderr, signal } = await child
    stop()
    if (point !== undefined) kill = { point: undefined, now() {} }
    return { exitCode, stdout, stderr, signal }
  }

  const cli = await testCli({}, { env })

  /** One push that nothing kills; a process of its own is needed for what sees another push. */
  const pushToEnd = (flags: readonly string[]) => cli.runWith({ cwd: folder }, ...argvOf(flags))

  /** One push, and what a person does when it ends with 9: looks which entries are there, writes their ids, resends the others. */
  async function advance(point?: KillPoint) {
    const run = (flags: readonly string[]) => (point === undefined ? pushToEnd(flags) : push(flags, point))
    const result = await run([])
    if (result.exitCode !== 9) return result
    const { unknown } = openAnswer.parse(JSON.parse(result.stdout)).error
    const named = unknown.map(({ question }) => question)
    // The batch that was in flight; or the next one, when the kill came after its intent and before its request.
    if (named[0] !== inFlight[0])
      expect(stored.filter(({ question }) => named.includes(question))).toEqual([])
    else expect(named).toEqual(inFlight)
    expect(named.length).toBeLessThanOrEqual(batchSize)
    const lines = (await readFile(file, 'utf8')).split('\n')
    const ids = new Map(stored.map(({ id, question }) => [question, id]))
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
    /** Does something while the response to the first request of a push is held back; resolves when both have ended. */
    async whileHeld<Value>(
      work: () => Promise<Value>,
      onEnd: (run: Awaited<ReturnType<typeof push>>) => void = () => {},
    ): Promise<Value> {
      let arrived = () => {}
      let release = () => {}
      const reached = new Promise<void>(resolve => {
        arrived = resolve
      })
      const held = new Promise<void>(resolve => {
        release = resolve
      })
      hold = () => {
        arrived()
        return held
      }
      const running = push([])
      await reached
      const value = await work()
      release()
      onEnd(await running)
      hold = undefined
      return value
    },
    async expectWhole(expected = original) {
      const text = await readFile(file, 'utf8')
      const ids = new Map(
        [...text.matchAll(/- id: (\S+)\n {4}question: "(.*)"/g)].map(([, id, question]) => [question, id]),
      )
      expect(stored).toHaveLength(count)
      expect(ids).toEqual(new Map(stored.map(({ id, question }) => [question, id])))
      expect(text.replace(/id: \S+\n {4}/g, '')).toBe(expected)
      expect((await readdir(folder)).toSorted()).toEqual(['.callyard', 'faq.yaml'])
      expect(await readdir(join(folder, '.callyard'))).toEqual(['faq.yaml.lock.yaml'])
    },
  }
}

/** On a busy machine the event of a file may arrive after the push has ended; a request always stops it. */
function expectKilled(
  result: { signal?: string | undefined; exitCode?: number | undefined },
  point: KillPoint,
): void {
  if ('file' in point && result.signal === undefined) expect(result.exitCode).toBe(0)
  else expect(result.signal).toBe('SIGKILL')
}
