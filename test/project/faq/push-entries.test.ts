import { ftruncateSync, writeSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readSource } from '../../../src/files/source/index.ts'
import { CallyardError } from '../../../src/lib/error.ts'
import type { Disk } from '../../../src/lib/fs/line-file.ts'
import { openSplicedFile, type PushTools, pushEntries, readEntries } from '../../../src/project/faq/index.ts'
import { kbLedger, ledgerView, type PushLedger } from '../../../src/project/lockfile/entries/index.ts'
import {
  lockfileName,
  openLockStore,
  readLockfile,
  replayJournal,
  withTarget,
} from '../../../src/project/lockfile/index.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { hiddenClassesOf } from '../../helpers/hidden-class.ts'

type SplicedFile = ReturnType<typeof openSplicedFile>

const three = 'faq:\n- {question: A, answer: a}\n- {question: B, answer: b}\n- {question: C, answer: c}\n'
const target = { baseUrl: 'http://127.0.0.1/', knowledgeBaseId: 'kb' }

async function openFolder(text = three) {
  const folder = await temporaryFolder({ 'faq.yaml': text })
  return { folder, path: join(folder, 'faq.yaml') }
}

/** The ledger of a file whose lockfile lies beside it. */
async function openLedger(file: string, disk?: Disk) {
  const path = join(dirname(file), lockfileName)
  await replayJournal(path, lockfileName)
  const { lockfile, text } = await readLockfile(path, lockfileName)
  const section = lockfile.targets.test ?? { baseUrl: target.baseUrl, salt: 'salt', resources: {} }
  const store = openLockStore({ path, name: lockfileName, lockfile, text, target: 'test', section, disk })
  const ledger = kbLedger(store, 'kb/faq', {
    snapshot: { body: {} },
    texts: undefined,
  })
  return { ledger, close: store.close }
}

/** One push of a file, one entry to a batch. */
async function push(
  path: string,
  tools: Partial<PushTools>,
  disk?: Disk,
  resendUnknown = false,
  spliced: Partial<SplicedFile> = {},
) {
  const { ledger, close } = await openLedger(path, disk)
  return withTarget({ close }, () => pushWith(ledger, path, tools, { resendUnknown, spliced }))
}

