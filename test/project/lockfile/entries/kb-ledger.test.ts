import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Disk } from '../../../../src/lib/fs/line-file.ts'
import { kbLedger, ledgerView } from '../../../../src/project/lockfile/entries/index.ts'
import {
  type Lockfile,
  openLockStore,
  type ResourceState,
  readLockfile,
  type Section,
  TargetState,
} from '../../../../src/project/lockfile/index.ts'
import { failingDisk } from '../../../helpers/failing-disk.ts'
import { folderOf } from '../../apply/project-on-disk.ts'

const never = () => false

function sectionWith(recorded: ResourceState | undefined): Section {
  const resources = recorded === undefined ? {} : { 'kb/faq': recorded }
  return { baseUrl: 'https://calls.example.com/', salt: 's', resources }
}

/** Two targets of one file: the first has given it its ids. */
const two: Lockfile = {
  targets: {
    first: sectionWith({ body: {}, entries: { e1: 'h1', e2: 'h2' } }),
    second: sectionWith({ body: {}, entries: { e1: { id: 's1', hash: 'h1' } } }),
  },
}

describe('known entries', () => {
  const recorded: ResourceState = {
    body: {},
    entries: { own: 'h1', mapped: { id: 'm', hash: 'h2' }, gone: null, 'unknown-content': '' },
  }

  test.each([
    ['own', false, ['own', 'h1', true]],
    // The id in the file is that of another target.
    ['mapped', true, ['m', 'h2', false]],
    // The target does not have it.
    ['gone', false, [undefined, undefined, false]],
    ['gone', true, [undefined, undefined, false]],
    // Written by a person, unless it belongs to another target.
    ['by-hand', false, ['by-hand', undefined, false]],
    ['by-hand', true, [undefined, undefined, false]],
    ['unknown-content', false, ['unknown-content', '', true]],
    ['constructor', true, [undefined, undefined, false]],
  ] as const)('of %s (recorded by another target: %s)', (key, isElsewhere, expected) => {
    const view = ledgerView(recorded, () => isElsewhere)
    expect([view.idOf(key), view.pushed(key), view.holds(key)]).toEqual(expected)
  })

  test('of a knowledge base that is not recorded, ids are trusted', () => {
    const view = ledgerView(undefined, never)
    expect([view.idOf('by-hand'), view.pushed('by-hand')]).toEqual(['by-hand', undefined])
  })

  test('an id of the target stays known as one when its entry is forgotten', async () => {
    const view = ledgerView(recorded, never)
    expect(view.holds('m')).toBe(true)
    await view.forget(['own', 'mapped'])
    expect([view.idOf('own'), view.holds('own'), view.holds('m')]).toEqual([undefined, true, true])
  })
})

describe('two targets share a file', () => {
  test.each([
    ['first', ['e1', 'e2', 'e3']],
    // It was not sent e2.
    ['second', ['s1', undefined, 'e3']],
    ['third', [undefined, undefined, 'e3']],
  ])('the %s one has its own ids, and accepts one that none has recorded', (target, expected) => {
    const section = two.targets[target] ?? sectionWith(undefined)
    const state = new TargetState(two, target, section)
    const view = ledgerView(state.stateOf('kb/faq'), state.isOwnedByOtherTarget)
    expect(['e1', 'e2', 'e3'].map(key => view.idOf(key))).toEqual(expected)
  })
})

describe('the ledger', () => {
  async function open(recorded?: ResourceState, disk?: Disk) {
    const path = join(await folderOf({}), 'lock')
    const store = openLockStore({
      path,
      name: 'lock',
      lockfile: { targets: {} },
      text: undefined,
      target: 'test',
      section: sectionWith(recorded),
      disk,
    })
    const snapshot = { body: { knowledgeBaseId: 'k' } }
    const ledger = kbLedger(store, 'kb/faq', { snapshot, texts: undefined })
    const onDisk = async () => (await readLockfile(path, 'lock')).lockfile.targets.test?.resources['kb/faq']
    return { ledger, onDisk }
  }

  test('push writes to disk, appends and is visible immediately', async () => {
    const { ledger, onDisk } = await open({ body: {}, entries: { e0: 'h0', e1: 'old' } })
    await ledger.record([
      { key: 'e1', id: 'e1', hash: 'h1' },
      { key: 'foreign', id: 'e2', hash: 'h2' },
    ])
    expect(await onDisk()).toEqual({
      body: { knowledgeBaseId: 'k' },
      entries: { e0: 'h0', e1: 'h1', foreign: { id: 'e2', hash: 'h2' } },
    })
    expect([ledger.idOf('foreign'), ledger.pushed('e1'), ledger.holds('e2')]).toEqual(['e2', 'h1', true])
  })

  test('nothing pushed is nothing written', async () => {
    const { ledger, onDisk } = await open()
    await ledger.record([])
    expect(await onDisk()).toBeUndefined()
  })

  test('a batch is on disk before it is sent, and gone after', async () => {
    const { ledger, onDisk } = await open({ body: {}, entries: { e0: 'h0' } })
    const batch = [{ question: 'q', content: 'c', line: 3 }]
    const rollback = await ledger.send(batch)
    const sent = { body: { knowledgeBaseId: 'k' }, entries: { e0: 'h0' }, pending: batch }
    expect(await onDisk()).toEqual(sent)
    await rollback()
    expect(await onDisk()).toEqual({ body: { knowledgeBaseId: 'k' }, entries: { e0: 'h0' } })
    await ledger.send(batch)
    await ledger.answer(['e1'])
    expect(await onDisk()).toEqual({
      body: { knowledgeBaseId: 'k' },
      entries: { e0: 'h0', e1: 'c' },
      pending: [{ ...batch[0], id: 'e1' }],
    })
    await ledger.written()
    expect(await onDisk()).toEqual({ body: { knowledgeBaseId: 'k' }, entries: { e0: 'h0', e1: 'c' } })
  })

  test('what cannot be written is written with the next change, in its order', async () => {
    const disk = failingDisk()
    const { ledger, onDisk } = await open(undefined, disk)
    const batch = (name: string) => ({ question: name, content: name })
    await ledger.send([batch('a')])
    disk.room = 0
    await expect(ledger.answer(['e1'])).rejects.toMatchObject({ kind: 'usage' })
    await expect(ledger.send([batch('b')])).rejects.toMatchObject({ kind: 'usage' })
    disk.room = Number.POSITIVE_INFINITY
    await ledger.send([batch('c')])
    // The second batch was not sent.
    expect(await onDisk()).toEqual({
      body: { knowledgeBaseId: 'k' },
      entries: { e1: 'a' },
      pending: [{ ...batch('a'), id: 'e1' }, batch('c')],
    })
  })

  test('a batch of an earlier run is this target’s', async () => {
    const pending = [{ question: 'q', content: 'c' }]
    const { ledger } = await open({ body: {}, pending })
    expect(ledger.pending).toEqual(pending)
    expect((await open()).ledger.pending).toEqual([])
  })
})
