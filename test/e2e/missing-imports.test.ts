import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { missingImports } from '../../scripts/missing-imports.js'
import { temporaryFolder } from '../helpers/folders.ts'

async function build(code: string): Promise<void> {
  const folder = await temporaryFolder()
  const input = join(folder, 'program.js')
  await writeFile(input, code)
  const bundle = await rolldown({ input, platform: 'node', plugins: [missingImports()] })
  await bundle.generate()
  await bundle.close()
}

test.for([
  ["import 'not-installed'", 'not-installed'],
  ["await import('not-installed')", 'not-installed'],
  ["require('not-installed/part')", 'not-installed/part'],
])('a build with %s fails', async ([code = '', name]) => {
  await expect(build(code)).rejects.toThrow(
    new RegExp(`program\\.js imports "${name}", which cannot be found\ninstall the packages .* npm ci`),
  )
})

test('modules of Node are not missing', async () => {
  await expect(build("import 'node:fs'; import 'path'; require('node:os')")).resolves.toBeUndefined()
})
