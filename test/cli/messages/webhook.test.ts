import { expect, test } from 'vitest'
import { withMessage } from '../../../src/cli/messages/with-words.ts'
import type { ExecErrors } from '../../../src/events/exec/index.ts'
import type { ReceiverErrors } from '../../../src/events/receive/index.ts'
import type { RecordingErrors } from '../../../src/events/recordings/index.ts'
import type { TriggerErrors } from '../../../src/events/trigger/index.ts'
import type { TunnelErrors } from '../../../src/events/tunnel/index.ts'
import { defineErrors } from '../../../src/lib/error.ts'

const codedError = defineErrors<
  RecordingErrors & TriggerErrors & ReceiverErrors & ExecErrors & TunnelErrors
>()

test.each([
  [
    codedError('conflict', 'recorded-elsewhere', { path: 'calls.ndjson', pid: 7 }),
    'another webhook tail (process 7) is already recording to calls.ndjson',
    /--record/,
  ],
  [
    codedError('usage', 'nothing-selected', {
      events: 3,
      absent: { filter: 'type', seen: ['a', 'b'], more: true },
    }),
    'none of the 3 recorded events match',
    /^types in the recording: a, b, …$/,
  ],
  [
    codedError('usage', 'nothing-selected', {
      events: 3,
      absent: { filter: 'call', near: 'CC-1', seen: ['CC-1'], more: false },
    }),
    'none of the 3 recorded events match',
    /^did you mean CC-1\?$/,
  ],
  [
    codedError('usage', 'nothing-selected', { events: 3 }),
    'none of the 3 recorded events match',
    /^no event matches --call, --type, --from and --until together$/,
  ],
  [
    codedError('conflict', 'port-in-use', { host: '127.0.0.1', port: 4011 }),
    'port 4011 on 127.0.0.1 is in use',
    /--port 0/,
  ],
  [
    codedError('usage', 'exec-not-found', { program: 'C:\\tools\\take.exe' }),
    '--exec: command not found: C:\\tools\\take.exe',
    /PATH/,
  ],
  [
    codedError('usage', 'tunnel-not-found', { program: 'lt', known: ['cloudflared', 'ngrok'] }),
    'the tunnel program lt was not found',
    /cloudflared, ngrok.*--tunnel '<command>'.*--public-url/,
  ],
  [
    codedError('usage', 'field-unknown', {
      path: 'cal.id',
      problem: { is: 'unknown', at: '', name: 'cal', near: undefined, names: ['call'] },
    }),
    '--set cal.id: a message has no field cal',
    /^it has call; to send it anyway, pass --allow-unknown/,
  ],
  [
    codedError('usage', 'field-not-made', { path: 'messages[2]', problem: { length: 1 }, at: 'messages' }),
    '--set messages[2]: messages ends at [0], so [1] is the next',
    /^set the number of messages with --messages$/,
  ],
])('%s has a readable description', async (error, message, hint) => {
  expect(await withMessage(error)).toMatchObject({ message, hint: expect.stringMatching(hint) })
})
