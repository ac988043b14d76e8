import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CallyardError } from '../../../src/lib/error.ts'
import { type Lockfile, loadLockText, readLockfile } from '../../../src/project/lockfile/index.ts'
import { runs } from '../../helpers/every-case.ts'
import { folderOf } from '../apply/project-on-disk.ts'

const lockText = await loadLockText()

const sound: Lockfile = {
  targets: {
    live: {
      baseUrl: 'https://calls.example.com/',
      teamId: 'team',
      salt: 'salt',
      resources: { 'tool/book': { id: 't1', body: { type: 'function' } } },
    },
  },
}
const text = lockText(sound)

async function read(content: string) {
  const folder = await folderOf({ 'callyard.lock.yaml': content })
  return readLockfile(join(folder, 'callyard.lock.yaml'), 'desk/callyard.lock.yaml')
}

async function refusal(content: string): Promise<CallyardError> {
  const error: unknown = await read(content).catch(caught => caught)
  if (error instanceof CallyardError) return error
  throw new Error('it was read')
}

test('no file is an empty lockfile', async () => {
  const folder = await folderOf({})
  expect(await readLockfile(join(folder, 'callyard.lock.yaml'), 'x')).toEqual({
    lockfile: { targets: {} },
    text: undefined,
  })
})

test('reads a file with Windows line endings', async () => {
  expect((await read(text.replaceAll('\n', '\r\n'))).lockfile).toMatchObject(sound)
})

test('allows comments', async () => {
  expect((await read(`# hello\n${text}`)).lockfile).toMatchObject(sound)
})

test.each([
  ['nothing', ''],
  ['comments alone', '# hello\n'],
  ['a text', 'hello'],
  ['a list', '- 1\n'],
  ['broken YAML', 'version: 1\ntargets: {'],
  ['a key twice', text.replace('    salt: salt', '    salt: salt\n    salt: pepper')],
  ['two documents', `${text}---\n${text}`],
  ['version 0', text.replace('version: 1', 'version: 0')],
  ['no version', text.replace('version: 1\n', '')],
  ['a version in quotes', text.replace('version: 1', 'version: "1"')],
  ['a target __proto__', text.replace('targets:\n', 'targets:\n  __proto__: {}\n')],
  [
    'an address __proto__',
    text.replace('resources:\n', 'resources:\n      __proto__: { id: x, body: {} }\n'),
  ],
  ['no targets', 'version: 1\n'],
  ['an unknown key at the top', `${text}more: 1\n`],
  ['an unknown key of a target', text.replace('    salt', '    pepper: 1\n    salt')],
  ['an unknown key of a resource', text.replace('        id: t1', '        id: t1\n        name: x')],
  ['a resource without body', text.replace(/ {8}body:[\s\S]*$/, '')],
  ['a resource of no kind', text.replace('tool/book', 'robot/book')],
  ['a resource without a name', text.replace('tool/book', 'tool/')],
  ['an id that is no text', text.replace('id: t1', 'id: 1')],
  ['a body that is a list', text.replace(/body:\n.*\n/, 'body: []\n')],
  ['no salt', text.replace('    salt: salt\n', '')],
  ['bytes that are no text', '\u0000\u0001\u0002'],
])('rejects %s and sends nothing', async (_, content) => {
  expect(content).not.toBe(text)
  const error = await refusal(content)
  expect(error).toMatchObject({
    kind: 'conflict',
    code: content.includes('__proto__') ? 'lockfile-name' : 'lockfile-damaged',
    details: { lockfile: 'desk/callyard.lock.yaml' },
  })
})

test.each([
  ['as git leaves it', '\n'],
  ['with the line ends of Windows', '\r\n'],
])('the marks of a merge conflict are reported, %s', async (_, end) => {
  const conflict = text.replace(
    '    salt: salt\n',
    '<<<<<<< HEAD\n    salt: salt\n=======\n    salt: pepper\n>>>>>>> theirs\n',
  )
  const error = await refusal(conflict.replaceAll('\n', end))
  const line = conflict.split('\n').findIndex(each => each.startsWith('<')) + 1
  expect(error).toMatchObject({ kind: 'conflict', code: 'lockfile-merge', details: { line } })
})

