import { expect, test } from 'vitest'
import { testCli } from '../../../helpers/test-cli.ts'

const workshop = `knowledgeBaseId: workshop
faq:
  - question: When are you open?
    answer: Nine to five.
  - question: Do you mend bikes?
    answer: Yes, all bikes.
    category: repairs
  - id: e-1
    question: Do you mend electric bikes?
    answer: Electric bikes too, {{name}}.
`
const csv =
  'question,answer\n"Where can\nI park?",Behind the house.\nDo you sell bikes?,"No, we mend them."\n'
const files = {
  'callyard.yaml': 'baseUrl: https://api.example.test\n',
  'knowledge-bases/workshop.yaml': workshop,
  'knowledge-bases/more.yaml':
    'knowledgeBaseId: workshop\nfaq: [{ question: Who mends my saddle?, answer: Ada does. }]\n',
  'questions.csv': csv,
}
const notFound = 'This is the callyard sandbox: no entry of my knowledge base is about that.'

test('prints the reply of a call and lists the entries with scores and lines, best first', async () => {
  const cli = await testCli(files)
  const { exitCode, stdout, stderr } = await cli.run('faq', 'ask', 'Do you mend electric bikes?')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n')
  expect(lines[0]).toBe('Without a model the assistant says: Electric bikes too, {{name}}.')
  expect(lines[2]).toBe('SCORE  MATCHES  QUESTION                     WHERE')
  expect(lines[3]).toMatch(/ 100% {2}Do you mend electric bikes\? {2}knowledge-bases\/workshop\.yaml:8$/)
  expect(lines[4]).toMatch(/ 67% {2}Do you mend bikes\? .*workshop\.yaml:5$/)
  expect(cli.requests).toEqual([])
})

test('--json contains the entries, --limit keeps the first ones, and several files may share a knowledge base', async () => {
  const cli = await testCli(files)
  const all = JSON.parse((await cli.run('faq', 'ask', 'Who can mend bikes?', '--json')).stdout)
  expect(all).toMatchObject({ question: 'Who can mend bikes?', says: 'Yes, all bikes.' })
  expect(all.entries[0]).toEqual({
    file: 'knowledge-bases/workshop.yaml',
    line: 5,
    question: 'Do you mend bikes?',
    answer: 'Yes, all bikes.',
    category: 'repairs',
    score: expect.any(Number),
    share: 1,
  })
  const scores: number[] = all.entries.map(({ score }: { score: number }) => score)
  expect(scores).toEqual(scores.toSorted((one, other) => other - one))
  const one = JSON.parse(
    (await cli.run('faq', 'ask', 'Who can mend bikes?', '--json', '--limit', '1')).stdout,
  )
  expect(one.entries).toEqual(all.entries.slice(0, 1))
  const saddle = JSON.parse((await cli.run('faq', 'ask', 'mend the saddle', '--json')).stdout)
  expect(saddle.entries[0]).toMatchObject({ file: 'knowledge-bases/more.yaml', line: 2 })
})

test('accepts a CSV file, a name in the project, and both together', async () => {
  const cli = await testCli(files)
  const ask = async (...argv: string[]) => JSON.parse((await cli.run('faq', 'ask', ...argv, '--json')).stdout)
  expect(await ask('Where is parking?', 'questions.csv')).toMatchObject({
    says: 'Behind the house.',
    entries: [{ file: 'questions.csv', line: 2 }],
  })
  expect(await ask('Do you sell bikes?', 'questions.csv', 'workshop')).toMatchObject({
    says: 'No, we mend them.',
    entries: [{ line: 4 }, { file: 'knowledge-bases/workshop.yaml' }, {}],
  })
})

test('exits with 8 and prints the fallback if no entry matches', async () => {
  const cli = await testCli(files)
  const result = await cli.run('faq', 'ask', 'What is the weather?', 'workshop')
  expect(result).toMatchObject({ exitCode: 8, stdout: `Without a model the assistant says: ${notFound}\n` })
  expect(result.stderr).toContain('no entry answers "What is the weather?" (3 entries searched)')
  const { stdout } = await cli.run('faq', 'ask', 'What is the weather?', 'workshop', '--json')
  expect(JSON.parse(stdout)).toEqual({ question: 'What is the weather?', says: notFound, entries: [] })
})

test.each([
  ['a name that is none', ['x', 'workshp'], 2, 'did you mean workshop?'],
  ['an empty question', [' '], 2, 'the question is empty'],
])('%s', async (_, argv, exitCode, words) => {
  const cli = await testCli(files)
  const result = await cli.run('faq', 'ask', ...argv)
  expect(result).toMatchObject({ exitCode, stdout: '' })
  expect(result.stderr).toContain(words)
})

test('outside a project, requires a file and exits with 3 and the line of an invalid one', async () => {
  const cli = await testCli({ 'faq.yaml': 'faq:\n  - question: 7\n    answer: a\n' })
  const none = await cli.run('faq', 'ask', 'x')
  expect(none).toMatchObject({ exitCode: 2, stdout: '' })
  expect(none.stderr).toContain('no knowledge base given, and there is no project here')
  const bad = await cli.run('faq', 'ask', 'x', 'faq.yaml')
  expect(bad).toMatchObject({ exitCode: 3, stdout: '' })
  expect(bad.stderr).toContain('faq.yaml:2:15')
})
