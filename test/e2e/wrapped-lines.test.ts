import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { runBin } from '../helpers/run-bin.ts'
import { startInTerminal } from '../helpers/terminal.ts'

test('wraps lines at words on a terminal, and prints one line per finding to a pipe', async () => {
  const folder = await temporaryFolder()
  await writeFile(
    join(folder, 'desk.yaml'),
    'name: Front desk\nmaxCallDuration: 1000\nassistantSystemPromt: hi\n',
  )
  const argv = ['validate', 'desk.yaml', '--kind', 'assistant']
  const terminal = startInTerminal(argv, { cwd: folder, env: { CALLYARD_CONFIG_DIR: folder } })
  expect(await terminal.exitCode).toBe(3)
  const shown = stripVTControlCharacters(terminal.screen).replaceAll('\r', '')
  const piped = await runBin(argv, { cwd: folder, env: { CALLYARD_CONFIG_DIR: folder } })
  const all = `${piped.stdout}\n${piped.stderr}`
  expect(all).toMatch(/^desk\.yaml:2:18: error: .{60,}\[out-of-range\]$/m)
  for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  const wordsOf = (text: string) => text.match(/\S+/g)
  expect(wordsOf(shown)).toEqual(wordsOf(all))
})
