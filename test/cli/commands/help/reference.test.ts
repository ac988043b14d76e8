import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { referencePage } from '../../../../scripts/documents.ts'

test('docs/reference.md is current, and no guide is in it a second time', async () => {
  const page = await referencePage()
  const file = await readFile(new URL('../../../../docs/reference.md', import.meta.url), 'utf8')
  expect(file === page, 'docs/reference.md is stale; run: npm run docs').toBe(true)
  expect(page).toContain('[`callyard help guards`](webhooks.md#guards)')
  expect(page).toContain('### callyard help exit-codes')
  expect(page).not.toContain('### callyard help guards')
})
