import { createWriteStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { startInstantService } from './instant-service.ts'
import { cpuOf, megabytesOf, runNode } from './processes.ts'
import { interleaved, medianRatio } from './rounds.ts'
import { atMost, defineBench } from './table.ts'
import { writeDesk } from './tests.ts'

/** Replaying recorded calls of ten turns on the deployed files and on changed ones, with the sandbox's rules for a model. */
export const replayBench = defineBench({
  name: 'replay',
  rows: {
    calls: {
      work: '`plan --calls` of 400 calls of ten turns: time of the processor',
      unit: 's',
      goal: atMost(5),
    },
    growth: {
      work: '`plan --calls`: time of a call among 2,000, against among 400',
      unit: 'times',
      goal: atMost(1.2),
    },
    memory: {
      work: '`plan --calls` of 2,000 calls of ten turns: peak memory',
      unit: 'MB',
      goal: atMost(600),
    },
  },
  async measure({ bin, folder, rounds }) {
    const service = await startInstantService()
    const options = { cwd: folder, env: service.env }
    try {
      await writeDesk(folder, 100)
      await runNode([bin, 'apply', '--yes'], options)
      for (const [name, calls] of [
        ['few', 400],
        ['many', 2000],
      ] as const)
        await writeCalls(join(folder, `${name}.ndjson`), calls)
      await writeFile(join(folder, 'callyard.yaml'), 'assistants: replace\n')
      for (const [file, from, to] of [
        ['assistants/desk.yaml', 'Hello', 'Good day'],
        ['knowledge-bases/topics.yaml', 'It is 3.', 'It was 3.'],
        ['tools/book.yaml', 'Books a table', 'Reserves a table'],
      ] as const) {
        const text = await readFile(join(folder, file), 'utf8')
        await writeFile(join(folder, file), text.replace(from, to))
      }
      // Ends with 8, which throws, unless each call is replayed.
      const plan = (file: string) =>
        runNode([bin, 'plan', '--calls', file, '--fail-on', 'tool-calls,ending'], {
          ...options,
          timeoutSeconds: 600,
        })
      const samples = await interleaved(rounds(3), {
        few: () => plan('few.ndjson'),
        many: () => plan('many.ndjson'),
      })
      const cpu = (of: keyof typeof samples) => samples[of].map(({ cpuSeconds }) => cpuSeconds)
      return {
        calls: cpuOf(samples.few),
        growth: { value: medianRatio(cpu('many'), cpu('few')) / 5 },
        memory: megabytesOf(samples.many),
      }
    } finally {
      service.close()
    }
  },
})

const lines = [
  ...Array.from({ length: 8 }, (_, topic) => [`What about topic${topic}?`, `It is ${topic}.`] as const),
  ['Book a table for 4 people', 'Booked.'] as const,
  ['Goodbye', 'Goodbye!'] as const,
]

/** Writes a recording in which each message is an event with all messages so far. */
async function writeCalls(file: string, calls: number): Promise<void> {
  const output = createWriteStream(file)
  for (let call = 0; call < calls; call++) {
    const said = [
      ['assistant', 'Hello Ada, how can I help?'],
      ...lines.flatMap(([user, reply]) => [
        ['user', user],
        ['assistant', reply],
      ]),
    ]
    const messages = said.map(([role, text], index) => ({ messageId: `m-${call}-${index}`, role, text }))
    const about = { id: `CC-${call}`, status: 'ongoing' }
    const events = [
      ...messages.map((_, index) => ({
        type: 'conversation-update',
        call: about,
        messages: messages.slice(0, index + 1),
      })),
      {
        type: 'status-update',
        call: { ...about, status: 'finished', callEndTriggerBy: 'assistant' },
        assistant: { name: 'Desk' },
      },
    ]
    for (const [second, message] of events.entries()) {
      const at = new Date(Date.UTC(2026, 2, 1, 10) + (call * 60 + second) * 1000).toISOString()
      const line = { kind: 'recorded', version: 1, at, headers: {}, body: JSON.stringify({ message }) }
      output.write(`${JSON.stringify(line)}\n`)
    }
  }
  output.end()
  await finished(output)
}
