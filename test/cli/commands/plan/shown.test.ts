import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { appliedProject, assistant, deskFiles, testProject, tool } from '../project/test-project.ts'

const secret = 'sesame-open-48151623'
const server = 'server: { url: "https://example.com", headers: { authorization: "Bearer ${env:TOKEN}" } }\n'
const masked = { ...deskFiles, 'tools/book.yaml': tool('book', server) }

test('shows a changed secret only by name in text, JSON, saved plan and lockfile', async () => {
  const project = await testProject(masked, { TOKEN: secret })
  const first = await project.apply()
  expect(project.service.bodiesOf('POST tool/book')).toMatchObject([
    { server: { headers: { authorization: `Bearer ${secret}` } } },
  ])
  project.env.TOKEN = `${secret}-2`
  const human = await project.run('plan', '--out', 'plan.json')
  const json = await project.run('plan', '--json')
  expect(human.stdout).toContain('server.headers.authorization: "Bearer ${env:TOKEN}"')
  expect(human.stdout).toContain('(the value of ${env:TOKEN} changed)')
  expect(JSON.parse(json.stdout).actions[0].changes).toEqual([
    {
      path: ['server', 'headers', 'authorization'],
      kind: 'changed',
      before: 'Bearer ${env:TOKEN}',
      after: 'Bearer ${env:TOKEN}',
      notes: ['the value of ${env:TOKEN} changed'],
    },
  ])
  const second = await project.apply()
  expect(second.exitCode).toBe(0)
  const written = [first, human, json, second].flatMap(({ stdout, stderr }) => [stdout, stderr])
  for (const file of ['plan.json', 'callyard.lock.yaml']) written.push(await project.read(file))
  expect(written.join('\n')).not.toContain('sesame')
})

test('the same secret under another name is not a change', async () => {
  const project = await appliedProject(masked, { TOKEN: secret, OTHER: secret })
  await project.write('tools/book.yaml', tool('book', server.replace('TOKEN', 'OTHER')))
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
})

test('a prompt of many lines is shown as its differing lines, also from an included file', async () => {
  const lines = Array.from({ length: 30 }, (_, index) => `Line ${index} of the prompt.`)
  const project = await appliedProject({
    'assistants/desk.yaml': assistant('Desk', [], 'assistantSystemPrompt: ${file:../prompt.md}\n'),
    'prompt.md': `${lines.join('\n')}\n`,
  })
  expect(project.service.bodiesOf('POST assistant/Desk')).toMatchObject([
    { assistantSystemPrompt: `${lines.join('\n')}\n` },
  ])
  await project.write('prompt.md', `${lines.with(15, 'Another line.').join('\n')}\n`)
  const { stdout } = await project.run('plan')
  expect(stdout).toContain(
    [
      '    ~ assistantSystemPrompt:',
      '        Line 13 of the prompt.',
      '        Line 14 of the prompt.',
      '      - Line 15 of the prompt.',
      '      + Another line.',
      '        Line 16 of the prompt.',
      '        Line 17 of the prompt.',
    ].join('\n'),
  )
  expect(stdout).not.toContain('Line 18')
})

test('moving a prompt into its own file is not a change', async () => {
  const project = await appliedProject({
    'assistants/desk.yaml': assistant('Desk', [], 'assistantSystemPrompt: Be brief.\n'),
  })
  await project.write('prompt.md', 'Be brief.')
  await project.write(
    'assistants/desk.yaml',
    assistant('Desk', [], 'assistantSystemPrompt: ${file:../prompt.md}\n'),
  )
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
})

test('for any values, no line of a terminal exceeds 80 columns except for a path', async () => {
  const long = 'A very long sentence that says too much about what a front desk is there for. '.repeat(4)
  const wide = '自転車の修理工場へようこそ。'.repeat(12)
  const faq = (answer: string) =>
    `knowledgeBaseId: kb1\nfaq:\n  - question: "${wide}"\n    answer: ${answer}\n  - question: "${long}"\n    answer: ${answer}\n`
  const name = `tools/${'deep/'.repeat(12)}${'a-long-name-'.repeat(6)}.yaml`
  const files = (value: string, answer: string) => ({
    [name]: tool('long', `server: { url: "${value}" }\n`),
    'knowledge-bases/faq.yaml': faq(answer),
    'assistants/desk.yaml': assistant(
      'Desk',
      [],
      `welcomeMessage: "${value}"\nhints: ["${value}", "${value}"]\n`,
    ),
  })
  const project = await testProject(files(long, 'a'))
  const created = await project.runWith({ terminal: true }, 'plan')
  await project.apply()
  for (const [file, content] of Object.entries(files(wide, 'b')))
    await project.write(
      file,
      file.startsWith('knowledge')
        ? (await project.read(file)).replaceAll('answer: a', 'answer: b')
        : content,
    )
  const changed = await project.runWith({ terminal: true }, 'plan')
  expect(stripVTControlCharacters(changed.stdout)).toContain('~ welcomeMessage')
  for (const { stdout } of [created, changed]) {
    const wide = stdout.split('\n').filter(line => stringWidth(line) > 80)
    expect(wide.map(line => stripVTControlCharacters(line))).toEqual([
      expect.stringMatching(/^[+~] tool\/deep\/[\w/-]+$/),
      `  ${name}`,
    ])
  }
})

test('shows entries by their questions and lines', async () => {
  const project = await testProject(
    {
      'knowledge-bases/faq.yaml':
        'knowledgeBaseId: kb1\nfaq:\n  - question: Open?\n    answer: a\n  - question: "To ${env:WHO}?"\n    answer: b\n',
    },
    { WHO: secret },
  )
  const { stdout } = await project.run('plan')
  expect(stdout).toContain(
    '~ kb/faq  knowledge-bases/faq.yaml\n    entries: 2 to insert\n    + "Open?" line 3\n',
  )
  expect(stdout).toContain('    + "To ${env:WHO}?" line 5\n')
})
