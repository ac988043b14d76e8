import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Address } from '../../../src/files/formats/address.ts'
import {
  type Lockfile,
  loadLockText,
  type ResourceState,
  readLockfile,
} from '../../../src/project/lockfile/index.ts'
import { runs } from '../../helpers/every-case.ts'
import { body, key, text } from '../apply/arbitrary.ts'
import { folderOf } from '../apply/project-on-disk.ts'

const lockText = await loadLockText()

const texts = fc.dictionary(key, text, { maxKeys: 3, noNullPrototype: true })
const optional = { requiredKeys: ['body'] } satisfies { requiredKeys: ['body'] }
/** Without one, and nothing on its way, a lockfile is refused. */
const identified = { requiredKeys: ['body', 'id'] } satisfies { requiredKeys: ['body', 'id'] }
const snapshotFields = {
  body,
  env: texts,
  files: fc.dictionary(key, fc.record({ hash: text, text }), { maxKeys: 3, noNullPrototype: true }),
  ids: texts,
}
const snapshot = fc.record(snapshotFields, { ...optional, noNullPrototype: true })
const recorded: fc.Arbitrary<ResourceState> = fc.record(
  {
    ...snapshotFields,
    id: text,
    replaced: fc.array(text, { maxLength: 3 }),
    creating: snapshot,
    updating: snapshot,
    entries: fc.dictionary(
      key,
      fc.oneof(text, fc.record({ id: text, hash: text }, { noNullPrototype: true }), fc.constant(null)),
      { maxKeys: 3, noNullPrototype: true },
    ),
    texts: fc.dictionary(key, body, { maxKeys: 3, noNullPrototype: true }),
    pending: fc.array(
      fc.record(
        { line: fc.nat(), question: text, content: text, key: text, id: text },
        { requiredKeys: ['question', 'content'], noNullPrototype: true },
      ),
      { maxLength: 2 },
    ),
  },
  { ...identified, noNullPrototype: true },
)
const address = fc
  .tuple(
    fc.constantFrom('tool', 'kb', 'assistant'),
    text.filter(name => name !== ''),
  )
  .map(([kind, name]) => `${kind}/${name}`)
const section = fc.record(
  {
    baseUrl: text,
    teamId: text,
    salt: text,
    resources: fc.dictionary(address, recorded, { maxKeys: 3, noNullPrototype: true }),
  },
  { requiredKeys: ['baseUrl', 'salt', 'resources'], noNullPrototype: true },
)
const lockfile = fc.record(
  { targets: fc.dictionary(key, section, { maxKeys: 2, noNullPrototype: true }) },
  { noNullPrototype: true },
) as fc.Arbitrary<Lockfile>

async function writtenAndRead(data: Lockfile): Promise<Lockfile['targets']> {
  const path = join(await folderOf({ lock: lockText(data) }), 'lock')
  return (await readLockfile(path, 'lock')).lockfile.targets
}

test('round-trips any lockfile', async () => {
  const path = join(await folderOf({}), 'lock')
  const property = fc.asyncProperty(lockfile, async data => {
    await writeFile(path, lockText(data))
    const { lockfile: read, text: kept } = await readLockfile(path, 'lock')
    expect(read.targets).toEqual(data.targets)
    expect(kept).toBe(lockText(data))
    expect(lockText(read)).toBe(lockText(data))
  })
  await fc.assert(property, { numRuns: runs(12) })
})

test('the same data is the same text, for any order in which targets, resources and entries came', () => {
  const property = fc.property(lockfile, data => {
    expect(lockText(reversed(data))).toBe(lockText(data))
  })
  fc.assert(property, { numRuns: runs(12) })
})

test('a change of one resource affects only its lines', () => {
  const data = (prompt: string): Lockfile => ({
    targets: {
      test: {
        baseUrl: 'https://calls.example.com/',
        salt: 's',
        resources: { 'tool/a': { body: { a: 1 } }, 'tool/b': { body: { prompt } }, 'tool/c': { body: {} } },
      },
    },
  })
  const before = lockText(data('one')).split('\n')
  const after = lockText(data('two')).split('\n')
  expect(after.filter((line, at) => line !== before[at])).toEqual(['          prompt: two'])
})

test.each([
  ['95 mappings', nested(95, inner => ({ inner }))],
  ['95 lists', nested(95, inner => [inner])],
  ['a text of a million characters', 'word '.repeat(200_000)],
  ['100,000 lines', 'a line: with #\n'.repeat(100_000)],
  ['a long line without spaces', 'x'.repeat(100_000)],
  ['the line separator of Unicode', 'one\u2028two\u2029three\n\u2028four'],
  ['a text of white space alone', [' \n', '\n \n', '  \n\n', ' \n ', '\t\n', ' \t\n', '\n']],
  ['a line of blanks beside a control character', `a\n \n\u001b[31m${'b'.repeat(40)}`],
  ['what a merge conflict looks like', '<<<<<<< ours\n=======\n>>>>>>> theirs\n\u2028======= \n'],
])('%s survives', async (_, value) => {
  const data = lockfileOf({ 'assistant/a': { id: 'a1', body: { value, behind: 1 } } })
  expect(await writtenAndRead(data)).toEqual(data.targets)
})

test('supports a name of more than 1,024 characters', async () => {
  const name: Address = `tool/${'deep/'.repeat(300)}end`
  const data = lockfileOf({ [name]: { id: 't1', body: { ['x'.repeat(2000)]: 1 } } })
  expect(await writtenAndRead(data)).toEqual(data.targets)
})

function lockfileOf(resources: Record<Address, ResourceState>): Lockfile {
  return { targets: { test: { baseUrl: 'https://calls.example.com/', salt: 's', resources } } }
}

function nested(depth: number, around: (inner: unknown) => unknown): unknown {
  let value: unknown = 'end'
  for (let level = 0; level < depth; level += 1) value = around(value)
  return value
}

/** The same, with everything that is sorted in the other order, and each object made again. */
function reversed({ targets }: Lockfile): Lockfile {
  return {
    targets: turned(targets, ({ resources, ...rest }) => ({
      ...rest,
      resources: turned(resources, ({ entries, texts: kept, ...others }) => ({
        ...turned(others, each => each),
        body: others.body,
        ...(entries === undefined ? {} : { entries: turned(entries, each => each) }),
        ...(kept === undefined ? {} : { texts: turned(kept, each => each) }),
      })),
    })),
  }
}

function turned<From, To>(
  values: Readonly<Record<string, From>>,
  edit: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(
    Object.entries(values)
      .reverse()
      .map(([name, value]) => [name, edit(value)]),
  )
}
