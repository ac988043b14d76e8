import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toRecordedLine } from '../../../src/events/recordings/index.ts'
import { codePoint } from '../../helpers/code-point.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { readAll, recordedLine } from '../../helpers/recordings.ts'

test('returns any body byte by byte, and its line is printable', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'calls.ndjson')
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: codePoint }).map(text => text.toWellFormed())),
      async bodies => {
        const lines = bodies.map(body => recordedLine(body))
        await writeFile(path, lines.join(''))
        for (const line of lines) expect(line).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]|\n./)
        expect(await readAll(path)).toMatchObject(bodies.map(body => ({ kind: 'recorded', body })))
      },
    ),
  )
})

test('reads every complete line of a recording cut at any byte, and reports the torn one', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'calls.ndjson')
  const lines = ['one', 'zwei ü', 'three'].map(body => recordedLine({ body }))
  const bytes = Buffer.from(lines.join(''))
  for (let length = 0; length <= bytes.length; length++) {
    await writeFile(path, bytes.subarray(0, length))
    const items = await readAll(path)
    const whole = items.filter(({ kind }) => kind === 'recorded').length
    const ends = lines.map((_, index) => Buffer.byteLength(lines.slice(0, index + 1).join('')))
    // Without its newline alone a line is whole.
    expect(whole).toBe(ends.filter(end => length >= end - 1).length)
    const rest = length - (ends[whole - 1] ?? 0)
    expect(items.slice(whole)).toEqual(
      rest > 0 ? [{ kind: 'skipped', file: path, line: whole + 1, torn: true }] : [],
    )
  }
})

test('garbage between events is skipped by its number; empty lines are nothing', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'calls.ndjson')
  const garbage = ['{"kind":"recorded"}', 'nonsense', '{"kind":"recorded","version":1,"at":"yesterday"}']
  await writeFile(
    path,
    Buffer.concat([
      Buffer.from(`${garbage[0]}\n${recordedLine({ n: 1 })}\n\r\n${garbage.slice(1).join('\n')}\n`),
      Buffer.from([0xff, 0xfe, 10]),
      Buffer.from(recordedLine({ n: 2 }).replace('\n', '\r\n')),
    ]),
  )
  expect(await readAll(path)).toMatchObject([
    { kind: 'skipped', line: 1, torn: false },
    { kind: 'recorded', body: '{"n":1}' },
    { kind: 'skipped', line: 5, torn: false },
    { kind: 'skipped', line: 6, torn: false },
    { kind: 'skipped', line: 7, torn: false },
    { kind: 'recorded', body: '{"n":2}' },
  ])
})

test('reads the first event of a file that begins with a byte order mark', async () => {
  const path = join(await temporaryFolder(), 'calls.ndjson')
  await writeFile(path, `\uFEFF${recordedLine({ n: 1 })}${recordedLine({ n: 2 })}`)
  expect(await readAll(path)).toMatchObject([{ body: '{"n":1}' }, { body: '{"n":2}' }])
})

test('skips a line that is too long without losing later events', async () => {
  const path = join(await temporaryFolder(), 'calls.ndjson')
  await writeFile(path, recordedLine('x'.repeat(2000)) + recordedLine({ n: 2 }))
  expect(await readAll(path, 1000)).toMatchObject([
    { kind: 'skipped', line: 1 },
    { kind: 'recorded', body: '{"n":2}' },
  ])
})

test('a renamed file that cannot be read is an error', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'calls.ndjson')
  await writeFile(join(folder, 'calls.1.ndjson'), recordedLine('one'))
  await symlink('missing', join(folder, 'calls.2.ndjson'))
  await writeFile(path, recordedLine('last'))
  await expect(readAll(path)).rejects.toMatchObject({ kind: 'invalid', code: 'recording-unreadable' })
})

test('reads renamed files first, by number, and accepts a missing newest file', async () => {
  const folder = await temporaryFolder()
  for (const [name, body] of [
    ['calls.2.ndjson', 'two'],
    ['calls.10.ndjson', 'ten'],
    ['calls.1.ndjson', 'one'],
    ['calls.old.ndjson', 'other'],
    ['calls.01.ndjson', 'other'],
    ['calls.ndjson', 'last'],
  ] as const) {
    await writeFile(join(folder, name), recordedLine(body))
  }
  const bodies = async (name: string) =>
    (await readAll(join(folder, name))).map(item => (item.kind === 'recorded' ? item.body : item))
  expect(await bodies('calls.ndjson')).toEqual(['one', 'two', 'ten', 'last'])
  expect(await bodies('calls.2.ndjson')).toEqual(['two'])
  await writeFile(join(folder, 'gone.1.ndjson'), recordedLine('kept'))
  expect(await bodies('gone.ndjson')).toEqual(['kept'])
})

test('reads from the line at an offset on, and all of a file in which no line begins there', async () => {
  const path = join(await temporaryFolder(), 'calls.ndjson')
  const lines = ['a', 'b', 'c'].map(id => recordedLine(id))
  await writeFile(path, lines.join(''))
  const second = Buffer.byteLength(lines[0] ?? '')
  const countFrom = async (start: number) => (await readAll(path, undefined, start)).length
  expect(await countFrom(second)).toBe(2)
  expect(await countFrom(Buffer.byteLength(lines.join('')))).toBe(0)
  for (const start of [0, second - 1, second + 1, 1_000_000]) expect(await countFrom(start)).toBe(3)
})

test('an empty file is a recording of nothing, and so is a first line that was torn', async () => {
  const path = join(await temporaryFolder(), 'calls.ndjson')
  await writeFile(path, '')
  expect(await readAll(path)).toEqual([])
  await writeFile(path, recordedLine({ n: 1 }).slice(0, 30))
  expect(await readAll(path)).toMatchObject([{ kind: 'skipped', line: 1, torn: true }])
})

test.each([
  ['text', 'hello'],
  ['lines', 'hello\nworld\n'],
  ['JSON', '{\n  "kind": "recorded"\n}\n'],
  ['many lines', 'x\n'.repeat(5000)],
])('%s is not a recording', async (_, content) => {
  const path = join(await temporaryFolder(), 'notes.txt')
  await writeFile(path, content)
  await expect(readAll(path)).rejects.toMatchObject({
    kind: 'invalid',
    code: 'not-a-recording',
    details: { path },
  })
})

test('a later version, a folder and a missing file each get their own error', async () => {
  const folder = await temporaryFolder()
  const later = toRecordedLine({ at: '2026-03-01T10:00:00.000Z', headers: {}, body: '' }).replace(
    '"version":1',
    '"version":2',
  )
  await writeFile(join(folder, 'later.ndjson'), later)
  await mkdir(join(folder, 'folder.ndjson'))
  await expect(readAll(join(folder, 'later.ndjson'))).rejects.toMatchObject({
    kind: 'invalid',
    code: 'recording-too-new',
    details: { version: 2, supported: 1, file: join(folder, 'later.ndjson'), line: 1 },
  })
  await expect(readAll(join(folder, 'folder.ndjson'))).rejects.toMatchObject({ kind: 'invalid' })
  await expect(readAll(join(folder, 'none', 'calls.ndjson'))).rejects.toMatchObject({ kind: 'invalid' })
})
