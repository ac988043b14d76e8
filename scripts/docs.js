// Writes the generated parts of docs/, the skill, llms.txt and the URLs of the project, for `npm run docs`. A test fails when they are stale.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runBundled } from './run-bundled.js'

const path = join(root, 'docs/interface.md')
await runBundled('scripts/interface-tables.ts', ({ withTables }) =>
  writeFileSync(path, withTables(readFileSync(path, 'utf8'))),
)
await runBundled('scripts/phone-tables.ts', ({ withPhoneTable, withPhoneLines }) => {
  const write = (place, change) =>
    writeFileSync(join(root, place), change(readFileSync(join(root, place), 'utf8')))
  write('docs/sandbox.md', withPhoneTable)
  // Before the reference, which holds the topic.
  write('src/commands/help/topics/sandbox.txt', withPhoneLines)
})
await runBundled('scripts/project-urls.ts', ({ filesWithUrls, withProjectUrls }) => {
  for (const file of filesWithUrls)
    writeFileSync(join(root, file), withProjectUrls(readFileSync(join(root, file), 'utf8')))
})
await runBundled('scripts/documents.ts', async ({ llmsText, referencePage, skillFile }) => {
  writeFileSync(join(root, 'docs/reference.md'), await referencePage())
  mkdirSync(join(root, 'skills/callyard'), { recursive: true })
  writeFileSync(join(root, 'skills/callyard/SKILL.md'), await skillFile())
  writeFileSync(join(root, 'llms.txt'), llmsText(readFileSync(join(root, 'docs/README.md'), 'utf8')))
})
