import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { temporaryFolder } from '../helpers/folders.ts'
import { expectJunit, parseSarif } from '../helpers/report-schemas.ts'
import { bin } from '../helpers/run-bin.ts'

test('a report to /dev/stdout is all that is printed there, in a pipe and in a file', async () => {
  const cwd = await temporaryFolder()
  await writeFile(join(cwd, 'tool.yaml'), 'type: function\n')
  const argv = [bin, 'validate', 'tool.yaml', '--kind', 'tool', '--out', 'junit:/dev/stdout']
  const env = { PATH: process.env.PATH, CALLYARD_CONFIG_DIR: cwd }
  const inShell = (script: string) =>
    execa('sh', ['-c', script, process.execPath, ...argv], { cwd, env, extendEnv: false })
  const piped = await inShell('"$0" "$@" | cat')
  await inShell('"$0" "$@" > out.txt')
  expect(piped.stderr).toBe('1 file checked, no errors, no warnings')
  for (const printed of [piped.stdout, await readFile(join(cwd, 'out.txt'), 'utf8')])
    await expectJunit(printed)
})

test('a SARIF report of findings links to the package and its guide', async () => {
  const cwd = await temporaryFolder()
  await writeFile(join(cwd, 'tool.yaml'), 'type: functon\n')
  const argv = [bin, 'validate', 'tool.yaml', '--kind', 'tool', '--out', 'report.sarif']
  const env = { CALLYARD_CONFIG_DIR: cwd }
  expect(await execa(process.execPath, argv, { cwd, env, reject: false })).toMatchObject({ exitCode: 3 })
  const { runs } = parseSarif(await readFile(join(cwd, 'report.sarif'), 'utf8'))
  expect(runs[0]?.tool.driver).toMatchObject({
    informationUri: manifest.homepage,
    rules: [{ id: 'not-allowed', helpUri: expect.stringMatching(/^https:.*\/docs\/projects\.md$/) }],
  })
})