test('half of a conflict is one too', async () => {
  for (const mark of ['<<<<<<< HEAD', '=======', '>>>>>>> theirs']) {
    expect((await refusal(`${mark}\n${text}`)).code).toBe('lockfile-merge')
    expect((await refusal(`${text}${mark}`)).code).toBe('lockfile-merge')
  }
})

test('rejects a truncated lockfile or reads a smaller one', async () => {
  const property = fc.asyncProperty(fc.nat({ max: text.length - 1 }), async end => {
    const cut = text.slice(0, end)
    const result: unknown = await read(cut).catch(caught => caught)
    if (result instanceof CallyardError) expect(result.code).toBe('lockfile-damaged')
    else expect(result).toMatchObject({ text: cut })
  })
  await fc.assert(property, { numRuns: runs(60) })
})

test('rejects a lockfile of a newer version', async () => {
  expect(await refusal(text.replace('version: 1', 'version: 2\nnotes: []'))).toMatchObject({
    kind: 'conflict',
    code: 'lockfile-version',
    details: { version: 2 },
  })
})

test.skipIf(process.platform === 'win32')('rejects a link to a file that does not exist', async () => {
  const folder = await folderOf({})
  const path = join(folder, 'callyard.lock.yaml')
  await symlink(join(folder, 'not-mounted', 'callyard.lock.yaml'), path)
  await expect(readLockfile(path, 'lock')).rejects.toMatchObject({
    kind: 'conflict',
    code: 'lockfile-damaged',
    details: { reason: expect.stringContaining('symbolic link to a file that does not exist') },
  })
})

test('names the line and column of what is no YAML', async () => {
  const folder = await folderOf({ 'callyard.lock.yaml': 'version: 1\ntargets: [\n' })
  await expect(readLockfile(join(folder, 'callyard.lock.yaml'), 'lock')).rejects.toMatchObject({
    message: expect.stringMatching(/^lock:3:1 cannot be used: Flow sequence[^:]*; nothing was sent$/),
    details: { lockfile: 'lock', line: 3, column: 1 },
  })
})

test.each([
  [
    'salt: salt\n',
    'salt: salt\n    serial: x\n',
    '9:13',
    'targets.live.serial is "x"; allowed: a whole number',
  ],
  ['    salt: salt\n', '', '5:3', 'targets.live.salt is missing'],
  ['id: t1', 'id: [t1]', '11:13', 'targets.live.resources.tool/book.id is a list; allowed: text'],
  ['tool/book:', 'robot/book:', '10:7', 'robot/book is not an address of a resource'],
  ['tool/book:', '__proto__:', '10:7', 'invalid name __proto__'],
  ['version: 1', 'version: 2', '3:10', 'unsupported version 2 (supported: 1)'],
])('names the line and column of a wrong field: %j → %j', async (before, after, location, reason) => {
  const folder = await folderOf({ 'callyard.lock.yaml': text.replace(before, after) })
  for (const part of ['all', 'ids'] as const)
    await expect(readLockfile(join(folder, 'callyard.lock.yaml'), 'lock', part)).rejects.toMatchObject({
      message: `lock:${location} cannot be used: ${reason}; nothing was sent`,
    })
})

test('rejects a folder in its place', async () => {
  const folder = await folderOf({})
  const path = join(folder, 'callyard.lock.yaml')
  await mkdir(path)
  await expect(readLockfile(path, 'lock')).rejects.toMatchObject({
    kind: 'conflict',
    code: 'lockfile-damaged',
    details: { lockfile: 'lock', reason: 'this is a folder, not a file' },
  })
})