async function pushWith(
  ledger: PushLedger,
  path: string,
  tools: Partial<PushTools>,
  { resendUnknown = false, spliced = {} }: { resendUnknown?: boolean; spliced?: Partial<SplicedFile> } = {},
) {
  const source = await readSource(path, { cwd: '/' })
  return pushEntries(
    {
      file: source.file,
      source,
      entries: readEntries(source, source.value),
      target,
      ledger,
      spliced: { ...openSplicedFile(path, source), ...spliced },
      inProject: undefined,
      batchSize: 1,
      resendUnknown,
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

/** A disk that takes nothing more once it is full. */
function fillingDisk() {
  let isFull = false
  const fill = () => {
    isFull = true
  }
  const disk: Disk = {
    write(file, bytes) {
      if (isFull) throw new Error('no space left on device')
      return writeSync(file, bytes)
    },
    truncate: (file, length) => ftruncateSync(file, length),
  }
  return { disk, fill }
}

test('Ctrl-C between two batches: what is done stays done, nothing is open', async () => {
  const { folder, path } = await openFolder()
  const ending = new AbortController()
  const cancelled = push(path, { signal: ending.signal, onProgress: () => ending.abort() })
  await expect(cancelled).rejects.toMatchObject({
    kind: 'cancelled',
    details: { done: 1, notDone: 2, inserted: 1 },
  })
  expect(await readdir(join(folder, '.callyard'))).toEqual([])
  expect(await push(path, {})).toMatchObject({ inserted: 2, unchanged: 1 })
  expect(await readFile(path, 'utf8')).toBe(three.replaceAll(/question: (.)/g, 'id: id-$1, question: $1'))
})

test('an entry is not inserted twice that was edited before its id was written, while another batch stays open', async () => {
  const text =
    'faq:\n- {question: A, answer: a}\n- {question: B, answer: b}\n- {question: C, answer: c}\n- {question: D, answer: d}\n'
  const { path } = await openFolder(text)
  const updateFaq = async () => ({ faq: [] })
  const insertFaq: PushTools['api']['insertFaq'] = async (_id, faq) => {
    const question = faq[0]?.question ?? ''
    if (question !== 'D') return { faq: [{ id: `id-${question}`, question }] }
    // The file has no id of C by now: it is written after the 1st, 2nd and 4th batch.
    await writeFile(path, (await readFile(path, 'utf8')).replace('answer: c', 'answer: changed'))
    return { faq: [] }
  }
  await expect(push(path, { api: { insertFaq, updateFaq } })).rejects.toMatchObject({
    code: 'answer-unclear',
  })
  expect(await readFile(path, 'utf8')).not.toContain('id-C')
  expect(await push(path, {}, undefined, true)).toMatchObject({ inserted: 1, updated: 1 })
  expect(await readFile(path, 'utf8')).toContain('{id: id-C, question: C, answer: changed}')
})

test('a bug while a batch is on its way leaves the batch open', async () => {
  const { path } = await openFolder()
  const insertFaq = () => Promise.reject(new TypeError('a bug'))
  await expect(push(path, { api: { insertFaq, updateFaq: insertFaq } })).rejects.toThrow(TypeError)
  await expect(push(path, {})).rejects.toMatchObject({ kind: 'conflict' })
})

test('an error that came before any request leaves nothing open', async () => {
  const { path } = await openFolder()
  const insertFaq = () => Promise.reject(new CallyardError('usage', 'the base URL is not a URL'))
  await expect(push(path, { api: { insertFaq, updateFaq: insertFaq } })).rejects.toMatchObject({
    kind: 'usage',
  })
  expect(await push(path, {})).toMatchObject({ inserted: 3 })
})

test('the error lists ids that could not be stored after the response', async () => {
  const { path } = await openFolder()
  const { disk, fill } = fillingDisk()
  const api: PushTools['api'] = {
    async insertFaq() {
      fill()
      return { faq: [{ id: 'x1', question: 'A' }] }
    },
    updateFaq: async () => ({ faq: [] }),
  }
  await expect(push(path, { api }, disk)).rejects.toMatchObject({
    kind: 'conflict',
    code: 'ids-not-kept',
    details: { unknown: [{ line: 2, question: 'A', id: 'x1' }] },
  })
  // The next push asks about it.
  await expect(push(path, {})).rejects.toMatchObject({ code: 'batch-open' })
})

test('if a file cannot be written after the response, keeps its ids for the next push', async () => {
  const { folder, path } = await openFolder()
  // From the second response on, a folder takes the path of the temporary file, so that the file can no longer be replaced.
  const obstacle = join(folder, '.faq.yaml.callyard-tmp')
  const insertFaq: PushTools['api']['insertFaq'] = async (_id, faq) => {
    if (faq[0]?.question === 'B') await mkdir(obstacle)
    return { faq: faq.map(({ question }) => ({ id: `id-${question}`, question })) }
  }
  await expect(
    push(path, { api: { insertFaq, updateFaq: async () => ({ faq: [] }) } }),
  ).rejects.toMatchObject({
    kind: 'partial',
    code: 'push-in-part',
    cause: { code: 'ids-not-written', details: { count: 1 } },
    details: {
      inserted: 2,
      done: 2,
      notDone: 1,
      ids: [{ id: 'id-A' }, { id: 'id-B' }],
      keptIn: lockfileName,
    },
  })
  expect(await readFile(path, 'utf8')).not.toContain('id-B')
  // The next push cannot write it either, and has sent nothing.
  await expect(push(path, {})).rejects.toMatchObject({
    kind: 'usage',
    code: 'nothing-sent',
    details: { pendingFile: lockfileName },
  })
  await rm(obstacle, { recursive: true })
  const result = await push(path, {})
  expect(result).toMatchObject({ inserted: 1, unchanged: 2 })
  expect(result.ids()).toMatchObject([{ id: 'id-B' }, { id: 'id-C' }])
  expect(await readFile(path, 'utf8')).toBe(three.replaceAll(/question: (.)/g, 'id: id-$1, question: $1'))
})

test('a ledger that cannot be written once the file has the ids: the next push finds them in the file', async () => {
  const { path } = await openFolder()
  const { disk, fill } = fillingDisk()
  await expect(push(path, { onProgress: fill }, disk)).rejects.toMatchObject({
    kind: 'partial',
    code: 'push-in-part',
    details: { inserted: 1, done: 1, notDone: 2 },
  })
  expect(await push(path, {})).toMatchObject({ inserted: 2, unchanged: 1 })
})

test('an update that cannot be recorded is done in part, and made again by the next push', async () => {
  const { path } = await openFolder('faq:\n- {id: x, question: A, answer: a}\n')
  const { disk, fill } = fillingDisk()
  await expect(push(path, { onProgress: fill }, disk)).rejects.toMatchObject({
    kind: 'partial',
    code: 'push-in-part',
    cause: { code: 'update-not-recorded' },
    details: { updated: 1, done: 1 },
  })
  expect(await push(path, {})).toMatchObject({ updated: 1 })
})

test('a batch that cannot be kept is not sent, and the error says so', async () => {
  const { path } = await openFolder()
  const { disk, fill } = fillingDisk()
  fill()
  const insertFaq = () => Promise.reject(new TypeError('nothing is to be sent'))
  await expect(push(path, { api: { insertFaq, updateFaq: insertFaq } }, disk)).rejects.toMatchObject({
    kind: 'usage',
    code: 'nothing-sent',
  })
  expect(await push(path, {})).toMatchObject({ inserted: 3 })
})

/** Pushes all entries, and leaves the ledger as a kill would that comes before it is closed. */
async function pushAndKill(folder: string, path: string) {
  const paths = [join(folder, lockfileName), join(folder, '.callyard/lockfile.ndjson')] as const
  const { ledger, close } = await openLedger(path)
  await pushWith(ledger, path, {})
  const left = await Promise.all(paths.map(async each => [each, await readFile(each, 'utf8')] as const))
  await close()
  for (const [each, text] of left) await writeFile(each, text)
  return paths[1]
}

test('a journal whose last line lacks only its newline is continued by the next push', async () => {
  const { folder, path } = await openFolder()
  const journal = await pushAndKill(folder, path)
  await writeFile(journal, (await readFile(journal, 'utf8')).trimEnd())
  await writeFile(path, `${await readFile(path, 'utf8')}- {question: D, answer: d}\n`)
  expect(await push(path, {})).toMatchObject({ inserted: 1, unchanged: 3 })
  expect(await push(path, {})).toMatchObject({ inserted: 0, unchanged: 4 })
})

test('a journal whose last line was cut off is continued, and a batch that was not sent is not open', async () => {
  const { folder, path } = await openFolder()
  const journal = await pushAndKill(folder, path)
  await writeFile(journal, `${await readFile(journal, 'utf8')}{"line":"step`)
  await writeFile(path, `${await readFile(path, 'utf8')}- {question: D, answer: d}\n`)
  const insertFaq = () => Promise.reject(new CallyardError('usage', 'the base URL is not a URL'))
  await expect(push(path, { api: { insertFaq, updateFaq: insertFaq } })).rejects.toMatchObject({
    kind: 'usage',
  })
  expect(await push(path, {})).toMatchObject({ inserted: 1, unchanged: 3 })
})

test('a push that loses its lock while it keeps its batch does not send it', async () => {
  const { folder, path } = await openFolder()
  const assertAlone = async () => {
    const names = await readdir(join(folder, '.callyard')).catch((): string[] => [])
    if (names.includes('lockfile.ndjson')) throw new CallyardError('conflict', 'another push is running')
  }
  const insertFaq = () => Promise.reject(new TypeError('nothing is to be sent'))
  await expect(push(path, { assertAlone, api: { insertFaq, updateFaq: insertFaq } })).rejects.toMatchObject({
    kind: 'conflict',
  })
})

test('a push that lost its lock stops before the next batch', async () => {
  const { path } = await openFolder()
  let batches = 0
  const assertAlone = async () => {
    batches += 1
    // Asked twice for each batch: before it is kept, and before it is sent.
    if (batches === 3) throw new CallyardError('conflict', 'another push is running')
  }
  await expect(push(path, { assertAlone })).rejects.toMatchObject({ kind: 'conflict', details: { done: 1 } })
  expect(await readFile(path, 'utf8')).toContain('id-A')
  expect(await readFile(path, 'utf8')).not.toContain('id-B')
})

test('rejects a file that would be too large with its ids before the first request', async () => {
  const { folder, path } = await openFolder()
  const insertFaq = () => Promise.reject(new Error('was sent'))
  const api = { insertFaq, updateFaq: insertFaq }
  const pushed = push(path, { api }, undefined, false, { lengthWith: async () => 151 * 1024 ** 2 })
  await expect(pushed).rejects.toMatchObject({
    kind: 'usage',
    code: 'too-large-with-ids',
    details: { size: 151, max: 150 },
  })
  expect(await readdir(folder)).toEqual(['faq.yaml'])
})

test('pending entries share the hidden classes of their steps', async () => {
  const questions = Array.from({ length: 60 }, (_, index) => `- {question: Q${index}, answer: a}\n`)
  const { path } = await openFolder(`faq:\n${questions.join('')}`)
  const ledger = ledgerView(undefined, () => false)
  let pending: readonly object[] = []
  await pushWith(ledger, path, {
    onProgress() {
      if (ledger.pending.length > pending.length) pending = [...ledger.pending]
    },
  })
  expect(pending.length).toBeGreaterThan(20)
  expect(hiddenClassesOf(pending)).toBeLessThan(4)
})
