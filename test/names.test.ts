import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const declaration = /^export (?:async )?(?:function|const|interface|type|class|abstract class) (\w+)/gm

/** What the package publishes: its users see no other module, and the plain word is as good a name there. */
const published = /^library\/(index|sandbox|public-types|public-sandbox|resources)\.ts$/

test('no name is exported by two modules', () => {
  const modules = new Map<string, string[]>()
  for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || published.test(file)) continue
    for (const [, name = ''] of readFileSync(join('src', file), 'utf8').matchAll(declaration)) {
      const others = modules.get(name) ?? []
      if (!others.includes(file)) modules.set(name, [...others, file])
    }
  }
  expect(modules.size).toBeGreaterThan(500)
  expect([...modules].filter(([, files]) => files.length > 1)).toEqual([])
})
