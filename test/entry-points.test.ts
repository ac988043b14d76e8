import { readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'

const declaration = /^export (?:async )?(?:function|const|interface|type|class|abstract class) (\w+)/gm

const maxExports = 30

test('each entry point says what its folder is for, exports few names, and lists each of them', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).map(path =>
    path.replaceAll('\\', '/'),
  )
  const folders = files.filter(path => path.endsWith('/index.ts')).map(path => dirname(path))
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
    expect(names.length, entryPoint).toBeLessThanOrEqual(maxExports)
  }
})
