import type { SandboxErrors } from '../../sandbox/index.ts'
import type { Messages } from './words.ts'

export const sandboxMessages: Messages<SandboxErrors> = {
  'port-taken': ({ host, port }) => ({
    message: `port ${port} on ${host} is already in use`,
    hint: 'stop the other process, or pass another --port (--port 0 for a free one)',
  }),
  'key-taken': ({ teamId }) => ({
    message: `the API key is already used by world ${teamId} of the sandbox`,
    hint: 'omit the key to create one, or close that world first',
  }),
  'team-taken': ({ teamId }) => ({
    message: `the sandbox already has a world with team id ${JSON.stringify(teamId)}`,
    hint: 'omit it to create one, or close that world first',
  }),
  'too-many-worlds': ({ max }) => ({
    message: `the sandbox already has ${max} worlds besides the first one`,
    hint: 'close worlds that you no longer use',
  }),
  'unusable-key': () => ({
    message: 'the API key cannot be sent as a bearer token',
    hint: 'use only letters, digits and - . _ ~ + /',
  }),
  'unusable-control-token': () => ({
    message: 'the control token cannot be sent as a bearer token',
    hint: 'use only letters, digits and - . _ ~ + /, or unset CALLYARD_SANDBOX_TOKEN to create one',
  }),
  'bad-advance': ({ milliseconds }) => ({
    message: `time cannot be advanced by ${milliseconds} milliseconds`,
    hint: 'pass 0 or more, up to the year 9999; only a reset or restore moves time back',
  }),
  'bad-pace': ({ pace }) => ({
    message: `invalid pace ${pace}`,
    hint: 'use a number up to 1000000: 1 is real time, 10 is ten times as fast, 0 does not wait',
  }),
  'sandbox-cannot-listen': ({ host, port }, { message }) => ({
    message: `the sandbox cannot listen on ${host}:${port}: ${message}`,
    hint: 'pass another --host or --port',
  }),
  'journal-in-use': ({ file, pid }) => ({
    message: `${pid === undefined ? 'another sandbox' : `another sandbox (process ${pid})`} is already using ${file}`,
    hint: 'stop it, or pass another file with --data, or --in-memory',
  }),
  'journal-unusable': ({ file, isDiskFull }, { message }) => ({
    message: `cannot use the sandbox journal ${file}: ${message}`,
    hint:
      isDiskFull === true
        ? 'free disk space, then run again'
        : 'check the folder and its permissions, or pass another file with --data (or --in-memory)',
  }),
  'journal-damaged': ({ file, line }) => ({
    message: `${file}:${line} is not an entry of a sandbox journal`,
    hint: 'move the file to start with an empty one, or pass another file with --data',
  }),
}
