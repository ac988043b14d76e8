import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { runBin } from '../helpers/run-bin.ts'

/** Paths of the chunks that a command loads. */
async function chunksOf(folder: string, ...argv: string[]): Promise<string[]> {
  const list = join(folder, 'loaded.txt')
  const hook = join(folder, 'list-loaded.cjs')
  await writeFile(
    hook,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, Object.keys(require.cache).join('\\n')))`,
  )
  const { exitCode, stderr } = await runBin(argv, {
    cwd: folder,
    env: { NODE_OPTIONS: `--require ${hook}` },
  })
  expect(exitCode, stderr).toBe(0)
  return (await readFile(list, 'utf8')).split('\n').filter(file => file.includes('chunks'))
}

/** The libraries in the chunks that a run of tests loads. */
async function loadedBy(folder: string): Promise<string[]> {
  const chunks = await chunksOf(folder, 'test', '--concurrency', '1')
  const texts = await Promise.all(chunks.map(file => readFile(file, 'utf8')))
  return ['class RE2JS ', 'class Hono '].filter(library => texts.some(text => text.includes(library)))
}

test('the version and help load only the entry, and no command loads the update notice without a terminal', async () => {
  const folder = await temporaryFolder()
  const namesOf = async (...argv: string[]) =>
    (await chunksOf(folder, ...argv)).map(file => /chunks[\\/](.*)-.{8}\.js$/.exec(file)?.[1])
  for (const argv of [['--version'], ['--help'], ['help', 'flags'], ['doctor', '--help']])
    expect(await namesOf(...argv)).toEqual(['rolldown-runtime', 'entry'])
  const loaded = await namesOf('profile', 'list')
  expect(loaded).toContain('compiled-code')
  expect(loaded).not.toContain('newer-version')
})

test('callyard test loads the pattern engine only for patterns, and no HTTP server', async () => {
  const folder = await temporaryFolder()
  expect(await runBin(['init', '.'], { cwd: folder })).toMatchObject({ exitCode: 0 })
  expect(await loadedBy(folder)).toEqual([])
  const file = join(folder, 'tests/opening-hours.test.yaml')
  await writeFile(file, (await readFile(file, 'utf8')).replace('says: Hello Ada', 'says: /Ada/'))
  expect(await loadedBy(folder)).toEqual(['class RE2JS '])
})

test('the first call loads the engine of calls, and only a request loads the HTTP routes', async () => {
  const library = fileURLToPath(new URL('../../dist/library/sandbox.js', import.meta.url))
  const program = `
const { readFileSync } = require('node:fs')
const loaded = () =>
  ['function advanceCall(', 'class Hono '].filter(part =>
    Object.keys(require.cache).some(file => readFileSync(file, 'utf8').includes(part)))
const main = async () => {
  const sandbox = await require(${JSON.stringify(library)}).startSandbox()
  const steps = [loaded()]
  await sandbox.call({ assistant: { welcomeMessage: 'Hello' }, caller: '/hangup' })
  steps.push(loaded())
  await fetch(sandbox.baseUrl)
  steps.push(loaded())
  await sandbox.close()
  console.log(JSON.stringify(steps))
}
main()`
  const { stdout } = await execa(process.execPath, ['-e', program], { cwd: await temporaryFolder() })
  expect(JSON.parse(stdout)).toEqual([
    [],
    ['function advanceCall('],
    ['function advanceCall(', 'class Hono '],
  ])
})
