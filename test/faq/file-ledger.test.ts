import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lockFilePush, openLedger } from '../../src/faq/file-ledger.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { LedgerStep } from '../../src/lockfile/ledger.ts'

const target = { baseUrl: 'http://127.0.0.1/', knowledgeBaseId: 'kb' }
const other = { ...target, knowledgeBaseId: 'kb2' }

/** Two entries with ids, a batch whose ids are not in the file, and one without a response. */
const steps: readonly LedgerStep[] = [
  { step: 'pushed', entries: [['e1', 'h1'] as const, ['e2', { id: 'there', hash: 'h2' }] as const] },
  { step: 'sent', entries: [{ line: 4, question: 'q3', content: 'h3' }] },
  { step: 'answered', ids: ['e3'] },
  { step: 'sent', entries: [{ question: 'q4', content: 'h4' }] },
]
const log = (to = target) => steps.map(step => `${JSON.stringify({ ...to, ...step })}\n`).join('')
const known = {
  entries: [
    ['e1', 'h1'],
    ['e2', { id: 'there', hash: 'h2' }],
    ['e3', 'h3'],
  ],
  pending: [
    { line: 4, question: 'q3', content: 'h3', id: 'e3' },
    { question: 'q4', content: 'h4' },
  ],
}
const logName = 'faq.yaml.faq-push.ndjson'
const lockfileName = 'faq.yaml.lock.yaml'

async function folderWith(files: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'callyard-ledger-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const own = join(folder, '.callyard')
  await mkdir(own)
  await writeFile(join(folder, 'faq.yaml'), 'faq: []\n')
  for (const [name, text] of Object.entries(files)) await writeFile(join(own, name), text)
  return { path: join(folder, 'faq.yaml'), own }
}

type Ledger = Awaited<ReturnType<typeof openLedger>>['ledger']
const contentOf = ({ entries, pending }: Ledger) =>
  JSON.parse(JSON.stringify({ entries: [...entries], pending }))

/** The lockfile as a migration of the log writes it. */
async function migrated(text = log()) {
  const { path, own } = await folderWith({ [logName]: text })
  await (await openLedger(path, target)).close()
  return readFile(join(own, lockfileName), 'utf8')
}

test('the log of an earlier version becomes a lockfile once, and says the same', async () => {
  const { path, own } = await folderWith({ [logName]: log() })
  const { ledger, close } = await openLedger(path, target)
  expect(contentOf(ledger)).toEqual(known)
  expect(await readdir(own)).toEqual([lockfileName])
  await ledger.keepOpen([])
  await close()
  const again = await openLedger(path, target)
  expect(contentOf(again.ledger)).toEqual({ ...known, pending: [] })
})

test.each([
  ['before the lockfile', () => ({})],
  ['with a part of the lockfile', () => ({ [`.${lockfileName}.callyard-tmp`]: 'version: 1\ntarg' })],
  ['with the lockfile, before the log is removed', async () => ({ [lockfileName]: await migrated() })],
])('a migration that was killed %s is completed by the next push', async (_, left) => {
  const { path, own } = await folderWith({ [logName]: log(), ...(await left()) })
  const lock = await lockFilePush(path, 'faq.yaml', systemClock)
  const { ledger, close } = await openLedger(path, target, { lock })
  expect(contentOf(ledger)).toEqual(known)
  await close()
  await lock.release()
  expect(await readdir(own)).toEqual([lockfileName])
  expect(contentOf((await openLedger(path, target)).ledger)).toEqual(known)
})

test('a migrated ledger has the targets of its log, and says which one has an open batch', async () => {
  const { path } = await folderWith({ [logName]: log() + log(other) })
  for (const each of [target, other]) {
    const { ledger } = await openLedger(path, each)
    expect(contentOf(ledger)).toEqual(known)
    expect(ledger.place.openElsewhere).toEqual(each === target ? other : target)
  }
})

test.each([
  ['lacks its newline alone', log().trimEnd(), known],
  ['was cut off', `${log()}{"baseUrl":"http`, known],
])('a log whose last line %s is migrated', async (_, text, content) => {
  const { path } = await folderWith({ [logName]: text })
  expect(contentOf((await openLedger(path, target)).ledger)).toEqual(content)
})

test('a damaged log is not guessed at, and stays', async () => {
  const { path, own } = await folderWith({ [logName]: '{"step":1}\n{' })
  await expect(openLedger(path, target)).rejects.toMatchObject({ kind: 'conflict', code: 'ledger-damaged' })
  expect(await readdir(own)).toEqual([logName])
})

test('a preview reads the log, and writes nothing', async () => {
  const { path, own } = await folderWith({ [logName]: log() })
  const { ledger, close } = await openLedger(path, target, { isPreview: true })
  expect(contentOf(ledger)).toEqual(known)
  await close()
  expect(await readdir(own)).toEqual([logName])
})

test.skipIf(process.getuid?.() === 0)('in a read-only folder the log stays, and the push fails', async () => {
  const { path, own } = await folderWith({ [logName]: log() })
  await chmod(own, 0o500)
  onTestFinished(() => chmod(own, 0o700))
  await expect(openLedger(path, target)).rejects.toMatchObject({ kind: 'usage' })
  expect(contentOf((await openLedger(path, target, { isPreview: true })).ledger)).toEqual(known)
  expect(await readFile(join(own, logName), 'utf8')).toBe(log())
})

test('keeps the log if a folder blocks the temporary file of a migration', async () => {
  const { path, own } = await folderWith({ [logName]: log() })
  const obstacle = join(own, `.${lockfileName}.callyard-tmp`)
  await mkdir(obstacle)
  await expect(openLedger(path, target)).rejects.toMatchObject({ kind: 'usage' })
  await rm(obstacle, { recursive: true })
  expect(contentOf((await openLedger(path, target)).ledger)).toEqual(known)
})
