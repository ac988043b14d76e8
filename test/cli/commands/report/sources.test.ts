import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { madeRecording, slowReply } from '../../../calls/report/made-recording.ts'
import { toJsonLines } from '../../../helpers/json-lines.ts'
import { testCli } from '../../../helpers/test-cli.ts'
import { createAssistant, placeCall, startTestSandbox } from '../../../helpers/test-sandbox.ts'

const at = '2026-03-01T10:00:00.000Z'

test('--batch reads recorded events, and the journal for calls without any', async () => {
  const attempt = (key: string, call: string, outcome: string) => {
    const person = { person: key, number: '+12025550110', from: '+12025550100', kind: 'first' }
    return [
      { step: 'calling', at, attempt: key, ...person },
      { step: 'placed', at, attempt: key, call },
      {
        ...{ step: 'ended', at, attempt: key, outcome, seconds: 30, endedBy: 'user', reason: null },
        analysis: { summary: null, success: 'fail', structuredData: { day: 'Monday' } },
        callbackAt: null,
      },
    ]
  }
  const rejected = { step: 'failed', at, attempt: 'c', outcome: 'rejected', reason: '422' }
  const cli = await testCli({
    'people.csv': 'number\n+12025550110\n',
    '.callyard/batches/people/journal.ndjson': toJsonLines([
      ...attempt('a', 'CC-1', 'answered'),
      ...attempt('b', 'CC-2', 'voicemail'),
      ...attempt('c', 'CC-3', 'busy').slice(0, 1),
      rejected,
    ]),
    '.callyard/batches/people/events.ndjson': madeRecording({ messages: slowReply }),
  })
  const { stdout } = await cli.run('report', '--batch', 'people.csv', '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    sources: [{ kind: 'batch', name: 'people' }, { kind: 'batch' }],
    calls: 2,
    metrics: {
      outcome: { words: [{ word: 'answered' }, { word: 'voicemail' }] },
      success: { count: 1, of: 2 },
      reply: { count: 1, p50: 7000 },
      'data.day': { words: [{ word: 'Monday' }] },
    },
    slowest: [{ call: 'CC-1', command: expect.stringContaining('events.ndjson --call CC-1') }],
  })
})

test('--log reads the recordings of calls, and the log for calls without any', async () => {
  const cli = await testCli({ 'calls.ndjson': madeRecording({}, { id: 'CC-other' }) })
  const config = join(cli.folder, 'config')
  await mkdir(config)
  const placing = (key: string, recording: string | null) => ({
    ...{ step: 'placing', key, at, profile: null, service: 'http://127.0.0.1:1', from: '+12025550100' },
    ...{ to: '+12025550110', assistant: 'front-desk', variables: [], recording },
  })
  await writeFile(
    join(config, 'calls.ndjson'),
    toJsonLines([
      placing('a', join(cli.folder, 'calls.ndjson')),
      { step: 'placed', key: 'a', at, id: 'CC-1', controlUrl: null },
      placing('b', null),
      { step: 'ended', key: 'b', at, status: 'no-answer', seconds: null, endedBy: null },
      placing('c', null),
      { step: 'failed', key: 'c', at, status: 'not-placed', reason: '422' },
    ]),
  )
  const run = await cli.runWith({ env: { CALLYARD_CONFIG_DIR: config } }, 'report', '--log', '--json')
  expect(JSON.parse(run.stdout)).toMatchObject({
    calls: 2,
    metrics: {
      outcome: { words: [{ word: 'answered' }, { word: 'no-answer' }] },
      reply: { count: 1 },
    },
    slowest: [{ call: 'CC-1', command: 'callyard call show CC-1' }],
  })
})

test('--sandbox reads the calls of the running sandbox, with the names of their assistants', async () => {
  const sandbox = await startTestSandbox()
  const assistant = await createAssistant(sandbox, { name: 'Night desk', welcomeMessage: 'Hello.' })
  const id = await placeCall(sandbox, { assistantId: assistant._id })
  const cli = await testCli()
  const env = {
    CALLYARD_BASE_URL: sandbox.baseUrl,
    CALLYARD_API_KEY: sandbox.apiKey,
    CALLYARD_SANDBOX_TOKEN: sandbox.controlToken,
  }
  const run = await cli.runWith({ env }, 'report', '--sandbox', '--json', '--by', 'assistant')
  expect(JSON.parse(run.stdout)).toMatchObject({
    sources: [{ kind: 'sandbox', name: sandbox.baseUrl }],
    calls: 1,
    groups: [{ name: 'Night desk', calls: 1, metrics: { outcome: { of: 1 }, duration: { count: 1 } } }],
  })
  const csv = await cli.runWith({ env }, 'report', '--sandbox', '--format', 'csv')
  expect(csv.stdout).toContain(`\n${id},`)
})

test('recordings that cannot be read, and those without calls, are errors that say so', async () => {
  const compressed = gzipSync(madeRecording({}))
  const cli = await testCli({
    ...{ 'ok.ndjson': madeRecording({}), 'empty.ndjson': '', 'empty.gz': '', 'text.txt': 'hello\n' },
    'rules.yaml': 'rules:\n  - { name: busy, when: count(busy) over 1h >= 1 }\n',
    ...{ 'cut.gz': compressed.subarray(0, 100), 'twice.gz': gzipSync(compressed), 'folder/x': '' },
    'calls.ndjson.zst': Buffer.from('28b52ffd045831000068656c6c6f0a5388bd91', 'hex'),
  })
  await execa('mkfifo', [join(cli.folder, 'pipe')])
  for (const [file, exitCode, message] of [
    ['empty.ndjson', 3, 'no calls in empty.ndjson'],
    ['empty.gz', 3, 'no calls in empty.gz'],
    ['missing.ndjson', 3, 'no such file or directory'],
    ['folder', 3, 'it is a folder, not a file'],
    ['pipe', 3, 'it is a named pipe, not a file'],
    ['text.txt', 3, 'text.txt is not a recording'],
    ['cut.gz', 3, 'the gzip data ends too early'],
    ['twice.gz', 3, 'compressed with gzip'],
    ['calls.ndjson.zst', 3, 'compressed with gzip'],
  ] as const) {
    const result = await cli.run('report', file)
    expect(result).toMatchObject({ exitCode, stdout: '' })
    expect(result.stderr).toContain(message)
    expect(await cli.run('report', 'ok.ndjson', '--compare', file)).toMatchObject({ exitCode, stdout: '' })
    if (message.startsWith('no calls')) continue
    const replayed = await cli.run('webhook', 'replay', file, '--guard', 'rules.yaml')
    expect(replayed).toMatchObject({ exitCode, stdout: '', stderr: expect.stringContaining(message) })
  }
  const since = await cli.run('report', 'ok.ndjson', '--since', '2030-01-01')
  expect(since).toMatchObject({ exitCode: 3, stdout: '' })
  expect(since.stderr).toContain('no calls since 2030-01-01 00:00:00')
})

test('Ctrl-C ends it at once, also while a pipe is silent', async () => {
  const cli = await testCli()
  const ending = new AbortController()
  async function* input() {
    yield madeRecording({})
    ending.abort('SIGINT')
    await new Promise(() => undefined)
  }
  // Without the time that a command has to end by itself.
  const clock = { now: Date.now, sleep: () => new Promise<void>(() => undefined) }
  const result = await cli.runWith({ input: input(), signal: ending.signal, clock }, 'report', '-')
  expect(result).toMatchObject({ exitCode: 130, stdout: '' })
})
