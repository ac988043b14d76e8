import { expect, test } from 'vitest'
import { statusUpdate } from '../../helpers/events.ts'
import { recordingFile } from '../../helpers/recordings.ts'
import { testCli } from '../../helpers/test-cli.ts'

const numbers = ['--from', '+12025550100', '--to', '+12025550101']

test.for([
  ['assistant', 'create', 'none.yaml'],
  ['tool', 'create', 'none.yaml'],
  ['tool', 'update', 't1', 'none.yaml'],
  ['tool', 'try', 'none.yaml'],
  ['faq', 'push', 'none.yaml'],
  ['faq', 'ask', 'Who are you?', 'none.yaml'],
  ['validate', 'none.yaml'],
  ['plan', '--calls', 'none.ndjson'],
  ['apply', '--yes', 'none.plan'],
  ['test', 'none.test.yaml'],
  ['test', 'gaps', 'none.ndjson'],
  ['test', 'record', 'none.ndjson'],
  ['report', 'none.ndjson'],
  ['report', 'calls.ndjson', '--compare', 'none.ndjson'],
  ['webhook', 'show', 'none.ndjson'],
  ['webhook', 'replay', 'none.ndjson', '--to', 'http://127.0.0.1:9'],
  ['webhook', 'tail', '--port', '0', '--guard', 'none.yaml'],
  ['webhook', 'tail', '--port', '0', '--require-header', '@none.txt'],
  ['call', 'start', ...numbers, '--assistant', 'none.yaml'],
  ['call', 'chat', 'none.yaml'],
  ['call', 'chat', 'desk.yaml', '--caller', 'none.txt'],
  ['batch', 'plan', 'none.yaml'],
  ['batch', 'plan', 'none.csv', '--from', '+12025550100', '--assistant', 'desk.yaml'],
  ['sandbox', 'start', '--numbers', 'none.yaml'],
  ['sandbox', 'start', '--snapshot', 'none.json'],
  ['sandbox', 'export', 'copy.json', '--data', 'none.ndjson'],
  ['call', 'chat', 'desk.yaml', '--data', 'none.ndjson'],
  ['validate', '.', '--env-file', 'none.env'],
  ['tool', 'try', './none'],
  ['call', 'start', ...numbers, '--assistant', 'folder/none'],
  ['call', 'chat', './none'],
  ['call', 'chat', 'none.txt'],
  ['batch', 'plan', './none'],
  ['sandbox', 'start', '--in-memory', '--project', 'none'],
  ['sandbox', 'exec', '--project', 'none', '--', process.execPath],
  ['api', 'POST', '/tools', '--body', '@none.json'],
] as const)('a missing input file is invalid input: %j', async argv => {
  const cli = await testCli({
    'callyard.yaml': '',
    'desk.yaml': 'name: Desk\n',
    'calls.ndjson': recordingFile(statusUpdate('c1', 'queued')),
  })
  const { exitCode, stdout, stderr } = await cli.run(...argv)
  expect(exitCode, stderr).toBe(3)
  expect(stdout + stderr).toContain('none')
  expect(cli.requests).toEqual([])
})
