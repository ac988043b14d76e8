import { expect, test } from 'vitest'
import { jsonLines } from '../../helpers/json-lines.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { testCli } from '../../helpers/test-cli.ts'
import { startTestSandbox } from '../../helpers/test-sandbox.ts'

/** Outcomes of calls to the phones of a sandbox; the caller asks for a person. */
const outcomes = {
  '+12025550123': 'forwarded',
  '+12025550181': 'busy',
  '+12025550182': 'no-answer',
  '+12025550183': 'voicemail',
  '+12025550184': 'failed',
  '+12025550186': 'answered',
  '+12025550188': 'answered',
} as const

const numbers = Object.keys(outcomes)
const desk = `name: Desk
welcomeMessage: Spoke and Chain, hello.
maxCallDuration: 2
assistantPredefinedTools: { callForward: true }
callForwardData: { phoneNumber: "+12025550190", name: Workshop }
`
const metadata = '{ caller: ["Put me through to a real person"] }'

async function project() {
  const sandbox = await startTestSandbox()
  const files = {
    'callyard.yaml': '',
    'desk.yaml': desk,
    'batches/calls.yaml': `list: people.csv\nfrom: "+12025550100"\nassistant: ../desk.yaml\nmetadata: ${metadata}\nresults: results.csv\n`,
    'batches/people.csv': `phone\n${numbers.join('\n')}\n`,
  }
  const cli = await testCli(files, { env: sandbox.env })
  const json = async (...argv: string[]) => {
    const { stdout, stderr } = await cli.runWith({ clock: realClock }, ...argv, '--json')
    expect(stdout, stderr).not.toBe('')
    return stdout.startsWith('{\n') ? JSON.parse(stdout) : jsonLines(stdout)
  }
  return { cli, json, run: (...argv: string[]) => cli.runWith({ clock: realClock }, ...argv) }
}

type Json = Awaited<ReturnType<typeof project>>['json']

/** Calls each phone with `call start --follow`, recorded in calls.ndjson. */
async function callEach(json: Json): Promise<void> {
  for (const to of numbers)
    await json(
      ...[
        'call',
        'start',
        '--yes',
        '--from',
        '+12025550100',
        '--to',
        to,
        '--assistant',
        'desk.yaml',
        '--follow',
      ],
      ...['--record', 'calls.ndjson', '--metadata', 'caller=["Put me through to a real person"]'],
    )
}

const countsOf = (words: Iterable<string>) => {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}

test('every command has the same word for the outcome of a followed call', async () => {
  const { json, run } = await project()
  await callEach(json)
  const { calls } = await json('call', 'list')
  expect(Object.fromEntries(calls.map(({ to, status }: Record<string, string>) => [to, status]))).toEqual(
    outcomes,
  )
  const { metrics } = await json('report', 'calls.ndjson')
  const words = metrics.outcome.words.map(({ word, count }: { word: string; count: number }) => [word, count])
  expect(Object.fromEntries(words)).toEqual(countsOf(Object.values(outcomes)))
  expect(metrics.transferred).toMatchObject({ count: 1, of: numbers.length })
  expect(metrics['ended-by'].words).toContainEqual(expect.objectContaining({ word: 'forward', count: 1 }))
  for (const [index, [to, outcome]] of Object.entries(outcomes).reverse().entries()) {
    const shown = await run('call', 'show', calls[index].id)
    expect(shown.stdout, to).toMatch(new RegExp(`^ +status +${outcome}$`, 'm'))
    expect(shown.stdout, to).toMatch(new RegExp(`^ +outcome +${outcome}$`, 'm'))
  }
  const lastWords = (table: string) =>
    Object.fromEntries(
      table.split('\n').flatMap(line => {
        const [, to] = /(\+1202555018\d|\+12025550123)\b/.exec(line) ?? []
        const [, word] =
          /\b(answered|forwarded|voicemail|no-answer|busy|failed|finished|completed)\b/.exec(line) ?? []
        return to === undefined ? [] : [[to, word]]
      }),
    )
  expect(lastWords((await run('webhook', 'show', 'calls.ndjson')).stdout)).toEqual(outcomes)
  const csv = await run('webhook', 'show', 'calls.ndjson', '--all', '--format', 'csv')
  expect(lastWords(csv.stdout)).toEqual(outcomes)
})

test('a batch, its results and its report have the same words', async () => {
  const { json, cli } = await project()
  await json('batch', 'run', 'batches/calls.yaml', '--follow', '--yes')
  const { counts } = await json('batch', 'status', 'batches/calls.yaml')
  expect(counts).toEqual(expect.objectContaining(countsOf(Object.values(outcomes))))
  const [header = '', ...rows] = (await cli.read('batches/results.csv'))
    .replace('\ufeff', '')
    .trim()
    .split('\n')
  const columns = header.split(',')
  const column = (name: string) => rows.map(row => row.split(',')[columns.indexOf(name)])
  expect(column('status')).toEqual(Object.values(outcomes))
  const { metrics } = await json('report', '--batch', 'calls')
  const words = metrics.outcome.words.map(({ word, count }: { word: string; count: number }) => [word, count])
  expect(Object.fromEntries(words)).toEqual(countsOf(Object.values(outcomes)))
})
