import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { CliError } from '../../../src/errors.ts'
import { readEntries } from '../../../src/project/faq/entries.ts'
import { makeLedgerFolder, openLedger } from '../../../src/project/faq/ledger.ts'
import { lockPush } from '../../../src/project/faq/lock.ts'
import { type PushTools, pushEntries } from '../../../src/project/faq/push-entries.ts'
import { openSplicedFile } from '../../../src/project/faq/spliced-file.ts'
import { readSource } from '../../../src/source/read-source.ts'

const three = 'faq:\n- {question: A, answer: a}\n- {question: B, answer: b}\n- {question: C, answer: c}\n'
const target = { baseUrl: 'http://127.0.0.1/', knowledgeBaseId: 'kb' }

async function openFolder(text = three) {
  const folder = await mkdtemp(join(tmpdir(), 'callwright-push-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'faq.yaml')
  await writeFile(path, text)
  return { folder, path }
}

/** One push of a file, one entry to a batch. */
async function push(path: string, tools: Partial<PushTools>) {
  const source = await readSource(path, { cwd: '/' })
  await makeLedgerFolder(path)
  return pushEntries(
    {
      file: readEntries(source, source.value),
      target,
      ledger: await openLedger(path, target),
      spliced: await openSplicedFile(path, source),
      batchSize: 1,
      resendUnknown: false,
    },
    {
      api: {
        insertFaq: async (_id, faq) => ({
          faq: faq.map(({ question }) => ({ id: `id-${question}`, question })),
        }),
        updateFaq: async () => ({ faq: [] }),
      },
      signal: new AbortController().signal,
      assertAlone: async () => {},
      onPlan() {},
      onProgress() {},
      ...tools,
    },
  )
}

test('Ctrl-C between two batches: what is done stays done, nothing is open', async () => {
  const { folder, path } = await openFolder()
  const ending = new AbortController()
  const cancelled = push(path, { signal: ending.signal, onProgress: () => ending.abort() })
  await expect(cancelled).rejects.toMatchObject({
    kind: 'cancelled',
    details: { done: 1, notDone: 2, inserted: 1 },
  })
  expect(await readdir(join(folder, '.callwright'))).toEqual(['faq.yaml.faq-push.json'])
  expect(await push(path, {})).toMatchObject({ inserted: 2, unchanged: 1 })
  expect(await readFile(path, 'utf8')).toBe(three.replaceAll(/question: (.)/g, 'id: id-$1, question: $1'))
})

test('a bug while a batch is on its way leaves the batch open', async () => {
  const { path } = await openFolder()
  const insertFaq = () => Promise.reject(new TypeError('a bug'))
  await expect(push(path, { api: { insertFaq, updateFaq: insertFaq } })).rejects.toThrow(TypeError)
  await expect(push(path, {})).rejects.toMatchObject({ kind: 'conflict' })
})

test('an error that came before any request leaves nothing open', async () => {
  const { path } = await openFolder()
  const insertFaq = () => Promise.reject(new CliError('usage', 'the base URL is not a URL'))
  await expect(push(path, { api: { insertFaq, updateFaq: insertFaq } })).rejects.toMatchObject({
    kind: 'usage',
  })
  expect(await push(path, {})).toMatchObject({ inserted: 3 })
})

test('ids that cannot be kept after the answer are in the error', async () => {
  const { folder, path } = await openFolder()
  const pending = join(folder, '.callwright/faq.yaml.faq-push.pending.json')
  const api: PushTools['api'] = {
    async insertFaq() {
      // From here on no file can take its place.
      await rm(pending)
      await mkdir(pending)
      return { faq: [{ id: 'x1', question: 'A' }] }
    },
    updateFaq: async () => ({ faq: [] }),
  }
  await expect(push(path, { api })).rejects.toMatchObject({
    kind: 'conflict',
    message: expect.stringContaining(':2: "A", stored as x1'),
    details: { unknown: [{ line: 2, question: 'A', id: 'x1' }] },
  })
})

test('a push that lost its lock stops before the next batch', async () => {
  const { path } = await openFolder()
  let batches = 0
  const assertAlone = async () => {
    batches += 1
    if (batches === 2) throw new CliError('conflict', 'another push is running')
  }
  await expect(push(path, { assertAlone })).rejects.toMatchObject({ kind: 'conflict', details: { done: 1 } })
  expect(await readFile(path, 'utf8')).toContain('id-A')
  expect(await readFile(path, 'utf8')).not.toContain('id-B')
})

test('a lock: one holder; that of a dead process, or of one killed while locking, is taken over', async () => {
  const { folder } = await openFolder()
  const path = join(folder, 'lock')
  const sleeps: number[] = []
  const clock = {
    now: () => 0,
    sleep: async (milliseconds: number) => void sleeps.push(milliseconds),
  }
  const first = await lockPush(path, 'faq.yaml', clock)
  await expect(lockPush(path, 'faq.yaml', clock)).rejects.toMatchObject({ kind: 'conflict' })
  await first.assertHeld()
  await first.release()
  expect(await readdir(folder)).toEqual(['faq.yaml'])

  await writeFile(`${path}.lock`, '')
  const second = await lockPush(path, 'faq.yaml', clock)
  expect(sleeps.length).toBeGreaterThan(0)
  await mkdir(`${path}.lock.other.alive`)
  await writeFile(`${path}.lock`, JSON.stringify({ pid: 1, host: 'elsewhere', token: 'other' }))
  await expect(second.assertHeld()).rejects.toMatchObject({ kind: 'conflict' })
  await expect(lockPush(path, 'faq.yaml', clock)).rejects.toThrow('process 1 on elsewhere')
  await second.release()
})
