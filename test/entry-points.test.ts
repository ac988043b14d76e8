import { readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'

const declaration = /^export (?:async )?(?:function|const|interface|type|class|abstract class) (\w+)/gm

const maxExports = 30

/** Entry points with a higher limit. */
const largerEntryPoints: Readonly<Record<string, number>> = {
  // A file format, its journal and its overrides, which `apply` and `faq` both write.
  'project/lockfile': 41,
  // Its types describe test results, which `cli` reports in several formats.
  scenario: 37,
  // The metrics and conditions of reports, which guards evaluate as well.
  'calls/report': 38,
  // Every reader of files needs positions, findings with hints, and access.
  'files/source': 41,
  // Encodings, and the headings and cells of tables.
  'files/text': 40,
  // Batches of files and of rows, with journals on one machine and of several, and the schemas of their documents.
  'calls/batch': 46,
  // The parts of a plan, which `cli` renders.
  'project/plan': 34,
  // The plan of a project and `faq push` share entries and batches.
  'project/faq': 32,
}

test('each entry point says what its folder is for, exports few names, and lists each of them', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).map(path =>
    path.replaceAll('\\', '/'),
  )
  const folders = files.filter(path => path.endsWith('/index.ts')).map(path => dirname(path))
  expect(folders).toEqual(expect.arrayContaining(Object.keys(largerEntryPoints)))
  for (const folder of folders) {
    const entryPoint = `src/${folder}/index.ts`
    const text = readFileSync(entryPoint, 'utf8')
    // A newcomer finds a thing by the tree and these lines.
    expect(text, entryPoint).toMatch(/^\/\*\* .+ \*\/\n/)
    const names = [...text.matchAll(declaration)].map(([, name = '']) => name)
    for (const [, list = ''] of text.matchAll(/^export (?:type )?\{([^}]*)\}/gm))
      names.push(...list.split(',').filter(name => name.trim() !== ''))
    // `export *` would hide the count.
    if (folder !== 'library') expect(text, entryPoint).not.toMatch(/^export (?:type )?\*/m)
    expect(names.length, entryPoint).toBeGreaterThan(0)
    expect(names.length, entryPoint).toBeLessThanOrEqual(largerEntryPoints[folder] ?? maxExports)
  }
})
