import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Address } from '../../src/project/address.ts'
import { readEntries } from '../../src/project/faq/entries.ts'
import { loadProject } from '../../src/project/load/load-project.ts'
import { lockText } from '../../src/project/lockfile/lock-text.ts'
import { lockfileName, type Recorded } from '../../src/project/lockfile/lockfile.ts'
import { withoutEntries } from '../../src/project/plan/plan-knowledge-base.ts'
import { secretHash, snapshotOf } from '../../src/project/snapshot.ts'
import { median } from './median.ts'
import type { Row } from './run.ts'

const sizes = [250, 500, 1000] as const
const rounds = 5
const baseUrl = 'https://calls.example.com/'

/** Planning projects whose files are as they were last applied: whether costs grow with the files, and what a file costs. */
export async function benchPlan(bin: string): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'callwright-bench-'))
  const report = join(folder, 'report.cjs')
  const peak = join(folder, 'peak.txt')
  await writeFile(report, reporter(peak))
  // A list of extra certificates is read at every start, and alone triples a bare one.
  const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env
  const env = { ...environment, CALLWRIGHT_CONFIG_DIR: folder, CALLWRIGHT_BASE_URL: baseUrl }
  // What a command costs without files is taken off: it would hide how costs grow.
  const runs = await Promise.all(
    [0, ...sizes].map(async size => {
      const cwd = join(folder, String(size))
      await writeAppliedProject(cwd, size)
      return { size, cwd, milliseconds: [] as number[], kilobytes: [] as number[] }
    }),
  )
  for (let round = 0; round < rounds; round++) {
    for (const { cwd, milliseconds, kilobytes } of runs) {
      const begin = process.hrtime.bigint()
      // Ends with 7, which throws, where anything would be changed.
      execFileSync(process.execPath, ['-r', report, bin, 'plan', '--exit-code', '--json'], {
        env,
        cwd,
        stdio: ['ignore', 'ignore', 'inherit'],
        maxBuffer: 2 ** 26,
      })
      milliseconds.push(Number(process.hrtime.bigint() - begin) / 1e6)
      kilobytes.push(Number(await readFile(peak, 'utf8')))
    }
  }
  await rm(folder, { recursive: true, force: true })
  const [bare, ...measured] = runs.map(({ size, milliseconds, kilobytes }) => ({
    size,
    time: median(milliseconds),
    memory: median(kilobytes),
  }))
  if (bare === undefined) throw new Error('nothing was measured')
  const each = measured.map(({ size, time, memory }) => ({
    size,
    rate: (size / (time - bare.time)) * 1000,
    memory: (memory - bare.memory) / size,
  }))
  const [least, most] = [each[0], each.at(-1)]
  if (least === undefined || most === undefined) throw new Error('nothing was measured')
  const list = (value: (of: (typeof each)[number]) => string) =>
    each.map(of => `${value(of)} at ${of.size}`).join(', ')
  return [
    {
      what: 'plan of unchanged files: time per file at 1,000 / at 250',
      ratio: least.rate / most.rate,
      target: '≤ 1.3',
      detail: `${list(({ rate }) => rate.toFixed(0))} files/s, beside ${bare.time.toFixed(0)} ms without files`,
    },
    {
      what: '… memory per file at 1,000 / at 250',
      ratio: most.memory / least.memory,
      target: '≤ 1.3',
      detail: `${list(({ memory }) => memory.toFixed(0))} KB/file at the peak, beside ${(bare.memory / 1024).toFixed(0)} MB without files`,
    },
  ]
}

/** Of a hundred files, 40 are tools, 4 are knowledge bases of 50 entries, and the others assistants that refer to them. */
async function writeAppliedProject(folder: string, size: number): Promise<void> {
  const tools = Math.round(size * 0.4)
  const kbs = Math.round(size * 0.04)
  const files: Record<string, string> = {
    'callwright.yaml': '{}\n',
    ...numbered('tools/tool', tools, toolText),
    ...numbered('knowledge-bases/kb', kbs, knowledgeBaseText),
    ...numbered('assistants/assistant', size - tools - kbs, index =>
      assistantText(index, { tool: index % tools, kb: index % kbs }),
    ),
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  await writeFile(join(folder, lockfileName), await appliedLockfile(folder))
}

/** What an apply of all files would have written. */
async function appliedLockfile(folder: string): Promise<string> {
  const salt = 'salt'
  const hash = secretHash(salt)
  const file = join(folder, 'callwright.yaml')
  const project = await loadProject({ file, settings: {}, cwd: folder, env: {}, vocabulary: {} })
  const ids = new Map<Address, string>()
  const resources = project.resources.map(({ address, kind, checked }): [Address, Recorded] => {
    const snapshot = snapshotOf(checked, { hash, idOf: each => ids.get(each) })
    if (kind !== 'kb') {
      const id = `id of ${address}`
      ids.set(address, id)
      return [address, { id, ...snapshot }]
    }
    ids.set(address, String(snapshot.body.knowledgeBaseId))
    const { entries } = readEntries(checked.source, checked.body)
    const pushed = Object.fromEntries(entries.map(({ key = '', hashes }) => [key, hashes.content]))
    return [address, { ...withoutEntries(snapshot), entries: pushed }]
  })
  return lockText({ targets: { default: { baseUrl, salt, resources: Object.fromEntries(resources) } } })
}

function toolText(index: number): string {
  return `# Books an appointment.
type: function
function:
  name: tool-${index}
  description: Books an appointment for the caller, and says when it is.
  parameters:
    type: object
    properties:
      day: { type: string, description: The day as YYYY-MM-DD }
      time: { type: string, description: The time as HH:MM }
    required: [day, time]
server: { url: https://tools.example.com/${index}, timeoutSeconds: 10 }
messages:
  - type: request-start
    content: One moment, please.
`
}

function assistantText(index: number, { tool, kb }: { tool: number; kb: number }): string {
  return `name: assistant-${index}
welcomeMessage: Hello, this is desk ${index}. How can I help?
assistantSystemPrompt: |
  You are the front desk of a bicycle workshop, number ${index}.
  Answer in one or two short sentences. Never promise a price.
idleTimeout: 20
assistantToolIds: ["\${tool:tool-${tool}}"]
assistantPredefinedTools: { knowledgeBase: true, endCall: true }
assistantKnowledgeBaseIds: ["\${kb:kb-${kb}}"]
endCallPhrases: [goodbye, that is all]
assistantServer: { url: https://hooks.example.com/${index} }
`
}

function knowledgeBaseText(index: number): string {
  const entries = Array.from(
    { length: 50 },
    (_, entry) =>
      `  - id: entry-${index}-${entry}\n    question: When is desk ${index} open on day ${entry}?\n    answer: From nine to six.\n`,
  )
  return `knowledgeBaseId: kb-${index}\nfaq:\n${entries.join('')}`
}

function numbered(name: string, count: number, text: (index: number) => string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${name}-${index}.yaml`, text(index)]),
  )
}

/**
 * Loaded before the command: says at its end how much memory it took at most, in KB. Where the system tells it of this
 * program alone, that; what Node tells includes the process that started it, as far as that was bigger.
 */
function reporter(file: string): string {
  return `const { readFileSync, writeFileSync } = require('node:fs')
const own = () => /VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]
const peak = () => { try { return own() } catch { return process.resourceUsage().maxRSS } }
process.on('exit', () => writeFileSync(${JSON.stringify(file)}, String(peak())))
`
}
