import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { type Shell, shells } from '../../../../src/cli/commands/completion/completion.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const committed = {
  bash: 'callyard.bash',
  zsh: '_callyard',
  fish: 'callyard.fish',
  powershell: 'callyard.ps1',
} as const satisfies Record<Shell, string>

test.each(shells)('prints the committed script for %s and nothing else', async shell => {
  const cli = await testCli()
  const result = await cli.run('completion', shell)
  expect(result).toMatchObject({ exitCode: 0, stderr: '' })
  const file = await readFile(new URL(`../../../../completions/${committed[shell]}`, import.meta.url), 'utf8')
  expect(result.stdout === file, `completions/${committed[shell]} is stale; run: npm run completions`).toBe(
    true,
  )
})

test('puts the script into one document with --json', async () => {
  const cli = await testCli()
  const { exitCode, stdout } = await cli.run('completion', 'bash', '--json')
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toEqual({
    shell: 'bash',
    script: expect.stringContaining('complete -o bashdefault'),
  })
})

test('refuses a shell that it does not know', async () => {
  const cli = await testCli()
  const result = await cli.run('completion', 'tcsh')
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain('bash, zsh, fish, powershell')
})
