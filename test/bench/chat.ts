import { join } from 'node:path'
import { writeProject } from './inputs.ts'
import { megabytesOf, runNode, type Sample, secondsOf } from './processes.ts'
import { interleaved, median } from './rounds.ts'
import { atMost, defineBench, type Figure } from './table.ts'

const furtherQuestions = 20

/** A call in text with an assistant whose knowledge base is large: the first question, and what each further one costs. */
export const chatBench = defineBench({
  name: 'chat',
  rows: {
    some: { work: '`call chat`, 10,000 entries, one question', unit: 's', goal: atMost(1) },
    many: {
      work: '`call chat`, 100,000 entries, one question',
      unit: 's',
      floor: 'one parse, one index',
      goal: atMost(5),
    },
    manyMemory: { work: '`call chat`, 100,000 entries: peak memory', unit: 'MB', goal: atMost(500) },
    someFurther: { work: '`call chat`, 10,000 entries: each further question', unit: 'ms', goal: atMost(40) },
    manyFurther: {
      work: '`call chat`, 100,000 entries: each further question',
      unit: 'ms',
      floor: 'an object for each entry that has a word of the question',
      goal: atMost(600),
    },
    furtherMemory: {
      work: `\`call chat\`, 100,000 entries: peak memory after ${furtherQuestions} further questions`,
      unit: 'MB',
      goal: atMost(1200),
    },
  },
  async measure({ bin, folder, rounds }) {
    const open = async (entries: number) => {
      const cwd = join(folder, String(entries))
      await writeProject(cwd, { assistants: 1, tools: 0, knowledgeBases: 1, entries })
      const input = (questions: number) =>
        Array.from({ length: questions }, (_, index) => `Who is there on day ${index * 31}?\n`).join('')
      return (questions: number) =>
        runNode([bin, 'call', 'chat', 'assistants/assistant-0.yaml'], { cwd, input: input(questions) })
    }
    const [some, many] = [await open(10_000), await open(100_000)]
    const samples = await interleaved(rounds(3), {
      some: () => some(1),
      many: () => many(1),
      someFurther: () => some(1 + furtherQuestions),
      manyFurther: () => many(1 + furtherQuestions),
    })
    return {
      some: secondsOf(samples.some),
      many: secondsOf(samples.many),
      manyMemory: megabytesOf(samples.many),
      someFurther: eachFurther(samples.someFurther, samples.some),
      manyFurther: eachFurther(samples.manyFurther, samples.many),
      furtherMemory: megabytesOf(samples.manyFurther),
    }
  },
})

/** The processor time that the longer calls take more than the shorter ones, for each question. */
function eachFurther(longer: readonly Sample[], shorter: readonly Sample[]): Figure {
  const [more, less] = [longer, shorter].map(samples => median(samples.map(({ cpuSeconds }) => cpuSeconds)))
  return { value: (((more ?? Number.NaN) - (less ?? Number.NaN)) * 1000) / furtherQuestions }
}
