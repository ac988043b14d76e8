// Writes the generated parts of docs/, the skill, llms.txt and the URLs of the project, for `npm run docs`. A test fails when they are stale.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runBundled } from './run-bundled.js'

const path = join(root, 'docs/interface.md')
await runBundled('scripts/interface-tables.ts', ({ withTables }) =>
  writeFileSync(path, withTables(readFileSync(path, 'utf8'))),
)
const sandbox = join(root, 'docs/sandbox.md')
// Before the reference: a topic is a section of the page.
await runBundled('scripts/phone-tables.ts', ({ withPhoneTable }) =>
  writeFileSync(sandbox, withPhoneTable(readFileSync(sandbox, 'utf8'))),
)
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
