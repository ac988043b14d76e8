import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toJournalLine } from '../../../src/sandbox/records/journal-lines.ts'
import { openRecords } from '../../../src/sandbox/records/records.ts'
import type { RecordEntry } from '../../../src/sandbox/records/store.ts'
import { failingDisk } from '../../forward/failing-disk.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { startTestSandbox } from '../../helpers/test-sandbox.ts'
import { entries, entriesIn, folder } from './journal-file.ts'

test('responds with 507 and changes nothing on a full disk, and recovers when there is space', async () => {
  const file = join(await folder(), 'records.ndjson')
  const disk = failingDisk()
  const log: unknown[] = []
  const options = { data: file, newTeamId: () => 't', clock: realClock, disk, log: log.push.bind(log) }
  const records = await openRecords(options)
  const tool = (id: string): RecordEntry => ({ kind: 'tool', record: { _id: id } })
  await records.save(tool('a'))
  disk.room = 10
  await expect(records.save(tool('b'))).rejects.toMatchObject({ status: 507 })
  expect(records.store.tool('b')).toBeUndefined()
  expect(log).toEqual([{ kind: 'warning', message: expect.stringContaining('no space left') }])
  disk.room = Number.POSITIVE_INFINITY
  await records.save(tool('c'))
  await records.close()
  expect((await entriesIn(file)).slice(1)).toEqual([tool('a'), tool('c')])
})

test('a write that fails leaves nothing, and one that cannot be undone ends all writing', async () => {
  const file = join(await folder(), 'records.ndjson')
  let fails = true
  const disk = {
    ...failingDisk(),
    sync: async () => {
      if (fails) throw new Error('EIO: i/o error, fsync')
    },
  }
  const options = { data: file, newTeamId: () => 't', clock: realClock, disk, log: () => {} }
  const records = await openRecords(options)
  const before = await readFile(file, 'utf8')
  await expect(records.save(entries[1] as RecordEntry)).rejects.toMatchObject({ status: 507 })
  expect(await readFile(file, 'utf8')).toBe(before)
  disk.truncates = false
  await expect(records.save(entries[1] as RecordEntry)).rejects.toMatchObject({ status: 507 })
  fails = false
  await expect(records.save(entries[2] as RecordEntry)).rejects.toThrow('could not be repaired')
  await records.close()
})

test('key and records outlive the sandbox', async () => {
  const data = join(await folder(), 'records.ndjson')
  const first = await startTestSandbox({ data })
  const { body: tool } = await first.send('POST', '/assistants/v1/tools', { type: 'function' })
  const { body: inserted } = await first.send('POST', '/kb/v1/knowledge-bases/desk/faq-template', {
    faq: [{ question: 'Open?', answer: 'Yes.' }],
  })
  const { body: assistant } = await first.send('POST', '/assistants/v1/assistants', { name: 'Desk' })
  const { body: call } = await first.send('POST', '/calls/v1/conversations', {
    userNumber: '+12025550101',
    assistantNumber: '+12025550102',
  })
  await first.idle()
  await first.close()

  const second = await startTestSandbox({ data })
  expect(second.apiKey).toBe(first.apiKey)
  expect((await second.send('PATCH', `/assistants/v1/tools/${tool._id}`, { async: true })).body).toEqual({
    ...tool,
    async: true,
    updatedAt: expect.any(String),
  })
  const update = await second.send('PUT', '/kb/v1/knowledge-bases/desk/faq-template', {
    faq: [{ ...(inserted.faq as object[])[0], answer: 'No.' }],
  })
  expect(update.status).toBe(200)
  const placed = await second.send('POST', '/calls/v1/conversations/connect', {
    direction: 'outbound',
    phoneNumberId: 'p1',
    customer: { number: '+12025550101' },
  })
  expect(placed.body).toMatchObject({ assistantId: assistant._id, teamId: assistant.teamId })
  const state = await second.send('GET', `/calls/v1/conversations/${call.sid}/control`)
  expect(state.body).toMatchObject({ id: call.sid, status: 'completed' })
})

test('a call that ran when the sandbox was killed is over after the restart', async () => {
  const data = join(await folder(), 'records.ndjson')
  const call: RecordEntry = {
    kind: 'call',
    record: {
      id: 'CC-1',
      teamId: 't',
      direction: 'outbound',
      createdAt: '2026-01-05T12:00:00.000Z',
      updatedAt: '2026-01-05T12:00:00.000Z',
      customer: { number: '+12025550101' },
      status: 'ongoing',
      phoneVendor: '<phone_vendor_1>',
      phoneVendorDetails: { from: '+12025550102', to: '+12025550101' },
      monitor: { controlUrl: 'http://127.0.0.1:1/' },
    },
  }
  await writeFile(data, toJournalLine(entries[0] as RecordEntry) + toJournalLine(call))
  const sandbox = await startTestSandbox({ data })
  const { body } = await sandbox.send('GET', '/calls/v1/conversations/CC-1/control')
  expect(body).toMatchObject({ status: 'completed', callEndTriggerBy: 'system' })
})
