import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { lines } from '../helpers/json-lines.ts'
import { runBin, startBin } from '../helpers/run-bin.ts'

test('a recorded call shows what a changed answer would change, from the starter project to CI', async () => {
  const folder = await temporaryFolder()
  const env: Record<string, string> = { CALLYARD_CONFIG_DIR: join(folder, 'config'), HOME: folder }
  expect(await runBin(['init', 'desk'], { cwd: folder, env })).toMatchObject({ exitCode: 0 })
  const cwd = join(folder, 'desk')
  const start = async (...argv: string[]) => {
    const child = startBin([...argv, '--port', '0', '--json'], { cwd, env })
    return { child, ready: JSON.parse((await lines(child.stdout).next()).value ?? '') }
  }
  const sandbox = await start('sandbox', 'start', '--pace', '0', '--in-memory')
  const tail = await start('webhook', 'tail', '--record', 'calls.ndjson', '--until', 'finished')
  Object.assign(env, {
    CALLYARD_BASE_URL: sandbox.ready.baseUrl,
    CALLYARD_API_KEY: sandbox.ready.apiKey,
    WEBHOOK_URL: tail.ready.url,
  })
  const run = (...argv: string[]) => runBin(argv, { cwd, env })
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
