import { describe, expect, test } from 'vitest'
import type { Address } from '../../../src/interface/address.ts'
import type { Recorded, Section, Snapshot } from '../../../src/lockfile/lockfile.ts'
import { adopt, forget } from '../../../src/project/overrides.ts'

const sent: Snapshot = { body: { name: 'sent' }, env: { A: 'hash' }, ids: { 'tool/b': 't' } }
const older: Snapshot = { body: { name: 'older' } }
const inFile: Snapshot = { body: { name: 'in the file' } }
const files: Address[] = ['tool/book', 'tool/cancel', 'assistant/desk', 'kb/faq']
const keysIn = () => []
const known = { files, snapshotOf: (address: Address) => (files.includes(address) ? inFile : undefined) }

function sectionWith(resources: Record<Address, Recorded>): Section {
  return { baseUrl: 'https://calls.example.com/', salt: 's', resources }
}

function adopted(resources: Record<Address, Recorded>, text: string): Section['resources'] {
  return adopt(sectionWith(resources), text, known).section.resources
}

describe('adopt', () => {
  test('after a POST without a response: it has what was sent', () => {
    const before = { 'tool/book': { body: {}, creating: sent }, 'tool/cancel': { id: 'c', body: {} } }
    expect(adopted(before, 'tool/book=t1')).toEqual({ ...before, 'tool/book': { id: 't1', ...sent } })
  })

  test('after a POST without a response whose file was removed meanwhile', () => {
    const before = { 'tool/gone': { body: {}, creating: sent } }
    expect(adopted(before, 'tool/gone=t1')).toEqual({ 'tool/gone': { id: 't1', ...sent } })
  })

  test('after a replacement without a response: the earlier assistant is remembered', () => {
    const before = { 'assistant/desk': { id: 'a2', replaced: ['a1'], ...older, creating: sent } }
    expect(adopted(before, 'assistant/desk=a3')).toEqual({
      'assistant/desk': { id: 'a3', replaced: ['a1', 'a2'], ...sent },
    })
  })

  test('after a failed replacement: the earlier assistant is unchanged', () => {
    const before = { 'assistant/desk': { id: 'a1', ...older, creating: sent } }
    expect(adopted(before, 'assistant/desk=a1')).toEqual({ 'assistant/desk': { id: 'a1', ...older } })
  })

  test('a renamed file takes over the id of an orphan, with what was sent and what is pending', () => {
    const before = { 'tool/old': { id: 't1', ...sent, updating: older } }
    expect(adopted(before, 'tool/book=t1')).toEqual({ 'tool/book': { id: 't1', ...sent, updating: older } })
  })

  test('the id of an orphan does not settle the POST for the new name', () => {
    const before = { 'tool/old': { id: 't1', ...older }, 'tool/book': { body: {}, creating: sent } }
    expect(adopted(before, 'tool/book=t1')).toEqual({ 'tool/book': { id: 't1', ...older } })
  })

  test('an unknown tool is updated in full', () => {
    expect(adopted({}, 'tool/book=t1')).toEqual({ 'tool/book': { id: 't1', body: {} } })
  })

  test('updates a tool that replaces another one completely', () => {
    const before = { 'tool/book': { id: 't1', ...sent } }
    expect(adopted(before, 'tool/book=t2')).toEqual({ 'tool/book': { id: 't2', replaced: ['t1'], body: {} } })
  })

  test('an unknown assistant is taken to be what its file says', () => {
    expect(adopted({}, 'assistant/desk=a1')).toEqual({ 'assistant/desk': { id: 'a1', ...inFile } })
  })

  test('its own id changes nothing', () => {
    const before = { 'tool/book': { id: 't1', ...sent } }
    expect(adopted(before, 'tool/book=t1')).toEqual(before)
  })

  test('white space around the id is none of it', () => {
    expect(adopted({}, 'tool/book= t1 ')['tool/book']?.id).toBe('t1')
  })

  test('does not change its input section', () => {
    const section = sectionWith({ 'tool/old': { id: 't1', ...sent } })
    const copy = structuredClone(section)
    adopt(section, 'tool/book=t1', known)
    expect(section).toEqual(copy)
  })

  test.each([
    ['tool/book', 'adopt-malformed', {}],
    ['tool/book=', 'adopt-malformed', {}],
    ['tool/book=  ', 'adopt-malformed', {}],
    ['=t1', 'adopt-malformed', {}],
    ['book=t1', 'adopt-no-file', { address: 'book' }],
    ['tool/=t1', 'adopt-no-file', { address: 'tool/' }],
    ['tool/boook=t1', 'adopt-no-file', { files }],
    ['tool/abandoned=x', 'adopt-no-file', { address: 'tool/abandoned' }],
    ['kb/faq=k1', 'adopt-knowledge-base', { address: 'kb/faq', former: 'k1' }],
    ['tool/book=c1', 'adopt-taken', { id: 'c1', holder: 'tool/cancel' }],
  ])('%s is wrong usage', (text, code, details) => {
    const resources = { 'tool/cancel': { id: 'c1', body: {} }, 'tool/old': { id: 'o1', body: {} } }
    expect(() => adopted(resources, text)).toThrow(
      expect.objectContaining({ kind: 'usage', code, details: expect.objectContaining(details) }),
    )
  })
})

