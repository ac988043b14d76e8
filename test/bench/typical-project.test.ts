import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { cliIn } from '../helpers/test-cli.ts'
import { oneTestEach, writeTypicalProject } from './typical-project.ts'

test('a typical project, here of twice its size, is valid, and its tests pass', async () => {
  const times = 2
  const folder = await temporaryFolder()
  await writeTypicalProject(folder, times)
  const run = await cliIn(folder)
  const validated = await run(['validate', '.', '--json'])
  expect(JSON.parse(validated.stdout)).toMatchObject({
    // The last one is callyard.yaml.
    files: (40 + 60 + 12 + 200) * times + 1,
    diagnostics: [],
    skipped: [],
  })
  expect(await run(['test', ...oneTestEach().slice(0, 3)])).toMatchObject({ exitCode: 0 })
})
