import { expect, test } from 'vitest'
import { testCli } from '../../../helpers/test-cli.ts'

const secret = 's3cret'
const url = `ftp://user:${secret}@hooks.example.com/`

test.each([
  [['webhook', 'tail', '--require-header', secret], 'invalid value for --require-header'],
  [['webhook', 'tail', `--require-header=x-token ${secret}`], 'invalid value for --require-header'],
  [
    ['webhook', 'tail', '--require-header', `a: ${secret}`, '--require-header', 'b: c'],
    '--require-header is given twice',
  ],
  [['webhook', 'tail', '--forward-header', `x-token ${secret}`], 'invalid value for --forward-header'],
  [['webhook', 'tail', '--forward-header', `host: ${secret}`], 'invalid value for --forward-header'],
  [['webhook', 'tail', '--forward', url], 'invalid value for --forward'],
  [
    ['webhook', 'tail', '--forward', `type=https://u:${secret}@hooks.example.com/`],
    'invalid value for --forward',
  ],
  [['webhook', 'replay', 'calls.ndjson', '--to', url], 'invalid value for --to'],
  [['webhook', 'replay', 'calls.ndjson', '--header', secret], 'invalid value for --header'],
  [['webhook', 'trigger', 'call', '--header', secret], 'invalid value for --header'],
  [['webhook', 'trigger', 'call', '--to', url, '--to', url], 'invalid value for --to'],
  [['plan', `--api-key=${secret}`], 'unknown flag --api-key for callyard plan\n'],
  [[`--api-key=${secret}`, 'plan'], 'unknown flag --api-key for callyard plan\n'],
  [['profile', 'add', 'work', `--api-key=${secret}`], 'unknown flag --api-key for callyard profile add\n'],
  [['profile', 'add', 'work', `--password:${secret}`], 'unknown flag --password for callyard profile add\n'],
  [['plan', `-k${secret}`], 'unknown flag -k for callyard plan\n'],
  [['plan', `-H=x-token: ${secret}`], 'unknown flag -H for callyard plan\n'],
])('%j: the error contains no value that may be a secret', async (argv, message) => {
  const cli = await testCli()
  for (const more of [[], ['--debug'], ['--json']]) {
    const { exitCode, stdout, stderr } = await cli.run(...argv, ...more)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(message)
    expect(stdout + stderr).not.toContain(secret)
  }
})
