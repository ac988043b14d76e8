import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openLineFile } from '../../src/lib/fs/line-file.ts'
import { failingDisk } from '../forward/failing-disk.ts'
import { runs } from '../helpers/every-case.ts'
import { emptyFolder } from './recorded.ts'

test('append returns where its line starts, even below a torn line', async () => {
  const path = join(await emptyFolder(), 'lines')
  await writeFile(path, 'ü\ntor')
  const file = openLineFile(path)
  expect(file.torn).toBe(true)
  const places = ['eins\n', 'zwö\n', '3\n'].map(line => ({ line, at: file.append(Buffer.from(line)) }))
  expect(file.torn).toBe(false)
  for (const { line, at } of places) expect(file.read(at, Buffer.byteLength(line)).toString()).toBe(line)
  expect(file.read(file.size() - 2, 100).toString()).toBe('3\n')
  expect(await readFile(path, 'utf8')).toBe('ü\ntor\neins\nzwö\n3\n')
  expect(file.size()).toBe((await stat(path)).size)
  file.close()
})

test('only its owner can read a new file; a removed one has no name', async () => {
  const path = join(await emptyFolder(), 'lines')
  const file = openLineFile(path)
  expect(file.mode).toBe(0o600)
  expect(file.torn).toBe(false)
  expect(file.exists()).toBe(true)
  await rm(path)
  expect(file.exists()).toBe(false)
  file.close()
})

test('for any disk failures, an appended line is where append said, and no other line is', async () => {
  const folder = await emptyFolder()
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ length: fc.nat(12), room: fc.nat(30), truncates: fc.boolean() }), {
        maxLength: 12,
      }),
      fc.constantFrom('', 'old\n', 'torn'),
      async (steps, before) => {
        const path = join(folder, `${run++}`)
        await writeFile(path, before)
        const disk = failingDisk()
        const file = openLineFile(path, disk)
        const appended: { text: string; at: number }[] = []
        const failed: string[] = []
        for (const [index, { length, room, truncates }] of steps.entries()) {
          Object.assign(disk, { room, truncates })
          const text = `${index}:${'x'.repeat(length)};`
          try {
            appended.push({ text, at: file.append(Buffer.from(`${text}\n`)) })
          } catch {
            failed.push(text)
          }
        }
        const content = await readFile(path)
        file.close()
        const found = content.toString().split('\n')
        for (const { text, at } of appended) {
          expect(content.subarray(at, at + text.length).toString()).toBe(text)
          expect(found.filter(line => line === text)).toHaveLength(1)
        }
        for (const text of failed) expect(found).not.toContain(text)
      },
    ),
    { numRuns: runs(100) },
  )
})
