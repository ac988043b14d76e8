import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { starterProject } from '../../src/cli/commands/starter-project.ts'
import { type SandboxOptions, startSandbox } from '../../src/library/sandbox.ts'
import { bareEnvironment } from './processes.ts'
import { interleaved, median } from './rounds.ts'
import { atMost, defineBench } from './table.ts'

const sideBySide = 100
const turns = Array.from({ length: 10 }, (_, turn) => (turn < 9 ? `Question ${turn}?` : '/hangup'))

/** Times that a test suite waits for. */
export const libraryBench = defineBench({
  name: 'library',
  rows: {
    firstStart: {
      work: 'library: the first `startSandbox()` of a process',
      unit: 'ms',
      floor: `5.7 with node:crypto and node:http alone, which listens`,
      goal: atMost(25),
    },
    firstCall: { work: 'library: the first `call()` of a process', unit: 'ms', goal: atMost(15) },
    firstProject: {
      work: 'library: the first `startSandbox({ project })` of a process, a project of three files',
      unit: 'ms',
      goal: atMost(25),
    },
    firstProjectCall: {
      work: 'library: the first `call()` of a process, with webhooks and a question for the knowledge base',
      unit: 'ms',
      goal: atMost(15),
    },
    firstTool: {
      work: 'library: the first call with a tool of a process, beyond the second one',
      unit: 'ms',
      goal: atMost(15),
    },
    start: {
      work: 'library: `startSandbox({ project })` in a warm process, a project of three files',
      unit: 'ms',
      goal: atMost(15),
    },
    call: { work: 'library: `call()` of ten turns, without webhooks', unit: 'ms', goal: atMost(5) },
    reset: { work: 'library: `reset()` after such a call', unit: 'ms', goal: atMost(1) },
    many: {
      work: `library: ${sideBySide} sandboxes with the project side by side, a call in each, closed`,
      unit: 's',
      goal: atMost(2),
    },
  },
  async measure({ folder, rounds }) {
    const project = join(folder, 'library-project')
    for (const [name, text] of Object.entries(starterProject())) {
      await mkdir(dirname(join(project, name)), { recursive: true })
      await writeFile(join(project, name), text)
    }
    const program = join(folder, 'first.cjs')
    await writeFile(program, firstProgram)
    const start = () => startSandbox({ project, env: {} })
    const sandbox = await start()
    const callOn = (each: typeof sandbox) =>
      each.call({ assistant: { welcomeMessage: 'Hello' }, caller: turns })
    const call = () => callOn(sandbox)
    try {
      await call()
      const times = await interleaved(rounds(20), {
        start: async () => {
          const { value, taken } = await timed(start)
          await value.close()
          return taken
        },
        call: async () => (await timed(call)).taken,
        reset: async () => {
          await call()
          return (await timed(() => sandbox.reset())).taken
        },
      })
      const firstIn = async (options: SandboxOptions): Promise<FirstTimes> => {
        const env = { ...bareEnvironment(), LIBRARY: library, OPTIONS: JSON.stringify(options) }
        return JSON.parse((await run(process.execPath, [program], { env })).stdout)
      }
      const first = await interleaved(rounds(20), {
        empty: () => firstIn({}),
        project: () => firstIn({ project, env: {} }),
      })
      const firstTime = (kind: keyof typeof first, name: keyof FirstTimes) => ({
        value: median(first[kind].map(each => each[name])),
      })
      const all = await timed(async () => {
        const sandboxes = await Promise.all(Array.from({ length: sideBySide }, start))
        await Promise.all(sandboxes.map(callOn))
        await Promise.all(sandboxes.map(each => each.close()))
      })
      return {
        firstStart: firstTime('empty', 'start'),
        firstCall: firstTime('empty', 'call'),
        firstProject: firstTime('project', 'start'),
        firstProjectCall: firstTime('project', 'call'),
        firstTool: firstTime('project', 'tool'),
        start: { value: median(times.start) },
        call: { value: median(times.call) },
        reset: { value: median(times.reset) },
        many: { value: all.taken / 1000 },
      }
    } finally {
      await sandbox.close()
    }
  },
})

const run = promisify(execFile)
/** The build, because the source is loaded differently. */
const library = fileURLToPath(new URL('../dist/library/sandbox.js', import.meta.url))

interface FirstTimes {
  readonly start: number
  readonly call: number
  readonly tool: number
}

const firstProgram = `const { startSandbox } = require(process.env.LIBRARY)
const options = JSON.parse(process.env.OPTIONS)
const timed = async work => {
  const began = performance.now()
  const value = await work()
  return { value, taken: performance.now() - began }
}
const main = async () => {
  const start = await timed(() => startSandbox(options))
  const sandbox = start.value
  const assistant = options.project === undefined ? { welcomeMessage: 'Hello' } : 'front-desk'
  const call = await timed(() => sandbox.call({ assistant, caller: ['When are you open?', 'Goodbye'] }))
  const book = () => timed(() => sandbox.call({ assistant, caller: ['Please book an appointment for 2026-03-14.', 'Goodbye'] }))
  const [first, second] = [await book(), await book()]
  console.log(JSON.stringify({ start: start.taken, call: call.taken, tool: first.taken - second.taken }))
  await sandbox.close()
}
main()
`

async function timed<Value>(work: () => Promise<Value>): Promise<{ value: Value; taken: number }> {
  const began = performance.now()
  const value = await work()
  return { value, taken: performance.now() - began }
}
