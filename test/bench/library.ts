import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { starterProject } from '../../src/commands/starter-project.ts'
import { startSandbox } from '../../src/library/sandbox.ts'
import { interleaved, median } from './rounds.ts'
import { atMost, defineBench } from './table.ts'

const sideBySide = 100
const turns = Array.from({ length: 10 }, (_, turn) => (turn < 9 ? `Question ${turn}?` : '/hangup'))

/** What a test suite waits for. */
export const libraryBench = defineBench({
  name: 'library',
  rows: {
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
      const all = await timed(async () => {
        const sandboxes = await Promise.all(Array.from({ length: sideBySide }, start))
        await Promise.all(sandboxes.map(callOn))
        await Promise.all(sandboxes.map(each => each.close()))
      })
      return {
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

async function timed<Value>(work: () => Promise<Value>): Promise<{ value: Value; taken: number }> {
  const began = performance.now()
  const value = await work()
  return { value, taken: performance.now() - began }
}
