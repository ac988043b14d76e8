import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { everyCase } from '../helpers/every-case.ts'
import { lines, runBin, startBin, temporaryFolder } from '../helpers/run-bin.ts'

const readySchema = z.object({ baseUrl: z.string(), apiKey: z.string() })
const lineSchema = z.looseObject({ kind: z.string() })

/** A sandbox in a process of its own, and an assistant's file beside it. */
async function deskAtSandbox(numbers = '[]') {
  const folder = await temporaryFolder()
  const desk = 'name: Desk\nwelcomeMessage: Spoke and Chain, hello.\nmaxCallDuration: 2\n'
  await writeFile(join(folder, 'desk.yaml'), desk)
  await writeFile(join(folder, 'numbers.yaml'), numbers)
  const env = { CALLYARD_CONFIG_DIR: join(folder, 'config'), HOME: folder }
  const argv = ['sandbox', 'start', '--port', '0', '--pace', '0', '--in-memory', '--json']
  const flags = numbers === '[]' ? [] : ['--numbers', join(folder, 'numbers.yaml')]
  const sandbox = startBin([...argv, ...flags], { env })
  const { value } = await lines(sandbox.stdout).next()
  const { baseUrl, apiKey } = readySchema.parse(JSON.parse(value ?? ''))
  Object.assign(env, { CALLYARD_BASE_URL: baseUrl, CALLYARD_API_KEY: apiKey })
  const call = (to: string, ...more: string[]) =>
    runBin(
      [
        ...['call', 'start', '--from', '+12025550100', '--to', to, '--assistant', 'desk.yaml', '--follow'],
        ...['--metadata', 'caller=["Are you open?", "Goodbye"]', ...more],
      ],
      { cwd: folder, env },
    )
  const parsed = (stdout: string) =>
    stdout
      .trim()
      .split('\n')
      .map(line => lineSchema.parse(JSON.parse(line)))
  return { folder, env, call, parsed }
}

test('call start --follow exits with 8 and the reason for each number that does not answer', {
  timeout: 60_000,
}, async () => {
  const { call, parsed } = await deskAtSandbox()
  const numbers = [
    ['+1 202 555 0181', 'busy', 'the line was busy'],
    ['+1-202-555-0182', 'no-answer', 'the phone rang and was not picked up'],
    ['+1 (202) 555-0184', 'failed', 'the number could not be reached'],
    ['+12025550185', 'no-answer', 'the phone rang and was not picked up'],
  ] as const
  for (const [number, reason, words] of everyCase ? numbers : numbers.slice(0, 2)) {
    const { exitCode, stdout, stderr } = await call(number, '--json')
    expect(exitCode, number).toBe(8)
    const events = parsed(stdout)
    expect(events.filter(({ kind }) => kind === 'status')).toMatchObject([
      { status: 'queued', phoneCallStatus: 'ringing' },
      { status: 'finished', phoneCallStatus: reason, callEndTriggerBy: 'system' },
    ])
    expect(events.filter(({ kind }) => kind === 'message')).toEqual([])
    expect(events.at(-1)).toMatchObject({
      kind: 'unanswered',
      reason,
      message: expect.stringContaining(words),
    })
    expect(stderr).toContain(`error: the call was not answered: ${words}`)
  }
})

test('call start --follow exits with 0 for each number that answers, however the call ends', {
  timeout: 60_000,
}, async () => {
  const { call, parsed } = await deskAtSandbox()
  await call('+12025550185')
  const numbers = [
    ['+12025550183', 'user', 'leave a message'],
    ['+12025550185', 'user', 'Are you open?'],
    ['+12025550186', 'user', 'Spoke and'],
    ['+12025550187', 'system', 'Are you open?'],
    ['+12025550188', 'system', 'Are you still there?'],
  ] as const
  for (const [number, by, said] of everyCase ? numbers : numbers.slice(0, 2)) {
    const { exitCode, stdout } = await call(number, '--json')
    expect(exitCode, number).toBe(0)
    const events = parsed(stdout)
    expect(events.findLast(({ kind }) => kind === 'status')).toMatchObject({
      status: 'finished',
      phoneCallStatus: 'completed',
      callEndTriggerBy: by,
    })
    expect(JSON.stringify(events.filter(({ kind }) => kind === 'message'))).toContain(said)
  }
})

test('prints the end of the call and a hint', { timeout: 60_000 }, async () => {
  const { call } = await deskAtSandbox()
  const { stdout, stderr } = await call('+12025550181')
  expect(stdout).toMatch(/ · queued · ringing\n.* · finished · busy · ended by system$/m)
  expect(stderr).toMatch(
    /error: the call was not answered: the line was busy\n.*run the same command again later/,
  )
})

test('uses the outcomes of a numbers file in order, and reports an invalid one with its position', {
  timeout: 60_000,
}, async () => {
  const { call, env, folder } = await deskAtSandbox(
    '- { number: "+1 202 555 0190", outcome: [busy, unreachable] }\n',
  )
  const reasons = []
  for (const _ of [1, 2, 3]) {
    const { exitCode, stderr } = await call('+12025550190')
    reasons.push([exitCode, /not answered: (.*)/.exec(stderr)?.[1]])
  }
  const failed = [8, 'the number could not be reached']
  expect(reasons).toEqual([[8, 'the line was busy'], failed, failed])

  await writeFile(join(folder, 'numbers.yaml'), '- number: "+12025550190"\n  outcome: bussy\n')
  const refused = await runBin(
    ['sandbox', 'start', '--in-memory', '--port', '0', '--numbers', 'numbers.yaml'],
    {
      cwd: folder,
      env,
    },
  )
  expect(refused.exitCode).toBe(3)
  expect(refused.stderr).toContain('numbers.yaml:2:12')
  expect(refused.stderr).toContain('did you mean busy?')
})
