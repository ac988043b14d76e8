import { join } from 'node:path'
import { writeProject } from './inputs.ts'
import { startInstantService } from './instant-service.ts'
import { runNode, type Sample } from './processes.ts'
import { interleaved, median } from './rounds.ts'
import { atMost, defineBench } from './table.ts'

// Fewer files fit into what the heap of an idle process has free, and seem to cost nothing.
const sizes = [500, 1000, 2000] as const

/** Planning projects whose files are as they were last applied: what a file costs, and whether costs grow with the files. */
export const planBench = defineBench({
  name: 'plan',
  rows: {
    assistants: {
      work: '`plan` of 1,000 assistants, unchanged',
      unit: 's',
      floor: 'reading and hashing the bytes',
      goal: atMost(0.4),
    },
    time: {
      work: '`plan` of unchanged files: time of a file at 2,000, against at 500',
      unit: 'times',
      goal: atMost(1.3),
    },
    memory: {
      work: '`plan` of unchanged files: memory of a file at 2,000, against at 500',
      unit: 'times',
      goal: atMost(1.3),
    },
    newEntries: {
      work: '`plan --json` of 1,000,000 new entries: peak memory',
      unit: 'MB',
      goal: atMost(1000),
    },
  },
  async measure({ bin, folder, rounds }) {
    const service = await startInstantService()
    const open = async (name: string, size: Parameters<typeof writeProject>[1]) => {
      const cwd = join(folder, name)
      await writeProject(cwd, size)
      const options = { cwd, env: service.env }
      await runNode([bin, 'apply', '--yes'], options)
      // Ends with 7, which throws, where anything would be changed.
      return () => runNode([bin, 'plan', '--exit-code', '--json'], options)
    }
    try {
      const works: Record<string, () => Promise<Sample>> = {
        none: await open('none', { assistants: 0, tools: 0, knowledgeBases: 0, entries: 0 }),
        assistants: await open('assistants', { assistants: 1000, tools: 0, knowledgeBases: 0, entries: 0 }),
      }
      // Of a hundred files, 40 are tools, 4 are knowledge bases of 50 entries.
      for (const size of sizes) {
        const [tools, knowledgeBases] = [size * 0.4, size * 0.04]
        works[size] = await open(String(size), {
          assistants: size - tools - knowledgeBases,
          tools,
          knowledgeBases,
          entries: 50,
        })
      }
      const samples = await interleaved(rounds(5), works)
      const million = join(folder, 'million')
      await writeProject(million, { assistants: 0, tools: 0, knowledgeBases: 4, entries: 250_000 })
      const newEntries = await runNode([bin, 'plan', '--json'], { cwd: million, env: service.env })
      const of = (name: string | number) => ({
        seconds: median((samples[name] ?? []).map(({ seconds }) => seconds)),
        megabytes: median((samples[name] ?? []).map(({ megabytes }) => megabytes)),
      })
      // What a command costs without files is taken off: it would hide how costs grow.
      const none = of('none')
      const each = sizes.map(size => ({
        size,
        milliseconds: ((of(size).seconds - none.seconds) / size) * 1000,
        kilobytes: ((of(size).megabytes - none.megabytes) / size) * 1024,
      }))
      const growth = (cost: (of: (typeof each)[number]) => number) => ({
        value: Math.max(...each.slice(-1).map(cost)) / Math.max(...each.slice(0, 1).map(cost)),
        detail: each.map(of => `${cost(of).toFixed(2)} at ${of.size}`).join(', '),
      })
      return {
        assistants: {
          value: of('assistants').seconds,
          detail: `${of('assistants').megabytes.toFixed(0)} MB; without files ${none.seconds.toFixed(2)} s`,
        },
        time: growth(({ milliseconds }) => milliseconds),
        memory: growth(({ kilobytes }) => kilobytes),
        newEntries: { value: newEntries.megabytes, detail: `${newEntries.seconds.toFixed(1)} s` },
      }
    } finally {
      service.close()
    }
  },
})
