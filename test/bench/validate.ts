import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
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
      floor: 'js-yaml alone',
      goal: atMost(0.55),
    },
    entries: {
      work: '`validate` a knowledge base of 100,000 entries',
      unit: 's',
      floor: 'js-yaml alone',
      goal: atMost(1),
    },
    entriesMemory: {
      work: '`validate` a knowledge base of 100,000 entries: peak memory',
      unit: 'MB',
      floor: 'js-yaml alone',
      goal: atMost(400),
    },
  },
  async measure({ bin, folder, rounds }) {
    const [many, large] = [join(folder, 'many'), join(folder, 'large')]
    await writeProject(many, { assistants: 1000, tools: 0, knowledgeBases: 0, entries: 0 })
    await mkdir(large)
    await writeFile(join(large, 'kb.yaml'), knowledgeBaseText('kb', 100_000))
    // Where js-yaml is found.
    const root = join(dirname(bin), '..')
    const parse = (of: string) => runNode(['-e', parseProgram, of], { cwd: root })
    const samples = await interleaved(rounds(5), {
      assistants: () => runNode([bin, 'validate', '.'], { cwd: many }),
      assistantsFloor: () => parse(join(many, 'assistants')),
      entries: () => runNode([bin, 'validate', 'kb.yaml', '--kind', 'knowledge-base'], { cwd: large }),
      entriesFloor: () => parse(large),
    })
    return {
      assistants: { ...secondsOf(samples.assistants), floor: secondsOf(samples.assistantsFloor).value },
      entries: { ...secondsOf(samples.entries), floor: secondsOf(samples.entriesFloor).value },
      entriesMemory: {
        ...megabytesOf(samples.entries),
        floor: megabytesOf(samples.entriesFloor).value,
      },
    }
  },
})

/** Parses every file of a folder. */
const parseProgram = `
const { readdirSync, readFileSync } = require('node:fs')
const { join } = require('node:path')
const { load } = require('js-yaml')
const folder = process.argv[1]
for (const name of readdirSync(folder)) if (name.endsWith('.yaml')) load(readFileSync(join(folder, name), 'utf8'))`
