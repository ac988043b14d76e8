// Writes the generated parts of docs/, the skill, llms.txt and the URLs of the project, for `npm run docs`. A test fails when they are stale.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runBundled } from './run-bundled.js'

await runBundled('scripts/interface-tables.ts', ({ withTables }) => change('docs/interface.md', withTables))
// Before the reference: a topic is a section of the page.
await runBundled('scripts/phone-tables.ts', ({ withPhoneTable }) => change('docs/sandbox.md', withPhoneTable))
await runBundled('scripts/project-urls.ts', ({ filesWithUrls, withProjectUrls }) => {
  for (const file of Object.keys(filesWithUrls)) change(file, text => withProjectUrls(file, text))
})
await runBundled('scripts/documents.ts', async ({ llmsText, referencePage, skillFile }) => {
  const [reference, skill] = [await referencePage(), await skillFile()]
  change('docs/reference.md', () => reference)
  change('skills/callyard/SKILL.md', () => skill)
  const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
  change('llms.txt', () => llmsText(index))
})

/** Writes a file whose text changes. What stays is not written: a page that is newer than the build needs another one. */
function change(file, convert) {
  const path = join(root, file)
  const text = readFileSync(path, 'utf8')
  const changed = convert(text)
  if (changed !== text) writeFileSync(path, changed)
}
