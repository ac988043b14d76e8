import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Snapshot } from '../../../src/project/lockfile/index.ts'
import { diffSnapshots } from '../../../src/project/plan/diff.ts'
import { runs } from '../../helpers/every-case.ts'
import { body, json } from '../apply/arbitrary.ts'

/** A body whose texts hold no reference: what it says is what is sent. */
const plainBody = body.filter(value => !JSON.stringify(value).includes('${'))
const plainJson = json.filter(value => !JSON.stringify(value).includes('${'))

function file(text: string) {
  return { hash: `hash of ${text}`, text }
}

function paths(before: Snapshot, after: Snapshot): string[] {
  return diffSnapshots(before, after).map(({ path, kind }) => `${kind} ${path.join('.')}`)
}

describe('any body', () => {
  test('does not differ from itself, nor from one with its fields in another order', () => {
    fc.assert(
      fc.property(body, any => {
        expect(diffSnapshots({ body: any }, { body: any })).toEqual([])
        expect(diffSnapshots({ body: any }, { body: turned(any) })).toEqual([])
      }),
    )
  })

  test('with one field changed differs only in that field', () => {
    const property = fc.property(plainBody, plainJson, plainJson, fc.nat(), (rest, one, other, at) => {
      fc.pre(JSON.stringify(sorted(one)) !== JSON.stringify(sorted(other)))
      const fields = Object.entries(rest)
      const field = fields[at % Math.max(1, fields.length)]?.[0] ?? 'field'
      const changes = diffSnapshots(
        { body: { ...rest, [field]: one } },
        { body: { ...rest, [field]: other } },
      )
      expect(changes).not.toEqual([])
      expect(new Set(changes.map(({ path }) => path[0]))).toEqual(new Set([field]))
    })
    fc.assert(property, { numRuns: runs(500) })
  })

  test('with one field added or removed differs only in that field', () => {
    const property = fc.property(plainBody, fc.nat(), (fields, at) => {
      const names = Object.keys(fields)
      fc.pre(names.length > 0)
      const name = names[at % names.length] ?? ''
      const { [name]: value, ...others } = fields
      expect(diffSnapshots({ body: others }, { body: fields })).toEqual([
        { path: [name], kind: 'added', after: value, notes: [] },
      ])
      expect(diffSnapshots({ body: fields }, { body: others })).toEqual([
        { path: [name], kind: 'removed', before: value, notes: [] },
      ])
    })
    fc.assert(property)
  })

  test('turned into another one is that other one, field by field', () => {
    const property = fc.property(plainBody, plainBody, (before, after) => {
      const result = structuredClone(before)
      for (const { path, kind, after: value } of diffSnapshots({ body: before }, { body: after })) {
        setAt(result, path, kind === 'removed' ? undefined : { value })
      }
      expect(sorted(result)).toEqual(sorted(after))
    })
    fc.assert(property)
  })
})

test('different kinds of empty are different', () => {
  const values = ['', [], {}, { pieces: [] }, null, 0, false, [''], [[]], '0']
  for (const [at, one] of values.entries()) {
    for (const [otherAt, other] of values.entries()) {
      const changes = diffSnapshots({ body: { a: one } }, { body: { a: other } })
      expect(changes.length, `${JSON.stringify(one)} → ${JSON.stringify(other)}`).toBe(at === otherAt ? 0 : 1)
    }
  }
})

test('compares mappings in the order of the new body with removed fields at the end', () => {
  const before = { body: { b: { x: 1, y: { z: 1 } }, a: 1, gone: { c: 1 } } }
  const after = { body: { a: 2, b: { y: { z: 2, new: 1 }, w: 1 } } }
  expect(paths(before, after)).toEqual([
    'changed a',
    'changed b.y.z',
    'added b.y.new',
    'added b.w',
    'removed b.x',
    'removed gone',
  ])
})

test('a list is one value', () => {
  const before = { body: { list: [{ a: 1 }, { b: 2 }] } }
  const after = { body: { list: [{ a: 1 }, { b: 3 }] } }
  expect(diffSnapshots(before, after)).toEqual([
    { path: ['list'], kind: 'changed', before: [{ a: 1 }, { b: 2 }], after: [{ a: 1 }, { b: 3 }], notes: [] },
  ])
  expect(paths({ body: { list: [1, 2] } }, { body: { list: [2, 1] } })).toEqual(['changed list'])
})