describe('forget', () => {
  function left(recorded: Recorded, address: Address = 'kb/faq', text: string = address) {
    const section = sectionWith({ [address]: recorded, 'tool/other': { id: 'o', body: {} } })
    const { [address]: after, ...others } = forget(section, text, { files, keysIn }).section.resources
    expect(others).toEqual({ 'tool/other': { id: 'o', body: {} } })
    return after
  }

  test('a POST without a response leaves nothing', () => {
    expect(left({ body: {}, creating: sent }, 'tool/book')).toBeUndefined()
  })

  test('a replacement without a response keeps the existing assistant', () => {
    expect(left({ id: 'a1', replaced: ['a0'], ...older, creating: sent }, 'assistant/desk')).toEqual({
      id: 'a1',
      replaced: ['a0'],
      ...older,
    })
  })

  test('creates a new tool next to an existing one', () => {
    expect(left({ id: 't1', ...sent }, 'tool/book', 'tool/book=t1')).toBeUndefined()
    expect(left({ id: 't1', ...sent, updating: older }, 'tool/book', 'tool/book=t1')).toBeUndefined()
    for (const text of ['tool/book', 'tool/book=t2']) {
      expect(() => left({ id: 't1', ...sent }, 'tool/book', text)).toThrow(
        expect.objectContaining({ code: 'forget-known', details: { address: 'tool/book', id: 't1' } }),
      )
    }
  })

  test('a batch of entries without a response does not affect the others', () => {
    const kb: Recorded = { body: { knowledgeBaseId: 'k' }, entries: { e1: 'hash', e2: null } }
    expect(left({ ...kb, pending: [{ question: 'q', content: 'c' }] })).toEqual(kb)
  })

  test('a whole knowledge base: the ids in its file no longer belong to this target', () => {
    const entries = { e1: 'hash', e2: { id: 'other', hash: 'hash' }, e3: null }
    expect(left({ body: { knowledgeBaseId: 'k' }, entries })).toEqual({
      body: {},
      entries: { e1: null, e2: null, e3: null },
    })
  })

  test('a whole knowledge base without a file leaves nothing', () => {
    const kb: Recorded = { body: { knowledgeBaseId: 'k' }, entries: { e1: 'hash' } }
    expect(left(kb, 'kb/gone')).toBeUndefined()
    expect(left({ ...kb, pending: [{ question: 'q', content: 'c' }] }, 'kb/gone')).toEqual(kb)
  })

  test('a knowledge base without entries leaves nothing', () => {
    expect(left({ body: { knowledgeBaseId: 'k' } })).toBeUndefined()
  })

  test.each([
    ['tool/boook', { 'tool/book': { body: {} } }],
    ['assistant/x', { 'tool/book': { body: {} } }],
    ['tool/book', {}],
    ['constructor', {}],
  ])('rejects --forget %s if it is not in the lockfile', (text, resources) => {
    const details = { text, known: Object.keys(resources) }
    expect(() => forget(sectionWith(resources), text, { files, keysIn })).toThrow(
      expect.objectContaining({ kind: 'usage', code: 'not-recorded', details }),
    )
  })
})
