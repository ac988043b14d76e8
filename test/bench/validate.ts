import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { knowledgeBaseText, writeProject } from './inputs.ts'
import { megabytesOf, runNode, secondsOf } from './processes.ts'
import { interleaved } from './rounds.ts'
import { atMost, defineBench } from './table.ts'

/** Checking a thousand files, and one file of a hundred thousand entries. */
export const validateBench = defineBench({
  name: 'validate',
  rows: {
    assistants: {
      work: '`validate` 1,000 assistants',
      unit: 's',
      floor: '0.11 s, js-yaml alone',
      goal: atMost(0.55),
    },
    entries: {
      work: '`validate` a knowledge base of 100,000 entries',
      unit: 's',
      floor: '0.41 s, js-yaml alone',
      goal: atMost(1),
    },
    entriesMemory: {
      work: '`validate` a knowledge base of 100,000 entries: peak memory',
      unit: 'MB',
      floor: '197 MB, js-yaml alone',
      goal: atMost(400),
    },
  },
  async measure({ bin, folder, rounds }) {
    const [many, large] = [join(folder, 'many'), join(folder, 'large')]
    await writeProject(many, { assistants: 1000, tools: 0, knowledgeBases: 0, entries: 0 })
    await mkdir(large)
    await writeFile(join(large, 'kb.yaml'), knowledgeBaseText('kb', 100_000))
    const samples = await interleaved(rounds(5), {
      assistants: () => runNode([bin, 'validate', '.'], { cwd: many }),
      entries: () => runNode([bin, 'validate', 'kb.yaml', '--kind', 'knowledge-base'], { cwd: large }),
    })
    return {
      assistants: secondsOf(samples.assistants),
      entries: secondsOf(samples.entries),
      entriesMemory: megabytesOf(samples.entries),
    }
  },
})
