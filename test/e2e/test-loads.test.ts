import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runBin, temporaryFolder } from '../helpers/run-bin.ts'

/** The libraries in the chunks that a run of tests loads. */
async function loadedBy(folder: string): Promise<string[]> {
  const list = join(folder, 'loaded.txt')
  const hook = join(folder, 'list-loaded.cjs')
  await writeFile(
    hook,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, Object.keys(require.cache).join('\\n')))`,
  )
  const { exitCode, stderr } = await runBin(['test', '--concurrency', '1'], {
    cwd: folder,
    env: { NODE_OPTIONS: `--require ${hook}` },
  })
  expect(exitCode, stderr).toBe(0)
  const chunks = (await readFile(list, 'utf8')).split('\n').filter(file => file.includes('chunks'))
  const texts = await Promise.all(chunks.map(file => readFile(file, 'utf8')))
  return ['class RE2JS ', 'class Hono '].filter(library => texts.some(text => text.includes(library)))
}

test('callwright test loads the pattern engine only for patterns, and no HTTP server', async () => {
  const folder = await temporaryFolder()
  expect(await runBin(['init', '.'], { cwd: folder })).toMatchObject({ exitCode: 0 })
  expect(await loadedBy(folder)).toEqual([])
  const file = join(folder, 'tests/opening-hours.test.yaml')
  await writeFile(file, (await readFile(file, 'utf8')).replace('says: Hello Ada', 'says: /Ada/'))
  expect(await loadedBy(folder)).toEqual(['class RE2JS '])
})
