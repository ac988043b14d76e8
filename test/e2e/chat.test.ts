import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { lines } from '../helpers/json-lines.ts'
import { starterFiles } from '../helpers/resources.ts'
import { bin, runBin } from '../helpers/run-bin.ts'

const chat = ['call', 'chat', 'assistants/front-desk.yaml', '--var', 'name=Ada']

/** The starter project, and a configuration folder of its own. */
async function starterProject() {
  const folder = await temporaryFolder(starterFiles())
  return { cwd: folder, env: { CALLYARD_CONFIG_DIR: join(folder, '.config') } }
}

/** A chat whose stdin stays open, as that of a program that drives it. */
function drive(project: Awaited<ReturnType<typeof starterProject>>, ...argv: string[]) {
  const child = execa(process.execPath, [bin, ...chat, ...argv], { ...project, reject: false, buffer: false })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await child
  })
  return { child, stream: lines(child.stdout) }
}

async function until(stream: AsyncGenerator<string, undefined>, words: string): Promise<void> {
  for (let line = await stream.next(); line.done !== true; line = await stream.next()) {
    if (line.value.includes(words)) return
  }
  throw new Error(`the output ended without ${words}`)
}

test('the starter project replies from its knowledge base without setup', async () => {
  const project = await starterProject()
  const input = 'When are you open?\nThank you, goodbye\n'
  const { exitCode, stdout } = await runBin(chat, { ...project, input })
  expect(exitCode).toBe(0)
  for (const words of [
    'assistant  Hello Ada, this is the AI front desk',
    'user       When are you open?',
    'on Saturday until',
    'Thank you for calling. Goodbye!',
    'finished · ended by assistant',
    'summary',
  ]) {
    expect(stdout).toContain(words)
  }
})

test('a program can chat line by line, and the call ends while stdin is still open', async () => {
  const { child, stream } = drive(await starterProject())
  await until(stream, 'front desk')
  child.stdin?.write('When are you open?\n')
  await until(stream, 'on Saturday until')
  child.stdin?.write('goodbye\n')
  await until(stream, 'ended by assistant')
  expect((await child).exitCode).toBe(0)
})

test('a signal hangs up, prints the end of the call and exits with 130', async () => {
  const { child, stream } = drive(await starterProject())
  await until(stream, 'front desk')
  child.kill('SIGHUP')
  await until(stream, 'finished · ended by user')
  expect((await child).exitCode).toBe(130)
})

test('a kill -9 keeps the transcript up to that point', async () => {
  const project = await starterProject()
  const { child, stream } = drive(project, '--out', 'saved.json')
  child.stdin?.write('When are you open?\n')
  await until(stream, 'on Saturday until')
  // The previous reply is in the file before the next question.
  child.stdin?.write('Where is the workshop?\n')
  await until(stream, 'beside the bridge')
  child.kill('SIGKILL')
  await child
  const file = join(project.cwd, 'saved.json')
  const events: { text?: string }[] = JSON.parse(await readFile(file, 'utf8'))
  expect(events.flatMap(({ text }) => text ?? [])).toContain('When are you open?')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('a closed stdout pipe ends the call quietly', async () => {
  const project = await starterProject()
  const { exitCode, stdout } = await execa(
    'bash',
    ['-c', '"$0" "$@" 2>/dev/null | head -1; exit ${PIPESTATUS[0]}', process.execPath, bin, ...chat],
    { ...project, reject: false, input: 'When are you open?\n'.repeat(200) },
  )
  expect(stdout).toContain('queued')
  expect(exitCode).toBe(0)
})
