import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { applyBench } from './apply.ts'
import { batchBench } from './batch.ts'
import { callsBench } from './calls.ts'
import { chatBench } from './chat.ts'
import { conversationBench } from './conversation.ts'
import { forwardBench } from './forward.ts'
import { libraryBench } from './library.ts'
import { mcpBench } from './mcp.ts'
import { pageBench } from './page.ts'
import { findPeers, installPeers } from './peers.ts'
import { planBench } from './plan.ts'
import { projectBench, writeAppliedProject } from './project.ts'
import { pushBench } from './push.ts'
import { receiverBench } from './receiver.ts'
import { recordingBench } from './recording.ts'
import { relayBench } from './relay.ts'
import { replayBench } from './replay.ts'
import { sandboxBench } from './sandbox.ts'
import { startupBench } from './startup.ts'
import { type Bench, isMissed, markdownTable, type Result, withTable } from './table.ts'
import { tailBench } from './tail.ts'
import { testsBench } from './tests.ts'
import { validateBench } from './validate.ts'

const usage = `npm run bench -- [flags]

  --only <name>   this bench alone; may be repeated
  --rounds <n>    instead of each bench's own number of rounds
  --peers         install the peers that npm gives into a temporary folder, and measure them too
                  (or name a folder that has them: CALLYARD_BENCH_PEERS)
  --json          the figures as JSON
  --check         end with 1 where a goal is missed by more than a tenth
  --write         write the table into docs/speed.md
  --list          the names of the benches and their rows
  --write-project <folder>
                  writes the project of the bench "project", applied to a sandbox, and measures nothing
  --times <n>     how many times the size of that project. Default: 1`

export interface BenchOptions {
  readonly argv: readonly string[]
  /** The built command. */
  readonly bin: string
  /** docs/speed.md. */
  readonly page: string
}

/** Measures, prints the table, and returns the exit code. */
export async function bench({ argv, bin, page }: BenchOptions): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      peers: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      'write-project': { type: 'string' },
      times: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return print(usage)
  if (values['write-project'] !== undefined) {
    await writeAppliedProject(values['write-project'], Number(values.times), bin)
    return 0
  }
  return await withPeers(values.peers, async peersFolder => {
    const all = [
      startupBench(findPeers(peersFolder)),
      validateBench,
      projectBench,
      planBench,
      pushBench,
      applyBench,
      chatBench,
      recordingBench,
      replayBench,
      receiverBench,
      relayBench,
      conversationBench,
      tailBench,
      forwardBench,
      callsBench,
      batchBench,
      pageBench,
      sandboxBench,
      libraryBench,
      mcpBench,
      testsBench,
    ]
    if (values.list) return print(listed(all))
    const unknown = values.only.find(name => all.every(each => each.name !== name))
    if (unknown !== undefined || (values.write && values.only.length > 0)) {
      console.error(unknown === undefined ? '--write takes the whole table' : `no bench is called ${unknown}`)
      console.error(usage)
      return 2
    }
    const chosen = values.only.length === 0 ? all : all.filter(({ name }) => values.only.includes(name))
    const results: Result[] = []
    for (const each of chosen) {
      console.error(`measuring ${each.name}`)
      results.push(...(await measured(each, bin, values.rounds)))
    }
    if (values.write) {
      const table = `${head()}.\n\n${markdownTable(results, { details: false })}`
      await writeFile(page, withTable(await readFile(page, 'utf8'), table))
    }
    print(values.json ? asJson(results) : `${head()}\n\n${markdownTable(results, { details: true })}`)
    return values.check && results.some(isMissed) ? 1 : 0
  })
}

/** Hands over the folder of the peers: the named one, or one that lasts as long as the work. */
async function withPeers(
  isAsked: boolean,
  work: (folder: string | undefined) => Promise<number>,
): Promise<number> {
  const known = process.env.CALLYARD_BENCH_PEERS
  if (!isAsked) return await work(known)
  const folder = await mkdtemp(join(tmpdir(), 'callyard-peers-'))
  try {
    installPeers(folder)
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A bench that fails leaves the others their figures. */
async function measured(
  { name, rows, measure }: Bench,
  bin: string,
  rounds: string | undefined,
): Promise<Result[]> {
  const folder = await mkdtemp(join(tmpdir(), 'callyard-bench-'))
  try {
    const figures = await measure({ bin, folder, rounds: usual => Number(rounds ?? usual) })
    return Object.entries(rows).map(([key, row]) => ({
      bench: name,
      row,
      figure: figures[key] ?? { failure: 'the bench gave no figure' },
    }))
  } catch (error) {
    console.error(error)
    const failure = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    return Object.values(rows).map(row => ({ bench: name, row, figure: { failure } }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function listed(benches: readonly Bench[]): string {
  return benches
    .map(({ name, rows }) => [name, ...Object.values(rows).map(({ work }) => `  ${work}`)].join('\n'))
    .join('\n')
}

function head(): string {
  return `Node ${process.version}, ${cpus().length} cores, ${process.platform} ${process.arch}`
}

function asJson(results: readonly Result[]): string {
  const rows = results.map(result => {
    const { bench, row, figure } = result
    const { work, unit, floor, goal } = row
    return { bench, work, unit, floor, goal, ...figure, missed: isMissed(result) }
  })
  return JSON.stringify({ node: process.version, cores: cpus().length, rows }, undefined, 2)
}

function print(text: string): 0 {
  console.log(text)
  return 0
}
