import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cpuOf, megabytesOf, runNode, type Sample } from './processes.ts'
import { interleaved, median, medianRatio } from './rounds.ts'
import { atMost, defineBench } from './table.ts'

/** Tests of conversations with the sandbox's rules for a model. */
export const testsBench = defineBench({
  name: 'tests',
  rows: {
    one: { work: '`test`, one test', unit: 'times', floor: '1', goal: atMost(6) },
    many: { work: '`test` of 500 tests of six turns: time of the processor', unit: 's', goal: atMost(5) },
    manyEntries: {
      work: '`test` of the same with 10,000 entries: time of the processor',
      unit: 's',
      goal: atMost(7),
    },
    growth: {
      work: '`test`: time of a test among 5,000, against among 500',
      unit: 'times',
      goal: atMost(1.2),
    },
    memory: { work: '`test` of 5,000 tests: peak memory', unit: 'MB', goal: atMost(600) },
  },
  async measure({ bin, folder, rounds }) {
    const projects = { one: [1, 10], few: [500, 10], many: [5000, 10], entries: [500, 10_000] } as const
    for (const [name, [tests, entries]] of Object.entries(projects))
      await writeTests(join(folder, name), tests, entries)
    const test = (name: keyof typeof projects, isProbed = true) =>
      runNode([bin, 'test'], { cwd: join(folder, name), isProbed })
    const starts = await interleaved(rounds(11), {
      one: () => test('one', false),
      bare: () => runNode(['-e', '0'], { cwd: folder, isProbed: false }),
    })
    const runs = await interleaved(rounds(3), {
      few: () => test('few'),
      entries: () => test('entries'),
      many: () => test('many'),
    })
    const seconds = (samples: readonly Sample[]) => samples.map(sample => sample.seconds)
    const cpu = (samples: readonly Sample[]) => samples.map(({ cpuSeconds }) => cpuSeconds)
    return {
      one: {
        value: medianRatio(seconds(starts.one), seconds(starts.bare)),
        detail: `${(median(seconds(starts.one)) * 1000).toFixed(0)} ms`,
      },
      many: cpuOf(runs.few),
      manyEntries: cpuOf(runs.entries),
      growth: { value: medianRatio(cpu(runs.many), cpu(runs.few)) / 10 },
      memory: megabytesOf(runs.many),
    }
  },
})

async function writeTests(folder: string, tests: number, entries: number): Promise<void> {
  await writeDesk(folder, entries)
  await mkdir(join(folder, 'tests'), { recursive: true })
  for (let index = 0; index < tests; index++)
    await writeFile(join(folder, 'tests', `t${index}.test.yaml`), testText(index))
}

/** Writes a project with one assistant, its tool and its knowledge base. */
export async function writeDesk(folder: string, entries: number): Promise<void> {
  const files = {
    'callyard.yaml': '',
    'assistants/desk.yaml': assistant,
    'tools/book.yaml': tool,
    'knowledge-bases/topics.yaml': knowledgeBase(entries),
  }
  for (const part of ['assistants', 'tools', 'knowledge-bases'])
    await mkdir(join(folder, part), { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
}

const assistant = `name: Desk
welcomeMessage: Hello {{name}}, how can I help?
assistantToolIds: ["\${tool:book}"]
assistantPredefinedTools: { knowledgeBase: true, endCall: true }
assistantKnowledgeBaseIds: ["\${kb:topics}"]
endCallPhrases: [goodbye]
endCallMessage: Goodbye!
`

const tool = `type: function
async: false
function:
  name: book_table
  description: Books a table
  parameters:
    type: object
    properties: { people: { type: integer }, day: { type: string, format: date } }
    required: [people]
server: { url: "http://127.0.0.1:9/" }
`

function knowledgeBase(entries: number): string {
  const lines = Array.from(
    { length: entries },
    (_, entry) =>
      `  - question: What about topic${entry} and part${entry % 977}?\n    answer: It is ${entry}.\n`,
  )
  return `knowledgeBaseId: topics\nfaq:\n${lines.join('')}`
}

function testText(index: number): string {
  return `name: Test ${index}
assistant: desk
variables: { name: Ada }
tools:
  book_table: { returns: { message: Booked. }, after: 3s }
turns:
  - expect: { says: Hello Ada }
  - user: What about topic${index % 10}?
    expect: { says: It is ${index % 10}, within: 2s, words: "<= 40" }
  - user: /interrupt Tell me about topic${(index + 1) % 10}
    expect: { says: It is ${(index + 1) % 10} }
  - user: Book a table for ${2 + (index % 50)} people
    expect: { calls: { book_table: { people: ${2 + (index % 50)} } }, says: Booked }
  - user: Do you sell cars?
    expect: { not: euros }
  - user: /say-nothing 2
  - user: Goodbye
    expect: { ends: assistant }
expect: { calls: [book_table], interruptions: "<= 1" }
`
}
