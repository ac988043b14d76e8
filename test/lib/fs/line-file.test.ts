import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openLineFile, splitLines } from '../../../src/lib/fs/line-file.ts'
import { runs } from '../../helpers/every-case.ts'
import { failingDisk } from '../../helpers/failing-disk.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

test('append returns where its line starts, even below a torn line', async () => {
  const path = join(await temporaryFolder(), 'lines')
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
  const path = join(await temporaryFolder(), 'lines')
  const file = openLineFile(path)
  expect(file.mode).toBe(0o600)
  expect(file.torn).toBe(false)
  expect(file.exists()).toBe(true)
  await rm(path)
  expect(file.exists()).toBe(false)
  file.close()
})

test('for any disk failures, an appended line is where append said, and no other line is', async () => {
  const folder = await temporaryFolder()
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

test('splits any chunks into lines, and buffers none that is too long', async () => {
  const line = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'ö'.repeat(20), 'x'.repeat(41)))
  await fc.assert(
    fc.asyncProperty(
      fc.array(line.map(text => text.replaceAll('\n', ' '))),
      fc.boolean(),
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 40 }),
      async (lines, ended, chunkSize, longest) => {
        const text = lines.join('\n') + (ended && lines.length > 0 ? '\n' : '')
        const found = await all(chunksOf(Buffer.from(text), chunkSize), longest)
        const parts = text.split('\n')
        const last = parts.pop() ?? ''
        const expected = [
          ...parts.map(part => ({ part, ended: true })),
          ...(last === '' ? [] : [{ part: last, ended: false }]),
        ]
        expect(found).toEqual(
          expected.map(({ part, ended: hasEnd }, index) => ({
            number: index + 1,
            bytes: Buffer.byteLength(part) > longest ? undefined : Buffer.from(part),
            ended: hasEnd,
          })),
        )
      },
    ),
  )
})

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function all(chunks: AsyncIterable<Buffer>, longest: number) {
  const lines: unknown[] = []
  for await (const line of splitLines(chunks, longest)) lines.push(line)
  return lines
}
