import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { toLines } from '../../src/lib/fs/log.ts'
import { type RecordEntry, type Sandbox, startSandbox } from '../../src/sandbox/index.ts'
import { realClock } from '../helpers/real-clock.ts'
import { megabytesOf, runNode, type Sample, secondsOf } from './processes.ts'
import { interleaved, median, medianRatio } from './rounds.ts'
import { atMost, defineBench } from './table.ts'

type SandboxOptions = NonNullable<Parameters<typeof startSandbox>[0]>

const sandboxes = 50
const requests = 300

/** The sandbox by itself: its start, what each one holds, and what many kept records cost. */
export const sandboxBench = defineBench({
  name: 'sandbox',
  rows: {
    start: { work: '`startSandbox()` in a warm process', unit: 'ms', goal: atMost(15) },
    heap: { work: 'each further sandbox: heap', unit: 'MB', goal: atMost(0.1) },
    reading: {
      work: 'sandbox: start with 30,000 tools, 100,000 entries and 10,000 calls kept',
      unit: 's',
      goal: atMost(3),
    },
    linear: {
      work: 'sandbox: the same start, against one with a tenth of the records',
      unit: 'times',
      floor: '10',
      goal: atMost(12),
    },
    request: {
      work: 'sandbox: a request with these records, against one with none',
      unit: 'times',
      floor: '1',
      goal: atMost(1.2),
    },
    grown: {
      work: 'sandbox: start from a data file of 320 MB with 16 MB of records, as a version without compaction left it',
      unit: 's',
      goal: atMost(3),
    },
    grownMemory: { work: 'sandbox: the same start: peak memory', unit: 'MB', goal: atMost(300) },
    reset: {
      work: 'sandbox: `reset()` with these records, and 1,000 live calls',
      unit: 'ms',
      goal: atMost(1),
    },
  },
  async measure({ bin, folder, rounds }) {
    const keep = async (name: string, tenths: number) => {
      const data = join(folder, name)
      await writeFile(data, toLines(recordsOf(tenths)))
      return data
    }
    const [some, many] = [await keep('some.ndjson', 1), await keep('many.ndjson', 10)]
    await timeOfStart({})
    const heap = await heapOfEach()
    const starts = await interleaved(rounds(5), {
      warm: () => timeOfStart({}),
      some: () => timeOfStart({ data: some }),
      many: () => timeOfStart({ data: many }),
    })
    const grown = await startsFromGrownFile({ bin, folder, rounds: rounds(1) })
    const empty = await start({})
    const full = await start({ entries: recordsOf(10) })
    const busy = await start({ entries: recordsOf(10), frozen: true })
    try {
      const posts = await interleaved(rounds(5), {
        empty: () => timeOfRequests(empty),
        full: () => timeOfRequests(full),
      })
      const resets = await interleaved(rounds(5), { busy: () => timeOfReset(busy) })
      return {
        start: { value: median(starts.warm) },
        heap: { value: heap / 1024 ** 2 },
        reading: { value: median(starts.many) / 1000 },
        linear: { value: medianRatio(starts.many, starts.some) },
        request: {
          value: medianRatio(posts.full, posts.empty),
          detail: `${(median(posts.empty) / requests).toFixed(2)} ms`,
        },
        grown: secondsOf(grown),
        grownMemory: megabytesOf(grown),
        reset: { value: median(resets.busy) },
      }
    } finally {
      await empty.close()
      await full.close()
      await busy.close()
    }
  },
})

/** A start, and an export of the records: 2,000 tools of 8 KB that were changed twenty times each. */
async function startsFromGrownFile({ bin, folder, rounds }: { bin: string; folder: string; rounds: number }) {
  const data = join(folder, 'grown.ndjson')
  const description = 'x'.repeat(8000)
  const samples: Sample[] = []
  for (let round = 0; round < rounds; round += 1) {
    await writeFile(data, '')
    for (let version = 0; version < 20; version += 1) {
      const entries = Array.from({ length: 2000 }, (_, index) => ({
        kind: 'tool',
        record: { _id: `tool-${index}`, version, description },
      }))
      await appendFile(data, toLines(entries))
    }
    const args = [bin, 'sandbox', 'export', 'out.json', '--force', '--data', data]
    samples.push(await runNode(args, { cwd: folder }))
  }
  return samples
}