describe('included files', () => {
  const whole = { body: { prompt: 'one two\n' } }

  test.each<[string, Snapshot]>([
    ['as it was', { body: { prompt: '${file:p.md}' }, files: { 'p.md': file('one two\n') } }],
    ['in part', { body: { prompt: 'one ${file:p.md}' }, files: { 'p.md': file('two\n') } }],
    [
      'in pieces',
      {
        body: { prompt: '${file:a}${file:empty}${file:b}\n' },
        files: { a: file('one'), b: file(' two'), empty: file('') },
      },
    ],
  ])('ignores text that moved into files %s, and back', (_, moved) => {
    expect(diffSnapshots(whole, moved)).toEqual([])
    expect(diffSnapshots(moved, whole)).toEqual([])
  })

  test('shows a changed file by its text inside lists and mappings, and the rest as written', () => {
    const body = { list: [{ text: '<${file:p.md}> ${env:A} ${file}' }, 1, null] }
    const before = { body, files: { 'p.md': file('one') } }
    const after = { body, files: { 'p.md': file('two') } }
    expect(diffSnapshots(before, after)).toMatchObject([
      {
        before: [{ text: '<one> ${env:A} ${file}' }, 1, null],
        after: [{ text: '<two> ${env:A} ${file}' }, 1, null],
        notes: [],
      },
    ])
  })

  test.each<[string, Snapshot['files']]>([
    ['no files', undefined],
    ['other files', { 'other.md': file('one') }],
  ])('shows a file as written if %s are recorded', (_, files) => {
    const body = { prompt: '${file:p.md}' }
    expect(diffSnapshots({ body, files }, { body, files: { 'p.md': file('one') } })).toMatchObject([
      { path: ['prompt'], before: '${file:p.md}', after: 'one' },
    ])
  })

  test('a reference in a file is text', () => {
    const literal = { body: { prompt: '$${env:A}' } }
    const included = { body: { prompt: '${file:p}' }, files: { p: file('${env:A}') }, env: { A: 'hash' } }
    expect(diffSnapshots(literal, included)).toEqual([])
  })
})

describe('values from the environment', () => {
  const body = { key: 'Bearer ${env:TOKEN}', deep: { list: ['${env:TOKEN}'] } }

  test('a change is noted in each field, and shows no value', () => {
    const changes = diffSnapshots({ body, env: { TOKEN: 'hash 1' } }, { body, env: { TOKEN: 'hash 2' } })
    const notes = ['the value of ${env:TOKEN} changed']
    const shown = (value: unknown) => ({ kind: 'changed', before: value, after: value, notes })
    expect(changes).toEqual([
      { path: ['key'], ...shown('Bearer ${env:TOKEN}') },
      { path: ['deep', 'list'], ...shown(['${env:TOKEN}']) },
    ])
  })

  test('the same value is not a change, and other variables do not matter', () => {
    const before = { body, env: { TOKEN: 'hash', OTHER: '1' } }
    expect(diffSnapshots(before, { body, env: { TOKEN: 'hash', OTHER: '2' } })).toEqual([])
  })

  test('a default is text: to set the variable is a change, to write its default out is none', () => {
    const byDefault = { body: { url: '${env:URL:-http://a/}' } }
    expect(diffSnapshots(byDefault, { body: { url: 'http://a/' } })).toEqual([])
    expect(diffSnapshots(byDefault, { ...byDefault, env: { URL: 'hash' } })).toEqual([
      {
        path: ['url'],
        kind: 'changed',
        before: '${env:URL:-http://a/}',
        after: '${env:URL:-http://a/}',
        notes: ['the value of ${env:URL:-http://a/} changed'],
      },
    ])
  })

  test('a default of nothing is nothing', () => {
    const env = { A: 'hash' }
    const before = { body: { a: '${env:A}', b: 'x' }, env }
    const after = { body: { a: '${env:NONE:-}${env:A}${env:NONE:-}', b: '${env:NONE:-}x' }, env }
    expect(diffSnapshots(before, after)).toEqual([])
  })

  const noted = ['the value of ${env:A} changed']
  test.each<[string, Snapshot['body'], Snapshot['env'], Snapshot['body'], Snapshot['env'], unknown]>([
    ['a variable replaced with its value', { a: '${env:A}' }, { A: 'hash' }, { a: 'hash' }, undefined, []],
    ['a value replaced with its variable', { a: 'hash' }, undefined, { a: '${env:A}' }, { A: 'hash' }, []],
    ['a variable becoming empty', { a: '${env:A}x' }, { A: 'hash' }, { a: '${env:A}x' }, undefined, noted],
    ['another text', { a: 'x ${env:A}' }, { A: '1' }, { a: 'y ${env:A}' }, { A: '1' }, []],
    ['another text and value', { a: 'x ${env:A}' }, { A: '1' }, { a: 'y ${env:A}' }, { A: '2' }, noted],
    [
      'a value in a mapping of a list',
      { a: [{ key: '${env:A}' }] },
      { A: '1' },
      { a: [{ key: '${env:A}' }] },
      { A: '2' },
      noted,
    ],
  ])('%s is a change, with a note if the value is another one', (_, before, oldEnv, after, env, notes) => {
    expect(diffSnapshots({ body: before, env: oldEnv }, { body: after, env })).toEqual([
      { path: ['a'], kind: 'changed', before: before.a, after: after.a, notes },
    ])
  })

  test('an empty variable is unset', () => {
    expect(diffSnapshots({ body: { a: 'x' } }, { body: { a: '${env:A}x' } })).toEqual([])
  })
})

