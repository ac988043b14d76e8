import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { expect, onTestFinished, test } from 'vitest'
import { quoteForShell } from '../../../src/lib/text/escape.ts'
import { gone, isAlive } from '../../helpers/alive.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const source = fileURLToPath(new URL('../../../src/lib/process/program.ts', import.meta.url))

const script = "process.on('SIGTERM', () => {}); console.log(process.pid); setInterval(() => {}, 1000)"
const stubborn = `${quoteForShell(process.execPath)} -e ${quoteForShell(script)}`
/** Prints the id of its child, which holds nothing of it, and ends. */
const leaving = 'sleep 1000 >/dev/null 2>&1 & echo $!'

/** The id of a program whose parent, a process of its own, has ended in this way. */
async function programOfEnded(ending: string, command = stubborn): Promise<number> {
  const folder = await temporaryFolder()
  const build = await rolldown({ input: source, platform: 'node' })
  await build.write({ dir: join(folder, 'built'), entryFileNames: 'program.mjs' })
  await build.close()
  await writeFile(
    join(folder, 'parent.mjs'),
    `
import { startProgram } from './built/program.mjs'
const program = await startProgram({
  command: ${JSON.stringify(command)},
  cwd: '.', env: process.env, clock: { sleep: () => new Promise(() => {}) },
  onOutput: bytes => { process.stdout.write(bytes); process.stdin.once('data', () => { ${ending} }) },
})
`,
  )
  const parent = spawn(process.execPath, ['parent.mjs'], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [line] = await once(createInterface({ input: parent.stdout }), 'line')
  const program = Number(line)
  expect(isAlive(program)).toBe(true)
  parent.stdin.write('now\n')
  await once(parent, 'exit')
  return program
}

test.each([
  ['by itself', 'process.exit(3)'],
  ['by an uncaught error', 'throw new Error("a bug")'],
  ['by Ctrl-\\', 'process.kill(process.pid, "SIGQUIT")'],
])('a program ends with a process that ends %s', async (_how, ending) => {
  await gone(await programOfEnded(ending))
})

test('ends processes that a program left running', async () => {
  await gone(await programOfEnded('program.ended.then(() => process.exit())', leaving))
})
