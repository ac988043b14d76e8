import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testCli } from '../helpers/test-cli.ts'
import { fencesOf, textOf } from './markdown.ts'

test('each example of expectations is valid in the starter project, and the first one passes', async () => {
  const cli = await testCli({})
  await cli.run('init', 'desk')
  const sections = (await textOf('docs/testing-conversations.md')).split(/^## /m)
  const tests = sections
    .filter(section => /^(Expectations|Judge|Simulated caller)/.test(section))
    .flatMap(fencesOf)
    .filter(({ language }) => language === 'yaml')
  expect(tests).toHaveLength(3)
  const names = await Promise.all(
    tests.map(async ({ body }, index) => {
      const name = join('desk', 'tests', `guide-${index}.test.yaml`)
      await writeFile(join(cli.folder, name), body)
      return name
    }),
  )
  expect(await cli.run('validate', ...names)).toMatchObject({ exitCode: 0 })
  const [first = ''] = names
  const run = await cli.run('test', first)
  expect(run.exitCode, run.stderr).toBe(0)
})
