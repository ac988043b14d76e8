import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { installFromRegistry, runIn } from '../helpers/npm-packages.ts'
import { runBin, temporaryFolder } from '../helpers/run-bin.ts'

const use = `import type { components, paths } from './api'
type Create = paths['/assistants/v1/assistants']['post']
export const assistant: Create['requestBody']['content']['application/json'] = { name: 'Desk' }
export const tool: components['schemas']['Tool'] = { type: 'function', function: { name: 'book', description: 'Book a visit' } }
export const idleTimeout = (answer: Create['responses'][200]['content']['application/json']): number => answer.idleTimeout
// @ts-expect-error a field of another type
export const wrong: components['schemas']['Assistant'] = { name: 3 }
`

test('types that openapi-typescript generates take a request without the fields that have a default', {
  timeout: 180_000,
}, async ({ skip }) => {
  const folder = await temporaryFolder()
  const missing = await installFromRegistry(folder, ['openapi-typescript@7.13.0', 'typescript@5.9.3'])
  if (missing !== undefined) skip(missing)
  const { stdout } = await runBin(['schema', 'openapi'], { cwd: folder })
  await writeFile(join(folder, 'openapi.json'), stdout)
  await writeFile(join(folder, 'use.ts'), use)
  const generate = ['node_modules/openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'api.d.ts']
  const generated = await runIn(folder, generate)
  expect(generated.exitCode, generated.all).toBe(0)
  const compile = ['node_modules/typescript/bin/tsc', '--strict', '--noEmit', '--skipLibCheck', 'use.ts']
  expect((await runIn(folder, compile)).all).toBe('')
})
