import { expect, test } from 'vitest'
import { resumeCommand } from '../../../../src/cli/commands/batch/run-flags.ts'
import { commandLine } from '../../../../src/cli/shell/advice.ts'

test.each([
  [{}, ''],
  [{ stream: 'calls' }, ''],
  [{ follow: true }, ' --follow'],
  [{ follow: true, port: 4011, tunnel: 'ngrok' }, ' --follow --port 4011 --tunnel ngrok'],
  [{ follow: true, publicUrl: 'https://example.com/x' }, ' --follow --public-url https://example.com/x'],
  [{ events: 'my calls.ndjson' }, " --events 'my calls.ndjson'"],
  [
    { queue: ['nats://a:4222', 'nats://b:4222'], stream: 'team', natsCreds: 'a.creds' },
    ' --queue nats://a:4222 --queue nats://b:4222 --stream team --nats-creds a.creds',
  ],
])('the command that continues a batch has the flags of the run: %j', (options, flags) => {
  expect(commandLine(resumeCommand('reminders', options))).toBe(`callyard batch resume reminders${flags}`)
})
