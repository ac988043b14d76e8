import { expect, test } from 'vitest'
import { buildTree } from '../commands/help/tree.ts'
import { runBin } from '../helpers/run-bin.ts'

test.each([[[]], [['--help']], [['-h']], [['help']], [['--no-color', '-h']]])(
  '%j prints the root page, which fits a screen of 24 lines',
  async argv => {
    const { exitCode, stdout, stderr } = await runBin(argv)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(`${stdout}\n`).toBe((await buildTree()).helpInformation())
    expect(stdout.split('\n').length).toBeLessThan(24)
  },
)

test('the bundle carries the topics, and the answers to other words', async () => {
  const topic = await runBin(['help', 'exit-codes'])
  expect(topic).toMatchObject({ exitCode: 0, stderr: '' })
  expect(topic.stdout).toContain('130  Cancelled')
  const answer = await runBin(['whoami'])
  expect(answer).toMatchObject({ exitCode: 2, stdout: '' })
  expect(answer.stderr).toContain('callwright profile show')
  expect(await runBin(['version'])).toEqual(await runBin(['--version']))
})
