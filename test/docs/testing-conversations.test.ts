import { expect, test } from 'vitest'
import { writeFiles } from '../helpers/folders.ts'
import { testCli } from '../helpers/test-cli.ts'
import { fencesOf, textOf } from './markdown.ts'

test('each example of a test is valid in the starter project, and that of the expectations passes', async () => {
  const cli = await testCli({})
  await cli.run('init', 'desk')
  const fences = fencesOf(await textOf('docs/testing-conversations.md'))
  const tests = fences.filter(({ language, body }) => language === 'yaml' && /^assistant:/m.test(body))
  expect(tests).toHaveLength(5)
  const files = tests.map(({ body }, index) => [`desk/tests/guide-${index}.test.yaml`, body] as const)
  const [rows] = fences.filter(({ language }) => language === 'csv')
  await writeFiles(cli.folder, { ...Object.fromEntries(files), 'desk/tests/questions.csv': rows?.body ?? '' })
  const names = files.map(([name]) => name)
  expect(await cli.run('validate', ...names)).toMatchObject({ exitCode: 0, stderr: '' })
  const [expectations = ''] = files.flatMap(([name, body]) => (body.includes('silence:') ? name : []))
  const run = await cli.run('test', expectations)
  expect(run.exitCode, run.stderr).toBe(0)
})
