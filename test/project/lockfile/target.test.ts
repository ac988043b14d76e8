import { expect, test } from 'vitest'
import { checkTeam, type Section, selectSection } from '../../../src/project/lockfile/index.ts'

const live = 'https://calls.example.com/'
const other = 'https://staging.example.com/'
const section: Section = { baseUrl: live, salt: 's', resources: { 'tool/a': { id: 't', body: {} } } }
const made = { target: 'live', address: 'tool/a', created: 't' } as const
const lockfile = { targets: { live: section } }

test('a target at its own base URL is its section', () => {
  for (const isNew of [true, false]) {
    expect(selectSection(lockfile, { name: 'live', baseUrl: live, isNew })).toBe(section)
  }
})

test('a plan on a machine that knows no service uses the section of its target', () => {
  expect(selectSection(lockfile, { name: 'live', baseUrl: undefined, isNew: false })).toBe(section)
})

test('a new target is an empty section with its own salt', () => {
  const target = { name: 'staging', baseUrl: other, isNew: false }
  const one = selectSection(lockfile, target)
  expect(one).toEqual({ baseUrl: other, salt: expect.stringMatching(/^.{16}$/), resources: {} })
  expect(selectSection(lockfile, target).salt).not.toBe(one.salt)
})

test('a new target without a base URL never matches another one', () => {
  const target = { name: 'staging', baseUrl: undefined, isNew: false }
  expect(selectSection(lockfile, target)).toMatchObject({ baseUrl: '', resources: {} })
})

test.each([true, false])('rejects a known target at another base URL (isNew: %s)', isNew => {
  expect(() => selectSection(lockfile, { name: 'live', baseUrl: other, isNew })).toThrow(
    expect.objectContaining({
      kind: 'conflict',
      code: 'target-elsewhere',
      details: { target: 'live', recorded: live, baseUrl: other },
    }),
  )
})

test('rejects a known base URL as a new target unless the name is given', () => {
  const target = { name: 'second', baseUrl: live }
  expect(() => selectSection(lockfile, { ...target, isNew: false })).toThrow(
    expect.objectContaining({
      kind: 'conflict',
      code: 'target-twice',
      details: { target: 'second', recorded: 'live', baseUrl: live },
    }),
  )
  expect(selectSection(lockfile, { ...target, isNew: true })).toMatchObject({ baseUrl: live, resources: {} })
})

test('a target named like an Object property is a new one', () => {
  expect(selectSection(lockfile, { name: 'constructor', baseUrl: other, isNew: false }).resources).toEqual({})
})

test('rejects a response of another team with both teams', () => {
  expect(() => checkTeam('ours', 'theirs', made)).toThrow(
    expect.objectContaining({
      kind: 'conflict',
      code: 'other-team',
      details: { ...made, recorded: 'ours', otherTeam: 'theirs' },
    }),
  )
})

test.each([
  ['of the same team', 'ours', 'ours'],
  ['that names no team', 'ours', undefined],
  ['that names it by no text', 'ours', { id: 'ours' }],
  ['that names it by a number', '7', 7],
  ['before any team is known', undefined, 'theirs'],
])('a response %s is accepted', (_, known, answered) => {
  expect(() => checkTeam(known, answered, made)).not.toThrow()
})
