import { existsSync, readdirSync, readFileSync } from 'node:fs'
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

/** Rooms without a door: all of their modules are for others, and `starter` holds no code. */
const openRooms = ['cli', 'commands', 'interface', 'lib', 'messages', 'starter']

const maxDoorNames = 30

/** Doors with more names, each with its own limit. */
const largerDoors: Readonly<Record<string, number>> = {
  // One format of files and its journal, whose steps `project` and `faq` write in turn.
  lockfile: 38,
  // Its types are the words of test reports, which `cli` has in several formats.
  scenario: 37,
  // The ground floor of all files: whoever reads one needs positions, findings and access.
  source: 36,
  // Entries of files and their batches, which the plan of a project and `faq push` share.
  faq: 32,
}

test('the door of a room has few names, and each of them is written down', () => {
  const rooms = readdirSync('src', { withFileTypes: true }).filter(entry => entry.isDirectory())
  expect(rooms.filter(({ name }) => !existsSync(`src/${name}/index.ts`)).map(({ name }) => name)).toEqual(
    openRooms,
  )
  for (const { name: room } of rooms.filter(({ name }) => !openRooms.includes(name))) {
    const door = `src/${room}/index.ts`
    const text = readFileSync(door, 'utf8')
    const names = [...text.matchAll(declaration)].map(([, name = '']) => name)
    for (const [, list = ''] of text.matchAll(/^export (?:type )?\{([^}]*)\}/gm))
      names.push(...list.split(',').filter(name => name.trim() !== ''))
    // A star would hide how many there are. The library's are what the package publishes.
    if (room !== 'library') expect(text, door).not.toMatch(/^export (?:type )?\*/m)
    expect(names.length, door).toBeGreaterThan(0)
    expect(names.length, door).toBeLessThanOrEqual(largerDoors[room] ?? maxDoorNames)
  }
})
