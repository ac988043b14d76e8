import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CheckedFile } from '../../../src/files/source/index.ts'
import { resolveReferences } from '../../../src/files/source/references.ts'
import { secretHash } from '../../../src/lib/secret-hash.ts'
import { newSalt, type Snapshot } from '../../../src/project/lockfile/index.ts'
import { diffSnapshots } from '../../../src/project/plan/diff.ts'
import { type IdOf, renderResource } from '../../../src/project/rendering/index.ts'
import { runs } from '../../helpers/every-case.ts'
import { writeFiles } from '../../helpers/folders.ts'
import { folderOf, projectIn, projectOf, resourceAt } from '../apply/project-on-disk.ts'

const hash = secretHash('salt')
const noIds: IdOf = () => undefined

const fingerprintOf = (checked: CheckedFile, idOf: IdOf) =>
  renderResource(checked, { hash, idOf, fingerprintOf: idOf }).fingerprint()

async function snapshotWith(body: Record<string, string>, env: Record<string, string>, idOf = noIds) {
  const resource = () => ({ text: '' })
  const references = await resolveReferences(body, {
    file: '/project/a.yaml',
    env,
    folder: async () => '/project',
    resource,
  })
  return {
    sent: JSON.stringify(references.render({ resource: ({ name }) => idOf(`tool/${name}`) ?? '?' })),
    snapshot: fingerprintOf({ unresolvedBody: () => body, references } as CheckedFile, idOf),
  }
}

test('renders a body as written, with hashes of variables, texts of files, and known ids', async () => {
  const project = await projectOf(
    {
      'tools/book.yaml': 'type: function\n',
      'tools/new.yaml': 'type: function\n',
      'assistants/desk.yaml':
        'name: ${env:NAME}${env:TITLE:-x}\nassistantSystemPrompt: ${file:p.md}\nassistantToolIds: ["${tool:book}", "${tool:new}"]\n',
      'assistants/p.md': 'Be short.\n',
    },
    { env: { NAME: 'Ada' } },
  )
  const idOf: IdOf = address => (address === 'tool/book' ? 't1' : undefined)
  const snapshot = fingerprintOf(resourceAt(project, 'assistant/desk').checked, idOf)
  expect(snapshot).toEqual({
    body: {
      name: '${env:NAME}${env:TITLE:-x}',
      assistantSystemPrompt: '${file:p.md}',
      assistantToolIds: ['${tool:book}', '${tool:new}'],
    },
    env: { NAME: hash('Ada') },
    files: { 'p.md': { hash: expect.any(String), text: 'Be short.\n' } },
    ids: { 'tool/book': 't1' },
  })
})

test('sends the words of the vocabulary, so a placeholder equals its word', async () => {
  const vocabulary = { '<provider_1>': 'acme' }
  const folder = await folderOf({ 'assistants/a.yaml': 'name: A\nassistantProvider: <provider_1>\n' })
  const one = resourceAt(await projectIn(folder, { vocabulary }), 'assistant/a')
  await writeFiles(folder, { 'assistants/a.yaml': 'name: A\nassistantProvider: acme\n' })
  const other = resourceAt(await projectIn(folder, { vocabulary }), 'assistant/a')
  const [before, after] = [one, other].map(({ checked }) => fingerprintOf(checked, noIds))
  expect(before?.body).toEqual({ name: 'A', assistantProvider: 'acme' })
  expect(after).toEqual(before)
})

describe('any text with references', () => {
  const names = ['A', 'B', 'C']
  const part = fc.constantFrom(
    ...['x', 'y', '$', '$${env:A}', '${tool:t}', '${tool:u}'],
    ...names.flatMap(name => [`\${env:${name}}`, `\${env:${name}:-x}`, `\${env:${name}:-}`]),
  )
  const body: fc.Arbitrary<Record<string, string>> = fc.dictionary(
    fc.constantFrom('one', 'two'),
    fc.array(part, { maxLength: 4 }).map(parts => parts.join('')),
    { noNullPrototype: true },
  )
  const env: fc.Arbitrary<Record<string, string>> = fc.dictionary(
    fc.constantFrom(...names),
    fc.constantFrom('', 'x', 'v'),
    {
      noNullPrototype: true,
    },
  )
  const ids: fc.Arbitrary<Record<string, string>> = fc.dictionary(
    fc.constantFrom('tool/t', 'tool/u'),
    fc.constantFrom('1', '2'),
    {
      minKeys: 2,
      noNullPrototype: true,
    },
  )
  const state = fc.record({ body, env, ids })

  test('finds every difference: equal snapshots mean equal requests', async () => {
    const property = fc.asyncProperty(state, state, fc.boolean(), async (before, after, sameBody) => {
      const later = sameBody ? { ...after, body: before.body } : after
      const [one, other] = await Promise.all(
        [before, later].map(({ body, env, ids }) => snapshotWith(body, env, address => ids[address])),
      )
      if (one === undefined || other === undefined) throw new Error('two')
      if (diffSnapshots(one.snapshot, other.snapshot).length > 0) return
      expect(Object.entries(JSON.parse(other.sent)).sort()).toEqual(
        Object.entries(JSON.parse(one.sent)).sort(),
      )
    })
    const emptyA = { env: { A: '' }, ids: {} }
    const byDefault = { ...emptyA, body: { one: '${env:A}', two: '${env:A:-x}' } }
    const byOther = { ...emptyA, body: { one: '${env:A}', two: '${env:A:-}' } }
    await fc.assert(property, { numRuns: runs(1000), examples: [[byDefault, byOther, false]] })
  })

  test('a snapshot or difference contains nothing from the environment', async () => {
    const secrets = fc.record({ A: fc.nat(), B: fc.nat(), C: fc.nat() })
    const property = fc.asyncProperty(body, body, secrets, secrets, async (before, after, old, now) => {
      const snapshots: Snapshot[] = []
      for (const [each, numbers] of [
        [before, old],
        [after, now],
      ] as const) {
        const env = Object.fromEntries(
          Object.entries(numbers).map(([name, number]) => [name, `secret-${number}`]),
        )
        snapshots.push((await snapshotWith(each, env)).snapshot)
      }
      const [one = { body: {} }, other = { body: {} }] = snapshots
      expect(JSON.stringify([one, other, diffSnapshots(one, other)])).not.toContain('secret-')
    })
    await fc.assert(property, { numRuns: runs(30) })
  })
})

describe('the hash of a secret', () => {
  test('is equal for equal values and salts, and reveals nothing else', () => {
    expect(secretHash('salt')('secret')).toBe(hash('secret'))
    expect(hash('secret')).toMatch(/^[\w-]{24}$/)
    expect(new Set([hash('secret'), hash('Secret'), hash(''), secretHash('other')('secret')]).size).toBe(4)
  })

  test('a salt is new each time', () => {
    expect(new Set(Array.from({ length: 100 }, newSalt)).size).toBe(100)
  })
})
