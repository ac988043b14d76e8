import { expect, test } from 'vitest'
import { writeFiles } from '../../../helpers/folders.ts'
import { type ChatBody, type ModelAnswer, startModelServer } from '../../../helpers/model-server.ts'
import { realClock } from '../../../helpers/real-clock.ts'
import { starterFiles } from '../../../helpers/resources.ts'
import { type TestCli, testCli } from '../../../helpers/test-cli.ts'

/** The starter with this test alone. */
async function deskWith(...lines: readonly string[]): Promise<TestCli> {
  return testCli({ ...starterFiles('tests'), 'tests/judged.test.yaml': `${lines.join('\n')}\n` })
}

const judged = [
  'assistant: front-desk',
  'turns:',
  '  - user: When are you open?',
  '    expect: { judge: names the days }',
]

const simulated = [
  'assistant: front-desk',
  'caller: { persona: A courier, goal: Know the hours, knows: { name: Ada } }',
  'turns: 3',
  'expect: { goal: reached, says: nine to six }',
]

const verdict = (word: string): ModelAnswer => ({
  say: JSON.stringify({ reason: `it is ${word}`, verdict: word }),
})

function isJudge({ messages }: ChatBody): boolean {
  return messages[0]?.content?.startsWith('Is this true') === true
}

const runTest = (cli: TestCli, ...flags: readonly string[]) =>
  cli.runWith({ clock: realClock }, 'test', 'tests/judged.test.yaml', ...flags)

test('a judgement is asked with -u, and holds without a server until the call is another one', async () => {
  const cli = await deskWith(...judged)
  const server = await startModelServer(verdict('yes'))
  const update = await runTest(cli, '-u', '--yes', '--judge-url', server.url, '--judge-model', 'wise')
  expect(update.exitCode, update.stderr).toBe(0)
  expect(server.requests.map(({ body }) => body.model)).toEqual(['wise'])
  await server.close()
  expect(await runTest(cli)).toMatchObject({ exitCode: 0 })

  const faq = 'knowledge-bases/workshop.yaml'
  await writeFiles(cli.folder, { [faq]: (await cli.read(faq)).replace('nine to six', 'ten to six') })
  const changed = await runTest(cli)
  expect(changed.exitCode).toBe(8)
  expect(changed.stdout).toContain('judged.test.yaml:4:22')
  expect(changed.stdout).toContain('not-recorded')
  expect(changed.stdout).toContain('ten to six')
})

test('a “no” of the majority fails with its reason', async () => {
  const cli = await deskWith(...judged)
  const no = await startModelServer(verdict('no'))
  const failed = await runTest(cli, '-u', '--yes', '--judge-url', no.url, '--judge-model', 'wise')
  expect(failed.exitCode).toBe(8)
  expect(failed.stdout).toContain('it is no')
  expect(no.requests).toHaveLength(3)
})

test('an unreadable verdict leaves the test undecided and is not recorded, and -u asks again', async () => {
  const cli = await deskWith(...judged)
  const vague = await startModelServer({ say: 'Perhaps.' })
  const undecided = await runTest(cli, '-u', '--yes', '--judge-url', vague.url, '--judge-model', 'wise')
  expect(undecided.exitCode).toBe(8)
  expect(undecided.stdout).toContain('Perhaps.')
  expect(undecided.stderr).toContain('could not be judged')
  expect(undecided.stderr).toContain('Nothing recorded')
  expect((await runTest(cli)).stdout).toContain('[not-recorded]')
  const clear = await startModelServer(verdict('yes'))
  const update = await runTest(cli, '-u', '--yes', '--judge-url', clear.url, '--judge-model', 'wise')
  expect(update.exitCode, update.stderr).toBe(0)
  expect(await runTest(cli)).toMatchObject({ exitCode: 0 })

  // Edited by hand.
  const cassette = 'tests/judged.cassette.ndjson'
  const recorded = await cli.read(cassette)
  const spoilt = recorded.replace(/"text":"\{.*?\}"/, '"text":"Perhaps."')
  expect(spoilt).not.toBe(recorded)
  await writeFiles(cli.folder, { [cassette]: spoilt })
  expect((await runTest(cli)).stdout).toContain('Perhaps.')
  await runTest(cli, '-u', '--yes', '--judge-url', clear.url, '--judge-model', 'wise')
  expect(await cli.read(cassette)).toBe(recorded)
})

test('a simulated caller holds a call that is the same without a server', async () => {
  const cli = await deskWith(...simulated)
  const server = await startModelServer(body => {
    if (isJudge(body)) return verdict('yes')
    const heard = body.messages.at(-1)?.content?.includes('nine to six') === true
    const line = heard ? { say: 'Bye', done: 'reached' } : { say: 'When are you open?', done: 'no' }
    return { say: JSON.stringify(line) }
  })
  const update = await runTest(cli, '-u', '--yes', '--judge-url', server.url, '--judge-model', 'wise')
  expect(update.exitCode, update.stderr).toBe(0)
  expect(server.requests).toHaveLength(3)
  await server.close()
  expect(await runTest(cli)).toMatchObject({ exitCode: 0 })
})
