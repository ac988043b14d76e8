import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { callsPerGroup } from '../../../../src/cli/commands/scenario/open-recording.ts'
import { callEvents } from '../../../helpers/events.ts'
import { recordingFile } from '../../../helpers/recordings.ts'
import { starterFiles } from '../../../helpers/resources.ts'
import { shellPipe } from '../../../helpers/shell-pipe.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const asks = (id: string, question: string, answer = 'I do not know.') =>
  callEvents({
    id,
    said: [
      ['user', question],
      ['assistant', answer],
    ],
  })
const recording = recordingFile(
  ...asks('CC-1', 'Do you mend e-bikes?'),
  ...asks('CC-2', 'When are you open on Sundays?'),
  ...asks('CC-3', 'Can you mend my e-bike?'),
  ...asks('CC-4', 'Where are you?', 'Beside the bridge.'),
)
const project = () => testCli({ ...starterFiles(), 'calls.ndjson': recording })

test('drafts entries from unanswered questions with counts, calls and similar entries', async () => {
  const cli = await project()
  const { exitCode, stdout } = await cli.run('test', 'gaps', 'calls.ndjson')
  expect(exitCode).toBe(0)
  expect(parse(stdout)).toEqual({
    faq: [
      { question: 'Do you mend e-bikes?', answer: '' },
      { question: 'When are you open on Sundays?', answer: '' },
    ],
  })
  expect(stdout).toContain('# 3 questions without an answer in 4 calls.')
  expect(stdout).toContain(`  # Asked 2 times in 2 calls: the assistant did not know.
  # Calls: CC-1, CC-3
  # Also: Can you mend my e-bike?
  - question: Do you mend e-bikes?`)
  expect(stdout).toMatch(
    / {2}# Near: When are you open\? \(score [\d.]+, 50% of the words\), knowledge-bases\/workshop\.yaml:5/,
  )
})

test('--json contains all groups, and --out replaces a file only with --force', async () => {
  const cli = await project()
  const argv = ['test', 'gaps', 'calls.ndjson', '--limit', '1', '--out', 'drafts/gaps.yaml'] as const
  expect(JSON.parse((await cli.run(...argv, '--json')).stdout)).toMatchObject({
    calls: 4,
    questions: 3,
    file: 'drafts/gaps.yaml',
    groups: [
      { question: 'Do you mend e-bikes?', count: 2, calls: ['CC-1', 'CC-3'], reasons: { fallback: 2 } },
      { count: 1, nearest: { question: 'When are you open?', line: 5 } },
    ],
  })
  const draft = await cli.read('drafts/gaps.yaml')
  expect(draft).toMatch(/^# yaml-language-server: \$schema=\.\.\/schemas\/knowledge-base\.schema\.json\n/)
  expect(parse(draft).faq).toHaveLength(1)
  expect(await cli.run(...argv)).toMatchObject({ exitCode: 2 })
  expect(await cli.run(...argv, '--force')).toMatchObject({ exitCode: 0 })
})

test('--fallback defines missing replies, and an invalid pattern is an error', async () => {
  const cli = await project()
  const { stdout } = await cli.run('test', 'gaps', 'calls.ndjson', '--fallback', 'beside the  BRIDGE')
  expect(parse(stdout).faq).toEqual([{ question: 'Where are you?', answer: '' }])
  const broken = await cli.run('test', 'gaps', 'calls.ndjson', '--fallback', '/(/')
  expect(broken).toMatchObject({ exitCode: 2, stdout: '' })
  expect(broken.stderr).toContain('--fallback "/(/"')
})

test('a recording without unanswered questions has no gaps and needs no project', async () => {
  const cli = await testCli({ 'calls.ndjson': recordingFile(...asks('CC-4', 'Where are you?', 'Here.')) })
  const { exitCode, stdout, stderr } = await cli.run('test', 'gaps', 'calls.ndjson')
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
  expect(stderr).toContain('0 questions without an answer in 1 call')
  expect(JSON.parse((await cli.run('test', 'gaps', 'calls.ndjson', '--json')).stdout)).toEqual({
    calls: 1,
    questions: 0,
    groups: [],
  })
})

test('--redact replaces names in questions and mentions no call in the draft', async () => {
  const named = recordingFile(...asks('CC-9', 'My name is Ada Lovelace, do you mend the bike of Ada?'))
  const cli = await testCli({ ...starterFiles(), 'calls.ndjson': named })
  const { exitCode, stdout } = await cli.run('test', 'gaps', 'calls.ndjson', '--redact')
  expect(exitCode).toBe(0)
  expect(stdout).not.toMatch(/ada|lovelace|CC-9/i)
  expect(stdout).toContain('do you mend the bike of Person1?')
  const also = await cli.run('test', 'gaps', 'calls.ndjson', '--redact-also', 'bike')
  expect(also.stdout).toMatch(/do you mend the Person\d of Person\d\?/)
})

test('a recording of more calls than are in memory at once is read whole', async () => {
  const calls = Array.from({ length: 5001 }, (_, index) => asks(`CC-${index}`, 'Do you mend e-bikes?')).flat()
  const cli = await testCli({ 'calls.ndjson': recordingFile(...calls) })
  const { stdout } = await cli.run('test', 'gaps', 'calls.ndjson', '--json')
  const { calls: count, questions, groups } = JSON.parse(stdout)
  expect({ count, questions, of: groups[0].calls.length }).toEqual({ count: 5001, questions: 5001, of: 5001 })
})

test.each([
  [0, 1500],
  [10_000, 1500],
  [100_000, 12_500],
  [100_001, 12_501],
])('a recording of %i calls is read in groups of %i, at most 8', (calls, size) => {
  expect(callsPerGroup(calls)).toBe(size)
})

test('a pipe of the shell is read whole, although it can be read only once', async () => {
  const cli = await project()
  const { stdout } = await cli.run('test', 'gaps', await shellPipe(recording), '--json')
  expect(JSON.parse(stdout)).toMatchObject({ calls: 4, questions: 3 })
})
