import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { runBin } from '../helpers/run-bin.ts'
import { startInTerminal } from '../helpers/terminal.ts'

test('demo prints YAML, a transcript and an analysis, and exits with 0', async () => {
  const folder = await temporaryFolder()
  const { exitCode, stdout, stderr } = await runBin(['demo', '--pace', '0'], {
    cwd: folder,
    env: { TMPDIR: folder },
  })
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
  for (const words of [
    '$ callyard plan',
    '+ assistant/front-desk',
    '$ callyard apply --yes',
    '2 created, 1 updated',
    'Hello Ada, this is the AI front desk',
    'on Saturday until',
    'beside the bridge',
    'Thank you for calling. Goodbye!',
    'Try next:',
  ]) {
    expect(stdout).toContain(words)
  }
})

test('demo does not prompt on a terminal', async () => {
  const folder = await temporaryFolder()
  const terminal = startInTerminal(['demo', '--pace', '0'], {
    cwd: folder,
    env: { TMPDIR: folder, CALLYARD_CONFIG_DIR: folder },
  })
  await terminal.shows(/Try next:|Allow this\?/)
  expect(terminal.screen).not.toContain('Allow this?')
  expect(await terminal.exitCode).toBe(0)
})

test('with --json, every line of stdout is an event', async () => {
  const folder = await temporaryFolder()
  const { exitCode, stdout } = await runBin(['demo', '--pace', '0', '--json'], {
    cwd: folder,
    env: { TMPDIR: folder },
  })
  expect(exitCode).toBe(0)
  const events = stdout.split('\n').map(line => JSON.parse(line))
  const kinds = events.map(({ kind }) => kind)
  expect(kinds.slice(0, 4)).toEqual(['step', 'step', 'step', 'status'])
  expect(kinds.at(-1)).toBe('next')
  expect(events.filter(({ kind }) => kind === 'status').map(({ status }) => status)).toEqual([
    'queued',
    'ongoing',
    'finished',
  ])
  const last = events.findLast(({ kind }) => kind === 'status')
  expect(last.analysis.summary).toBeTypeOf('string')
  expect(
    events
      .filter(({ kind }) => kind === 'message')
      .map(({ role }) => role)
      .slice(0, 2),
  ).toEqual(['assistant', 'user'])
})
