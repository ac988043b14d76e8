import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeProject } from '../../../../src/cli/commands/write-project.ts'
import { runs } from '../../../helpers/every-case.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'

const names = ['a.yaml', 'b/c.yaml', 'b/d/e.json', '.f']
const files = Object.fromEntries(names.map(name => [name, `new ${name}\n`]))

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
}

test('keeps existing files and writes only the others', async () => {
  const parent = await temporaryFolder()
  let folders = 0
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), fc.string()), async old => {
      const folder = join(parent, String(folders++))
      for (const [name, content] of Object.entries(old)) {
        await mkdir(dirname(join(folder, name)), { recursive: true })
        await writeFile(join(folder, name), content)
      }
      const { written, kept } = await writeProject(folder, files)
      expect(kept).toEqual(names.filter(name => Object.hasOwn(old, name)))
      expect(written).toEqual(names.filter(name => !Object.hasOwn(old, name)))
      expect((await filesIn(folder)).sort()).toEqual(names.map(name => join(folder, name)).sort())
      for (const name of names) {
        expect(await readFile(join(folder, name), 'utf8')).toBe(old[name] ?? files[name])
      }
    }),
    { numRuns: runs(40) },
  )
})

test.each([0, 1, 2, 3, 4, 5, 6])(
  'lists what exists after canceling step %i, and a second run completes it',
  async steps => {
    const folder = await temporaryFolder()
    let checks = 0
    const signal = Object.defineProperty(new AbortController().signal, 'aborted', {
      get: () => checks++ === steps,
    })
    const cancelled = {
      kind: 'cancelled',
      details: { kept: [] as string[], written: names.slice(0, Math.max(0, steps - 3)) },
    }
    await expect(writeProject(folder, files, { signal })).rejects.toMatchObject(cancelled)
    const { written, kept } = await writeProject(folder, files)
    expect(kept).toEqual(cancelled.details.written)
    expect([...kept, ...written]).toEqual(names)
    expect(await filesIn(folder)).toHaveLength(names.length)
  },
)

test('a content that cannot be written leaves nothing of it behind', async () => {
  const folder = await temporaryFolder()
  // One character more than the name of a file may have: neither the file nor its draft can be made.
  const failing = { 'a.yaml': 'a', ['x'.repeat(256)]: 'x', 'z.yaml': 'z' }
  await expect(writeProject(folder, failing)).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringMatching(/^cannot write .*: name too long$/),
    details: { written: ['a.yaml'], kept: [] },
  })
  expect(await readdir(folder)).toEqual(['a.yaml'])
})
