import { expect, test } from 'vitest'
import { CallyardError, validate } from '../../src/library/index.ts'
import { errorOf } from '../helpers/errors.ts'
import { folderOf } from '../project/apply/project-on-disk.ts'

test('a project without findings has none', async () => {
  const folder = await folderOf({ 'assistants/desk.yaml': 'name: Desk\n' })
  expect(await validate(folder)).toEqual([])
})

test('a finding has a file, line, column, code, field and message', async () => {
  const cwd = await folderOf({
    'assistants/desk.yaml': 'name: Desk\nidleTimout: 30\n',
    'knowledge-bases/faq.yaml': 'knowledgeBaseId: k\nfaq: 3\n',
  })
  const findings = await validate(['assistants', 'knowledge-bases/*.yaml'], { cwd })
  expect(findings).toMatchObject([
    {
      code: 'unknown-key',
      severity: 'error',
      file: 'assistants/desk.yaml',
      line: 2,
      column: 1,
      field: 'idleTimout',
      hint: 'did you mean idleTimeout?',
    },
    { code: 'wrong-type', file: 'knowledge-bases/faq.yaml', line: 2, column: 6, field: 'faq' },
  ])
})

test('checks references between files if a whole project is given', async () => {
  const cwd = await folderOf({ 'assistants/desk.yaml': 'name: Desk\nassistantToolIds: ["${tool:bok}"]\n' })
  expect(await validate('.', { cwd })).toMatchObject([{ field: 'assistantToolIds[0]', line: 2 }])
})

test('uses the deployment’s vocabulary of the project, or the given one', async () => {
  const cwd = await folderOf({
    'callyard.yaml': 'vocabulary: { <provider_1>: acme }\n',
    'assistants/desk.yaml': 'name: Desk\nassistantProvider: acme\n',
  })
  expect(await validate('assistants/desk.yaml', { cwd })).toEqual([])
  expect(await validate('.', { cwd, vocabulary: {} })).toMatchObject([{ field: 'assistantProvider' }])
})

test('the environment is what is given', async () => {
  const cwd = await folderOf({ 'assistants/desk.yaml': 'name: ${env:DESK}\n' })
  expect(await validate('.', { cwd, env: {} })).toMatchObject([{ field: 'name', line: 1, column: 7 }])
  expect(await validate('.', { cwd, env: { DESK: 'Front desk' } })).toEqual([])
  expect(await validate('.', { cwd, env: process.env })).toMatchObject([{ field: 'name' }])
  const env = { DESK: 1 } as never
  expect(await errorOf(validate('.', { cwd, env }))).toMatchObject({ code: 'wrong-type', field: 'env.DESK' })
})

test('a missing file is a finding', async () => {
  expect(await validate('nowhere.yaml', { cwd: '/', kind: 'tool' })).toMatchObject([
    { severity: 'error', file: 'nowhere.yaml' },
  ])
  const [finding] = await validate('README.md')
  expect(finding).toMatchObject({ code: 'unknown-kind', hint: expect.stringMatching(/or give its kind \(/) })
})

const refused = [
  [[['a.yaml'], { vocabluary: {} }], 'vocabluary', 'did you mean vocabulary?'],
  [[['a.yaml'], { kind: 'assistent' }], 'kind', 'did you mean assistant?'],
  [[[3]], 'files[0]', undefined],
  [[''], 'files', undefined],
  [[undefined], 'files', undefined],
  [['a.yaml', 'strict'], 'options', undefined],
  [['a.yaml', null], 'options', undefined],
] as const

test.for(refused)('rejects %j by its field', async ([input, field, hint]) => {
  const error = await errorOf(Reflect.apply(validate, undefined, input))
  expect(error).toBeInstanceOf(CallyardError)
  expect(error).toMatchObject({ field, ...(hint === undefined ? {} : { hint }) })
  expect(String(error)).toMatch(/^CallyardError: validate: /)
})
