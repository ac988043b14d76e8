import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { type Shell, shells } from '../../../src/commands/completion/completion.ts'
import { completionScript } from '../../../src/commands/completion/render.ts'
import { buildProgram } from '../../../src/commands/program.ts'
import { testCli } from '../../helpers/test-cli.ts'

const committed = {
  bash: 'callwright.bash',
  zsh: '_callwright',
  fish: 'callwright.fish',
  powershell: 'callwright.ps1',
} as const satisfies Record<Shell, string>

const sink = { write: () => true }

test.each(shells)('the committed script for %s is what the commands say', async shell => {
  const program = buildProgram(async () => {}, { stdout: sink, stderr: sink })
  const file = await readFile(new URL(`../../../completions/${committed[shell]}`, import.meta.url), 'utf8')
  expect(
    file === completionScript(shell, program),
    `completions/${committed[shell]} is stale; run: npm run completions`,
  ).toBe(true)
})

test.each(shells)('prints the script for %s and nothing else', async shell => {
  const cli = await testCli()
  const result = await cli.run('completion', shell)
  expect(result).toMatchObject({ exitCode: 0, stderr: '' })
  expect(result.stdout).toBe(
    await readFile(new URL(`../../../completions/${committed[shell]}`, import.meta.url), 'utf8'),
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