describe('ids of other resources', () => {
  const body = { tools: ['${tool:book}'] }

  test.each<[string, Snapshot['ids'], Snapshot['ids'], string[] | undefined]>([
    ['the same id', { 'tool/book': '1' }, { 'tool/book': '1' }, undefined],
    ['no id yet, on both sides', undefined, {}, undefined],
    ['another id', { 'tool/book': '1' }, { 'tool/book': '2' }, ['${tool:book} is now 2']],
    ['an id that is still to come', { 'tool/book': '1' }, undefined, ['${tool:book} gets a new id']],
    ['a first id', undefined, { 'tool/book': '2' }, ['${tool:book} is now 2']],
    ['ids of others', { 'tool/x': '1' }, { 'tool/x': '2' }, undefined],
  ])('%s', (_, before, after, notes) => {
    const changes = diffSnapshots({ body, ids: before }, { body, ids: after })
    const value = ['${tool:book}']
    expect(changes).toEqual(
      notes === undefined ? [] : [{ path: ['tools'], kind: 'changed', before: value, after: value, notes }],
    )
  })

  test.each<[string, Snapshot, Snapshot]>([
    ['another resource without an id yet', { body }, { body: { tools: ['${tool:other}'] } }],
    [
      'another text with the same id',
      { body, ids: { 'tool/book': '1' } },
      { body: { tools: ['${tool:book}', 'x'] }, ids: { 'tool/book': '1' } },
    ],
    ['the characters of a reference', { body: { tools: ['$${tool:book}'] } }, { body }],
  ])('%s: a change without a note', (_, before, after) => {
    expect(diffSnapshots(before, after)).toMatchObject([{ path: ['tools'], notes: [] }])
  })

  test('shows another knowledge base without its id, which may be a secret', () => {
    const kb = { body: { base: '${kb:faq}' } }
    const changes = diffSnapshots({ ...kb, ids: { 'kb/faq': '1' } }, { ...kb, ids: { 'kb/faq': '2' } })
    expect(changes).toMatchObject([{ notes: ['${kb:faq} is now another knowledge base'] }])
  })

  test('replacing an id with its name is not a change', () => {
    const literal = { body: { tools: ['t1'] } }
    expect(diffSnapshots(literal, { body, ids: { 'tool/book': 't1' } })).toEqual([])
  })
})

/** The same, with the fields of every mapping in the other order. */
function turned<Value>(value: Value): Value
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, turned(field)]),
  )
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([key, field]) => [key, sorted(field)] as const)
  return Object.fromEntries(fields.sort(([one], [other]) => (one < other ? -1 : 1)))
}

function setAt(target: unknown, path: readonly (string | number)[], to: { value: unknown } | undefined) {
  let holder = target
  for (const step of path.slice(0, -1)) holder = Reflect.get(Object(holder), step)
  const last = path.at(-1) ?? ''
  if (to === undefined) Reflect.deleteProperty(Object(holder), last)
  else Reflect.set(Object(holder), last, to.value)
}
