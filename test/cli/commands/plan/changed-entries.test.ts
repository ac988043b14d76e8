import { expect, test } from 'vitest'
import { appliedProject } from '../project/test-project.ts'

const file = 'knowledge-bases/faq.yaml'
const secret = 'sesame-open-48151623'
const faq = (...entries: string[]) =>
  `knowledgeBaseId: kb1\nfaq:\n${entries.map(entry => `  - ${entry}\n`).join('')}`

const applied = (content: string, given: Readonly<Record<string, string>> = {}) =>
  appliedProject({ [file]: content, 'hours.txt': 'from nine to six' }, given)

test('shows a changed response before and after', async () => {
  const project = await applied(
    faq('{ question: Open?, answer: From nine to six }', '{ question: B, answer: b }'),
  )
  await project.write(file, (await project.read(file)).replace('nine to six', 'eight to six'))
  const { stdout } = await project.run('plan')
  expect(stdout).toContain(
    [
      '    entries: 1 to update, 1 unchanged',
      '    ~ "Open?" line 3',
      '      ~ answer: "From nine to six" → "From eight to six"',
    ].join('\n'),
  )
  const { actions } = JSON.parse((await project.run('plan', '--json')).stdout)
  expect(actions[0].entries).toEqual([
    {
      action: 'update',
      id: 'f-Open?',
      question: 'Open?',
      line: 3,
      changes: [
        {
          path: ['answer'],
          kind: 'changed',
          before: 'From nine to six',
          after: 'From eight to six',
          notes: [],
        },
      ],
    },
  ])
})

test('entries of a table are as before after git on Windows converted line ends', async () => {
  const table = 'knowledge-bases/table.csv'
  const project = await appliedProject({
    'callyard.yaml': 'knowledgeBases: { table: kb1 }\n',
    [table]: 'question,answer\nWhen?,"From nine\nto six"\n',
  })
  await project.write(table, (await project.read(table)).replaceAll('\n', '\r\n'))
  expect((await project.run('plan', '--exit-code')).exitCode).toBe(0)
})

test('shows the old and new version of a long reply one above the other', async () => {
  const answer = 'We are open from Monday to Friday between nine and six, and on Saturdays until one.'
  const project = await applied(faq(`{ question: Open?, answer: "${answer}" }`))
  await project.write(file, (await project.read(file)).replace('until one', 'until two'))
  const { stdout } = await project.run('plan')
  expect(stdout).toContain('      ~ answer:\n        - We are open from Monday')
  expect(stdout).toContain('        + We are open from Monday')
  expect(stdout).toContain('until two.')
})

test('a missing entry is identified by its id and question', async () => {
  const project = await applied(faq('{ question: A, answer: a }', '{ question: B, answer: b }'))
  const [kept = ''] = (await project.read(file)).split(/\n.*question: B/)
  await project.write(file, `${kept}\n`)
  expect((await project.run('plan')).stdout).toContain('    ? f-B "B"\n')
})

test('contains no secret, only the name of the changed variable', async () => {
  const entry = '{ question: Code?, answer: "It is ${env:CODE}, ${file:../hours.txt}" }'
  const project = await applied(faq(entry), { CODE: secret })
  expect(await project.recorded('kb/faq')).toMatchObject({
    texts: { 'f-Code?': { question: 'Code?', answer: 'It is ${env:CODE}, from nine to six' } },
  })
  project.env.CODE = `${secret}-2`
  const { stdout } = await project.run('plan')
  expect(stdout).toContain('    ~ "Code?" line 3\n      (the value of ${env:CODE} changed)\n')
  await project.write('hours.txt', 'at all times')
  expect((await project.run('plan')).stdout).toContain('at all times')
  await project.apply()
  const seen = [stdout, await project.read('callyard.lock.yaml')]
  expect(seen.join('\n')).not.toContain('sesame')
})

test('shows what it can of entries whose texts the lockfile does not keep, and keeps them after the next push', async () => {
  const project = await applied(faq('{ question: A, answer: a }', '{ question: B, answer: b }'))
  const lock = await project.read('callyard.lock.yaml')
  const before = lock.replace(/\n {8}texts:\n( {10}.*\n)+/, '\n').replace('serial: 1', 'serial: 2')
  expect(before).not.toContain('texts:')
  await project.write('callyard.lock.yaml', before)
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
  await project.write(file, (await project.read(file)).replace('answer: a', 'answer: new'))
  expect((await project.run('plan')).stdout).toContain(
    '    entries: 1 to update, 1 unchanged\n    ~ "A" line 3\n',
  )
  await project.apply()
  expect((await project.recorded('kb/faq'))?.texts).toEqual({
    'f-A': { question: 'A', answer: 'new' },
    'f-B': { question: 'B', answer: 'b' },
  })
})

test('an update without a response keeps the previously sent text', async () => {
  const project = await applied(faq('{ question: A, answer: a }'))
  await project.write(file, (await project.read(file)).replace('answer: a', 'answer: new'))
  for (let attempt = 0; attempt < 3; attempt += 1) project.service.next('PUT kb/kb1', 'taken')
  expect((await project.apply()).exitCode).toBe(6)
  expect((await project.run('plan')).stdout).toContain(
    [
      '    ~ "A" line 3',
      '      ~ answer: "a" → "new"',
      '      (what the service has is unknown, so it is sent again)',
    ].join('\n'),
  )
})

test('keeps texts of 2,000 entries, and only hashes beyond that', async () => {
  const entries = Array.from({ length: 2000 }, (_, at) => `{ question: q${at}, answer: a }`)
  const project = await applied(faq(...entries))
  expect(Object.keys((await project.recorded('kb/faq'))?.texts ?? {})).toHaveLength(2000)
  await project.write(file, `${await project.read(file)}  - { question: more, answer: a }\n`)
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect((await project.recorded('kb/faq'))?.texts).toBeUndefined()
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
})
