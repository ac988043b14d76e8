import type { SandboxErrors } from '../sandbox/index.ts'
import type { Messages } from './words.ts'

export const sandboxMessages: Messages<SandboxErrors> = {
  'port-taken': ({ host, port }) => ({
    message: `port ${port} on ${host} is already in use`,
    hint: 'use --port 0 for a free one, or stop what uses it',
  }),
  'key-taken': ({ teamId }) => ({
    message: `the API key is that of the sandbox’s world ${teamId} already`,
    hint: 'leave the key out for a new one, or close that world first',
  }),
  'team-taken': ({ teamId }) => ({
    message: `the sandbox has a world with the team id ${JSON.stringify(teamId)} already`,
    hint: 'leave it out for a new one, or close that world first',
  }),
  'too-many-worlds': ({ max }) => ({
    message: `the sandbox has ${max} worlds beside the first one already`,
    hint: 'close those that are not used any more',
  }),
  'unusable-key': () => ({
    message: 'the API key cannot be sent as a bearer token',
    hint: 'give letters, digits and - . _ ~ + /',
  }),
  'unusable-control-token': () => ({
    message: 'the control token cannot be sent as a bearer token',
    hint: 'give letters, digits and - . _ ~ + /, or unset CALLWRIGHT_SANDBOX_TOKEN for a new one',
  }),
  'bad-advance': ({ milliseconds }) => ({
    message: `time cannot be advanced by ${milliseconds} milliseconds`,
    hint: 'give 0 or more, within the year 9999; time never goes back but by a reset or restore',
  }),
  'bad-pace': ({ pace }) => ({
    message: `${pace} is no pace`,
    hint: 'give a number up to 1000000: 1 is real time, 10 ten times as fast, 0 does not wait',
  }),
  'sandbox-cannot-listen': ({ host, port }, { message }) => ({
    message: `the sandbox cannot listen on ${host}:${port}: ${message}`,
    hint: 'give another --host or --port',
  }),
  'journal-in-use': ({ file, pid }) => ({
    message: `${pid === undefined ? 'another sandbox' : `another sandbox (process ${pid})`} already uses ${file}`,
    hint: 'stop it, or give this one its own file with --data, or --in-memory',
  }),
  'journal-unusable': ({ file, isDiskFull }, { message }) => ({
    message: `the sandbox’s journal ${file} cannot be used: ${message}`,
    hint:
      isDiskFull === true
        ? 'free some space on the disk'
        : 'check the folder and its permissions, or give another file with --data (or --in-memory)',
  }),
  'journal-damaged': ({ file, line }) => ({
    message: `${file}:${line} is not an entry of a sandbox’s journal`,
    hint: 'move the file away to begin with an empty one, or give another one with --data',
  }),
}
