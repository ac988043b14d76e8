import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const declaration = /^export (?:async )?(?:function|const|interface|type|class|abstract class) (\w+)/gm

/** Folders without an entry point: other folders import their modules directly, and `starter` contains no code. */
const openFolders = ['cli', 'commands', 'interface', 'lib', 'messages', 'starter']

const maxExports = 30

/** Entry points with a higher limit. */
const largerEntryPoints: Readonly<Record<string, number>> = {
  // A file format and its journal, which `project` and `faq` both write.
  lockfile: 38,
  // Its types describe test results, which `cli` reports in several formats.
  scenario: 37,
  // The metrics and conditions of reports, which guards evaluate as well.
  report: 34,
  // Every reader of files needs positions, findings and access.
  source: 39,
  // Batches of files and of rows, with journals on one machine and of several.
  batch: 38,
  // Placing, controlling and logging calls, with the decisions about them; phone numbers, which lists of people have as well.
  calls: 38,
  // The plan of a project and `faq push` share entries and batches.
  faq: 32,
}

test('the entry point of a folder exports few names, and lists each of them', () => {
  const folders = readdirSync('src', { withFileTypes: true }).filter(entry => entry.isDirectory())
  expect(folders.filter(({ name }) => !existsSync(`src/${name}/index.ts`)).map(({ name }) => name)).toEqual(
    openFolders,
  )
  for (const { name: folder } of folders.filter(({ name }) => !openFolders.includes(name))) {
    const entryPoint = `src/${folder}/index.ts`
    const text = readFileSync(entryPoint, 'utf8')
    const names = [...text.matchAll(declaration)].map(([, name = '']) => name)
    for (const [, list = ''] of text.matchAll(/^export (?:type )?\{([^}]*)\}/gm))
      names.push(...list.split(',').filter(name => name.trim() !== ''))
    // `export *` would hide the count.
    if (folder !== 'library') expect(text, entryPoint).not.toMatch(/^export (?:type )?\*/m)
    expect(names.length, entryPoint).toBeGreaterThan(0)
    expect(names.length, entryPoint).toBeLessThanOrEqual(largerEntryPoints[folder] ?? maxExports)
  }
})
