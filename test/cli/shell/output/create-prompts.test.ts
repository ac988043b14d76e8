import { expect, test } from 'vitest'
import type { GlobalOptions } from '../../../../src/cli/shell/flags/flag.ts'
import { createPrompts } from '../../../../src/cli/shell/output/create-prompts.ts'

const { signal } = new AbortController()

const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true

test.each<[string, GlobalOptions, Record<string, string>]>([
  ['--json is given', { json: true }, {}],
  ['--no-input is given', { input: false }, {}],
  ['CI is set', {}, { CI: 'true' }],
])('reports the flag and the reason if it cannot prompt: %s', async (why, options, env) => {
  await expectNoQuestion(why, options, env)
})

test.skipIf(isTerminal)('a question that cannot be asked: not a terminal', async () => {
  await expectNoQuestion('not a terminal', {}, { CI: 'false' })
})

async function expectNoQuestion(
  why: string,
  options: GlobalOptions,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const prompts = createPrompts({ stdin: process.stdin, stderr: process.stderr }, { options, env, signal })
  expect(prompts.available).toBe(false)
  await expect(prompts.text({ message: 'Number to call', flag: '--to' })).rejects.toMatchObject({
    kind: 'usage',
    message: '--to is missing',
    hint: `pass --to; callyard cannot prompt: ${why}`,
  })
}