function start(options: Partial<SandboxOptions>): Promise<Sandbox> {
  return startSandbox({ port: 0, pace: 0, clock: realClock, ...options })
}

/** Milliseconds. */
async function timeOfStart(options: Partial<SandboxOptions>): Promise<number> {
  const started = performance.now()
  const sandbox = await start(options)
  const taken = performance.now() - started
  await sandbox.close()
  return taken
}

/** Milliseconds, of tools that are created one after the other. */
async function timeOfRequests({ baseUrl, apiKey }: Sandbox): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const started = performance.now()
  for (let index = 0; index < requests; index += 1) {
    const body = JSON.stringify({ type: 'function', function: { name: `book_${index}` } })
    const answer = await fetch(`${baseUrl}/assistants/v1/tools`, { method: 'POST', headers, body })
    if (answer.status !== 200) throw new Error(`answered ${answer.status}`)
    await answer.text()
  }
  return performance.now() - started
}

/** Milliseconds. */
async function timeOfReset({ first }: Sandbox): Promise<number> {
  const body = { userNumber: '+12025550123', assistantNumber: '+12025550100', assistant: { name: 'Desk' } }
  for (let placed = 0; placed < 1000; placed += 1) await first.calls.start(body)
  const started = performance.now()
  await first.reset()
  return performance.now() - started
}

/** Bytes. */
async function heapOfEach(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const heapUsed = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = heapUsed()
  const all = await Promise.all(Array.from({ length: sandboxes }, () => start({})))
  const held = (heapUsed() - before) / sandboxes
  for (const sandbox of all) await sandbox.close()
  return held
}

/** Records of many runs: 3,000 tools, 10,000 entries and 1,000 calls for each tenth. */
function recordsOf(tenths: number): RecordEntry[] {
  const at = '2026-01-01T00:00:00.000Z'
  const many = <Item>(count: number, make: (index: number) => Item) =>
    Array.from({ length: count * tenths }, (_, index) => make(index))
  return [
    { kind: 'team', version: 1, teamId: 'team', apiKey: 'key' },
    ...many(3000, (index): RecordEntry => {
      const description = `Books table ${index} for a number of people`
      const record = {
        _id: `tool-${index}`,
        type: 'function',
        function: { name: `book_${index}`, description },
      }
      return { kind: 'tool', record: { ...record, teamId: 'team', createdAt: at, updatedAt: at } }
    }),
    ...many(100, (batch): RecordEntry => {
      const entries = Array.from({ length: 100 }, (_, index) => ({
        id: `entry-${batch}-${index}`,
        question: `What is the price of article ${batch * 100 + index}?`,
        answer: `Article ${index} costs ${batch} euros, and is on shelf ${index}.`,
      }))
      return { kind: 'faq', knowledgeBaseId: `shop-${batch % 5}`, entries }
    }),
    ...many(1000, (index): RecordEntry => {
      const messages = Array.from({ length: 20 }, (_, place) => ({
        messageId: `message-${place}`,
        role: place % 2 === 0 ? ('assistant' as const) : ('user' as const),
        text: `Some words that were said in this call, line ${place}`,
        timestamp: at,
      }))
      const record = {
        id: `CC-${index}`,
        teamId: 'team',
        direction: 'outbound' as const,
        createdAt: at,
        updatedAt: at,
        customer: { number: '+12025550123' },
        status: 'completed' as const,
        phoneVendor: '<phone_vendor_1>',
        phoneVendorDetails: { from: '+12025550100', to: '+12025550123' },
        monitor: { controlUrl: 'http://127.0.0.1:1/' },
        messages,
      }
      return { kind: 'call', record }
    }),
  ]
}
