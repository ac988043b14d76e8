import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readLockfile } from '../../src/lockfile/journal.ts'
import { elsewhere, kbLedger, ledgerView } from '../../src/lockfile/kb-ledger.ts'
import { openLockStore } from '../../src/lockfile/lock-store.ts'
import type { Lockfile, Recorded, Section } from '../../src/lockfile/lockfile.ts'
import { folderOf } from '../project/project-on-disk.ts'

const never = () => false
const always = () => true

function sectionWith(recorded: Recorded | undefined): Section {
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
  const recorded: Recorded = { body: {}, entries: { own: 'h1', mapped: { id: 'm', hash: 'h2' }, gone: null } }

  test('an entry under its own id', () => {
    const view = ledgerView(recorded, never)
    expect([view.idOf('own'), view.pushed('own'), view.holds('own')]).toEqual(['own', 'h1', true])
  })

  test('an id of the target stays known as one when its entry is forgotten', async () => {
    const view = ledgerView(recorded, never)
    await view.forget(['own', 'mapped'], { isKept: true })
    expect([view.idOf('own'), view.holds('own'), view.holds('m')]).toEqual([undefined, true, true])
  })

  test('an entry whose id in the file is another target’s', () => {
    const view = ledgerView(recorded, always)
    expect([view.idOf('mapped'), view.pushed('mapped'), view.holds('mapped'), view.holds('m')]).toEqual([
      'm',
      'h2',
      false,
      true,
    ])
  })

  test('an entry that the target is known not to hold', () => {
    for (const isElsewhere of [never, always]) {
      const view = ledgerView(recorded, isElsewhere)
      expect([view.idOf('gone'), view.pushed('gone'), view.holds('gone')]).toEqual([
        undefined,
        undefined,
        false,
      ])
    }
  })

  test('trusts an id written by a person unless it belongs to another target', () => {
    expect(ledgerView(recorded, never).idOf('by-hand')).toBe('by-hand')
    expect(ledgerView(recorded, always).idOf('by-hand')).toBeUndefined()
    expect(ledgerView(undefined, never).idOf('by-hand')).toBe('by-hand')
    expect(ledgerView(undefined, never).pushed('by-hand')).toBeUndefined()
  })

  test('an entry whose content is not known was pushed with no content', () => {
    expect(ledgerView({ body: {}, entries: { e: '' } }, never).pushed('e')).toBe('')
  })

  test('a name of an Object member is not an entry', () => {
    const view = ledgerView(recorded, always)
    expect([view.idOf('constructor'), view.pushed('toString'), view.holds('constructor')]).toEqual([
      undefined,
      undefined,
      false,
    ])
  })
})

describe('two targets share a file', () => {
  const viewOf = (target: string) =>
    ledgerView(two.targets[target]?.resources['kb/faq'], elsewhere(two, target))

  test('the ids in the file are the first one’s', () => {
    const view = viewOf('first')
    expect([view.idOf('e1'), view.idOf('e2')]).toEqual(['e1', 'e2'])
  })

  test('the second has its own, and lacks those that it was not sent', () => {
    const view = viewOf('second')
    expect([view.idOf('e1'), view.idOf('e2')]).toEqual(['s1', undefined])
  })

  test('a third one contains none of them, but accepts one that was not recorded', () => {
    const view = viewOf('third')
    expect([view.idOf('e1'), view.idOf('e2'), view.idOf('e3')]).toEqual([undefined, undefined, 'e3'])
  })
})

describe('the ledger', () => {
  async function open(recorded?: Recorded) {
    const path = join(await folderOf({}), 'lock')
    const store = openLockStore({
      path,
      name: 'lock',
      lockfile: { targets: {} },
      text: undefined,
      target: 'test',
      section: sectionWith(recorded),
    })
    const snapshot = { body: { knowledgeBaseId: 'k' } }
    const ledger = kbLedger(store, 'kb/faq', { snapshot, isElsewhere: never, texts: undefined })
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

  test('a batch of an earlier run is this target’s', async () => {
    const pending = [{ question: 'q', content: 'c' }]
    const { ledger } = await open({ body: {}, pending })
    expect(ledger.pending).toEqual(pending)
    expect((await open()).ledger.pending).toEqual([])
  })
})
