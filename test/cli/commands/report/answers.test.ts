import { expect, test } from 'vitest'
import { realClock } from '../../../helpers/real-clock.ts'
import { type RunExtra, testCli } from '../../../helpers/test-cli.ts'
import { createTool, startTestSandbox } from '../../../helpers/test-sandbox.ts'

const bothTypes = 'status-update, conversation-update'

/** Follows a call in which a tool takes five seconds and says so, and reports on its recording. */
async function reportOn({ messages, isAsync = false }: { messages: string; isAsync?: boolean }) {
  const sandbox = await startTestSandbox({
    answerTool: () => ({ kind: 'returns', value: { ok: true }, after: 5000 }),
  })
  const { _id } = await createTool(sandbox, {
    async: isAsync,
    function: { name: 'book_repair', parameters: { type: 'object', properties: {} } },
    messages: [{ type: 'request-start', content: 'One moment.' }],
  })
  const desk = `name: Desk\nassistantToolIds: [${_id}]\nassistantServer: { url: "http://127.0.0.1/", messages: [${messages}] }\n`
  const cli = await testCli({ 'desk.yaml': desk }, { env: sandbox.env })
  const runWith = (extra: RunExtra, ...argv: string[]) => cli.runWith({ clock: realClock, ...extra }, ...argv)
  const run = (...argv: string[]) => runWith({}, ...argv)
  const call = ['call', 'start', '--from', '+12025550100', '--to', '+12025550123', '--assistant', 'desk.yaml']
  const followed = await run(
    ...[...call, '--follow', '--record', 'calls.ndjson'],
    ...['--metadata', 'caller=["Book a repair, please","Thank you"]'],
  )
  expect(followed.exitCode).toBe(0)
  const { stdout } = await run('report', 'calls.ndjson', '--json')
  return { sandbox, followed, run, runWith, report: JSON.parse(stdout) }
}

test('an answer follows the response of a slow tool, and a reply is what the tool says meanwhile', async () => {
  const { report, run, runWith, followed, sandbox } = await reportOn({
    messages: `${bothTypes}, tool-started, tool-ended`,
  })
  const { reply, answer, tool } = report.metrics
  expect(tool).toMatchObject({ count: 1, max: 5000 })
  expect(reply.max).toBeLessThan(1000)
  expect(answer.max).toBeGreaterThan(5000)
  expect(answer.count).toBe(reply.count)
  expect(report.slowest).toMatchObject([{ kind: 'answer', ms: answer.max, after: 'Book a repair, please' }])
  expect(await run('report', 'calls.ndjson', '--fail', 'p95(answer) > 3s')).toMatchObject({ exitCode: 8 })
  expect(await run('report', 'calls.ndjson', '--fail', 'p95(reply) > 3s')).toMatchObject({ exitCode: 0 })
  expect(followed.stdout).toMatch(
    /tool-started book_repair: \{\}\n(.*\n)*.*tool-ended book_repair: \{"ok":true\}/,
  )
  const shown = await run('call', 'show', '--last', '--json')
  expect(JSON.parse(shown.stdout)).toMatchObject({ slowest: { kind: 'answer', ms: answer.max } })
  expect((await run('call', 'show', '--last')).stdout).toMatch(/^ +answer +5\.\d s at /m)
  for (const format of ['text', 'markdown', 'html'])
    expect((await run('webhook', 'show', 'calls.ndjson', '--last', '--format', format)).stdout).toMatch(
      /\banswer\b.*5\S*\d s at 0\\*:\d+, the slowest, after “Book a\s+repair,\s+please”/,
    )
  const env = { CALLYARD_SANDBOX_TOKEN: sandbox.controlToken }
  const ofRecords = await runWith({ env }, 'report', '--sandbox', '--json')
  expect(JSON.parse(ofRecords.stdout).metrics.answer).toMatchObject({ count: answer.count, max: answer.max })
})

test('an asynchronous tool is not waited for', async () => {
  const { report } = await reportOn({
    messages: `${bothTypes}, tool-started, tool-ended`,
    isAsync: true,
  })
  expect(report.metrics.tool).toMatchObject({ count: 1, max: 5000 })
  expect(report.metrics.answer.max).toBeLessThan(1000)
})

test('answers are unknown without the events of tools, and the report says so', async () => {
  const { report, run } = await reportOn({ messages: bothTypes })
  expect(report.metrics).toHaveProperty('reply')
  expect(report.metrics).not.toHaveProperty('answer')
  expect(report.slowest).toMatchObject([{ kind: 'reply' }])
  expect((await run('report', 'calls.ndjson')).stdout).toContain('answers are unknown')
  expect(await run('report', 'calls.ndjson', '--fail', 'p95(answer) > 3s')).toMatchObject({ exitCode: 8 })
})
