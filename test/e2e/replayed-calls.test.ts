import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { starterFiles } from '../helpers/resources.ts'
import { startBuiltSandbox, startBuiltTail } from '../helpers/run-bin.ts'
import { cliIn } from '../helpers/test-cli.ts'

test('a recorded call shows what a changed answer would change, from the starter project to CI', async () => {
  const cwd = await temporaryFolder(starterFiles())
  const env = { CALLYARD_CONFIG_DIR: await temporaryFolder() }
  const sandbox = await startBuiltSandbox(['--in-memory'], { cwd, env })
  const tail = await startBuiltTail(['--record', 'calls.ndjson', '--until', 'finished'], { cwd, env })
  const inFolder = await cliIn(cwd, { ...env, ...sandbox.env, WEBHOOK_URL: tail.url })
  const run = (...argv: string[]) => inFolder(argv)
  expect(await run('apply', '--yes')).toMatchObject({ exitCode: 0 })
  const caller = JSON.stringify(['When are you open?', 'Book me in for 2026-01-02', 'Goodbye'])
  const numbers = ['--from', '+12025550100', '--to', '+12025550123']
  const placed = await run(
    ...['call', 'start', ...numbers, '--assistant', 'front-desk', '--yes'],
    ...['--metadata', `caller=${caller}`],
  )
  expect(placed.exitCode, placed.stderr).toBe(0)
  expect((await tail.child).exitCode).toBe(0)

  const gate = ['plan', '--calls', 'calls.ndjson', '--fail-on', 'tool-calls,ending,replies']
  const unchanged = await run(...gate)
  expect(unchanged.exitCode, unchanged.stderr).toBe(0)
  expect(unchanged.stdout).toContain('None of 1 replayed call would go differently.')
  expect(unchanged.stdout).toContain('drift     none')

  const file = join(cwd, 'knowledge-bases/workshop.yaml')
  await writeFile(file, (await readFile(file, 'utf8')).replace('nine to six', 'ten to four'))
  const changed = await run(...gate)
  expect(changed).toMatchObject({ exitCode: 8 })
  expect(changed.stderr).toContain('1 call differs in replies')
  const [command] = /callyard test record .*/.exec(changed.stdout) ?? []
  expect(changed.stdout).toMatch(/knowledge-bases\/workshop\.yaml:\d+:\d+ {2}“When are you open\?”/)
  expect(changed.stdout).toMatch(/- We are open.* nine to six/)
  expect(changed.stdout).toMatch(/\+ We are open.* ten to four/)
  const recorded = await run(...(command ?? '').split(' ').slice(1))
  expect(recorded.exitCode, recorded.stderr).toBe(0)
  expect(recorded.stdout).toContain('When are you open?')
})
