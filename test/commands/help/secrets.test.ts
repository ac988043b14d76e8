import { expect, test } from 'vitest'
import { testCli } from '../../helpers/test-cli.ts'

const secret = 's3cret'
const url = `ftp://user:${secret}@hooks.example.com/`

test.each([
  [['webhook', 'tail', '--require-header', secret], '--require-header is malformed'],
  [['webhook', 'tail', `--require-header=x-token ${secret}`], '--require-header is malformed'],
  [
    ['webhook', 'tail', '--require-header', `a: ${secret}`, '--require-header', 'b: c'],
    '--require-header is given twice',
  ],
  [['webhook', 'tail', '--forward-header', `x-token ${secret}`], '--forward-header is malformed'],
  [['webhook', 'tail', '--forward-header', `host: ${secret}`], '--forward-header is malformed'],
  [['webhook', 'tail', '--forward', url], '--forward is malformed'],
  [['webhook', 'tail', '--forward', `type=https://u:${secret}@hooks.example.com/`], '--forward is malformed'],
  [['webhook', 'replay', 'calls.ndjson', '--to', url], '--to is malformed'],
  [['webhook', 'replay', 'calls.ndjson', '--header', secret], '--header is malformed'],
  [['webhook', 'trigger', 'call', '--header', secret], '--header is malformed'],
  [['webhook', 'trigger', 'call', '--to', url, '--to', url], '--to is malformed'],
  [['plan', `--api-key=${secret}`], 'has no flag --api-key\n'],
  [[`--api-key=${secret}`, 'plan'], 'has no flag --api-key\n'],
  [['profile', 'add', 'work', `--api-key=${secret}`], 'has no flag --api-key\n'],
  [['profile', 'add', 'work', `--password:${secret}`], 'has no flag --password\n'],
  [['plan', `-k${secret}`], 'has no flag -k\n'],
  [['plan', `-H=x-token: ${secret}`], 'has no flag -H\n'],
])('%j: the error shows no value that may be a secret', async (argv, message) => {
  const cli = await testCli()
  for (const more of [[], ['--debug'], ['--json']]) {
    const { exitCode, stdout, stderr } = await cli.run(...argv, ...more)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(message)
    expect(stdout + stderr).not.toContain(secret)
  }
})
