import { expect, test } from 'vitest'
import { withWords } from '../../src/messages/with-words.ts'
import { recordingError } from '../../src/recordings/errors.ts'
import { triggerError } from '../../src/trigger/errors.ts'
import { webhookError } from '../../src/webhook/errors.ts'

test.each([
  [
    recordingError('conflict', 'recorded-elsewhere', { path: 'calls.ndjson', pid: 7 }),
    'another webhook tail (process 7) already records into calls.ndjson',
    /--record/,
  ],
  [
    recordingError('usage', 'nothing-selected', {
      events: 3,
      absent: { filter: 'type', seen: ['a', 'b'], more: true },
    }),
    'none of the 3 recorded events matches',
    /^types in the recording: a, b, …$/,
  ],
  [
    recordingError('usage', 'nothing-selected', {
      events: 3,
      absent: { filter: 'call', near: 'CC-1', seen: ['CC-1'], more: false },
    }),
    'none of the 3 recorded events matches',
    /^did you mean CC-1\?$/,
  ],
  [
    recordingError('usage', 'nothing-selected', { events: 3 }),
    'none of the 3 recorded events matches',
    /^together, --call, --type, --from and --until leave nothing$/,
  ],
  [
    webhookError('conflict', 'port-in-use', { host: '127.0.0.1', port: 4011 }),
    'port 4011 on 127.0.0.1 is in use',
    /--port 0/,
  ],
  [
    webhookError('usage', 'command-unreadable', {
      runs: 'exec',
      problem: { code: 'operator', text: '|' },
      isWindows: false,
    }),
    '--exec: the operator | is for a shell',
    /quotes.*give --exec-shell too/,
  ],
  [
    webhookError('usage', 'command-unreadable', {
      runs: 'tunnel',
      problem: { code: 'escape', text: '\\\n' },
      isWindows: false,
    }),
    '--tunnel: \\(line end) is for a shell',
    /sh -c '…'/,
  ],
  [
    webhookError('usage', 'command-unreadable', {
      runs: 'tunnel',
      problem: { code: 'variable', text: '%HOME%' },
      isWindows: true,
    }),
    '--tunnel: %HOME% begins a variable, which is for a shell',
    /cmd \/c "…"/,
  ],
  [
    webhookError('usage', 'command-unreadable', {
      runs: 'exec',
      problem: { code: 'no-program' },
      isWindows: false,
    }),
    '--exec: the command names no program',
    /^give the program and its arguments$/,
  ],
  [
    webhookError('usage', 'exec-not-found', { program: 'C:\\tools\\take.exe' }),
    'the program C:\\tools\\take.exe of --exec was not found',
    /--exec-shell/,
  ],
  [
    webhookError('usage', 'tunnel-not-found', { program: 'lt', known: ['cloudflared', 'ngrok'] }),
    'the tunnel program lt was not found',
    /cloudflared, ngrok.*--tunnel '<command>'.*--public-url/,
  ],
  [
    triggerError('usage', 'field-unknown', {
      path: 'cal.id',
      problem: { is: 'unknown', at: '', name: 'cal', near: undefined, names: ['call'] },
    }),
    '--set cal.id: a message has no field cal',
    /^it has call; --allow-unknown/,
  ],
  [
    triggerError('usage', 'field-not-made', { path: 'messages[2]', problem: { length: 1 }, at: 'messages' }),
    '--set messages[2]: messages ends at [0], so [1] is the next',
    /^--messages says how many there are$/,
  ],
])('%s has words for a person', async (error, message, hint) => {
  expect(await withWords(error)).toMatchObject({ message, hint: expect.stringMatching(hint) })
})
