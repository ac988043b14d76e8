import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitLines } from '../../src/lib/fs/line-file.ts'

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
