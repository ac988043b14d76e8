import { lstat, mkdir, stat } from 'node:fs/promises'
import { dirname, join as joinPath } from 'node:path'
import { defineCommand } from '../cli/cli-command.ts'
import type { Context } from '../cli/context.ts'
import { callwrightFor, nextSteps } from '../cli/render/next-steps.ts'
import { CallwrightError, getErrorCode } from '../lib/error.ts'
import { describeFileError } from '../lib/fs/file-error.ts'
import { writeNewFile } from '../lib/fs/replace-file.ts'
import { count } from '../lib/text/count.ts'
import { quoteForShell } from '../lib/text/escape.ts'
import { bold, type Text, text } from '../lib/text/text.ts'
import { displayName } from '../source/index.ts'
import { starterProject } from './starter-project.ts'

export const initCommand = defineCommand({
  description: 'Create a starter project with an assistant, tool, FAQ, tests and CI',
  summary: 'Write a starter project: assistant, FAQ, tests, CI',
  examples: ['callwright init desk', "callwright init --json | jq -r '.written[]'"],
  topics: ['files', 'projects'],
  flags: command => command.argument('[dir]', 'Project folder; existing files are kept', '.'),
  result: async () => (await import('./results.ts')).initResult,
  /**
   * Writes the starter project into a folder, and keeps every file that is there.
   * @throws CallwrightError `usage` when something cannot be written, `cancelled` between two files.
   */
  async run(_options, context, [dir]) {
    // A variable that is not set must not scatter files over the working folder.
    if (dir === '')
      throw new CallwrightError('usage', 'the folder has no name', { hint: 'callwright init <dir>' })
    const folder = context.resolve(dir)
    const vocabulary = (await context.settings()).vocabulary.value
    const project = await writeProject(folder, starterProject(vocabulary), context.signal)
    context.output.result(
      { folder, ...project },
      () => text`${report(folder, project, context)}\n\n${stepsFrom(folder, context)}`,
    )
  },
})

function report(folder: string, { written, kept }: WrittenProject, { cwd }: Context): Text {
  const where = folder === cwd ? 'this folder' : displayName(folder, cwd)
  if (written.length === 0)
    return text`Nothing to write: all ${count(kept.length, 'file')} are in ${bold(where)} already`
  const lines = (names: readonly string[]) => names.map(name => `\n  ${name}`)
  const wrote = text`Wrote ${count(written.length, 'file')} to ${bold(where)}:${lines(written)}`
  const were = count(kept.length, 'file that was', 'files that were')
  return kept.length === 0 ? wrote : text`${wrote}\nKept ${were} there:${lines(kept)}`
}

function stepsFrom(folder: string, { cwd, env }: Context): Text {
  const callwright = callwrightFor(env)
  return nextSteps([
    ...(folder === cwd ? [] : [{ command: `cd ${shellWord(displayName(folder, cwd))}`, why: '' }]),
    { command: `${callwright} validate .`, why: 'check the files, offline' },
    { command: `${callwright} test`, why: 'hold the conversations in tests/, offline' },
    { command: `${callwright} call chat`, why: 'chat with it as the caller' },
    { command: `${callwright} sandbox start`, why: 'run the service here, in another terminal' },
    { command: `${callwright} apply`, why: 'create all of it there' },
  ])
}

/** Quotes a word for a shell if needed. */
function shellWord(word: string): string {
  return quoteForShell(word.startsWith('-') ? `./${word}` : word)
}

type WrittenProject = Awaited<ReturnType<typeof writeProject>>

/**
 * Writes files (path → content) into a folder, and creates the folder if it is missing. Never changes an existing file, and writes each
 * file completely or not at all. `kept`: files that existed before.
 * @throws CallwrightError `usage` if a file cannot be written, `cancelled` between two files; `details` lists the written files.
 */
export async function writeProject(
  folder: string,
  files: Readonly<Record<string, string>>,
  signal?: Pick<AbortSignal, 'aborted'>,
) {
  const written: string[] = []
  const kept: string[] = []
  const details = { folder, written, kept }
  const stopIfCancelled = () => {
    if (signal?.aborted !== true) return
    const done = `${written.length + kept.length} of ${Object.keys(files).length}`
    throw new CallwrightError('cancelled', `cancelled; ${done} files were written`, {
      hint: 'run it again to write the rest',
      details,
    })
  }
  const notDone = (what: string, cause: unknown) =>
    new CallwrightError('usage', `cannot ${what}`, { hint: nextStep(cause), details, cause })
  // All folders first: where one cannot be made, no file is written either.
  for (const part of new Set(Object.keys(files).map(dirname))) {
    stopIfCancelled()
    const path = joinPath(folder, part)
    await makeFolder(path).catch(async error => {
      throw notDone(`make the folder ${path}: ${await whyNoFolder(path, error)}`, error)
    })
  }
  for (const [name, content] of Object.entries(files)) {
    stopIfCancelled()
    const path = joinPath(folder, name)
    const isNew = await putNew(path, content).catch(error => {
      throw notDone(`write ${path}: ${describeFileError(error)}`, error)
    })
    ;(isNew ? written : kept).push(name)
  }
  return { written, kept }
}

/** With all folders above it. mkdir's own way to do so never ends where a parent is there and takes no folders, as /proc. */
async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return
  if (path !== dirname(path)) await makeFolder(dirname(path))
  await mkdir(path).catch(async error => {
    if (!(await isFolder(path))) throw error
  })
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    entry => entry.isDirectory(),
    () => false,
  )
}

/** False where something is there already, a link that leads nowhere included. */
async function putNew(path: string, content: string): Promise<boolean> {
  return !(await isThere(path)) && writeNewFile(path, content)
}

async function isThere(path: string): Promise<boolean> {
  const entry = await lstat(path).catch(error => {
    if (getErrorCode(error) !== 'ENOENT') throw error
  })
  if (entry?.isDirectory()) throw new Error('a folder with that name exists')
  return entry !== undefined
}

/** Names the part of the path that is not a folder; otherwise returns the system's reason. */
async function whyNoFolder(path: string, error: unknown): Promise<string> {
  const entry = await lstat(path).catch(() => undefined)
  if (entry === undefined)
    return path === dirname(path) ? describeFileError(error) : whyNoFolder(dirname(path), error)
  if (await isFolder(path)) return describeFileError(error)
  return `${path} is ${entry.isSymbolicLink() ? 'a link that leads to no folder' : 'a file'}`
}

function nextStep(error: unknown): string {
  const code = getErrorCode(error) ?? ''
  if (['ENOSPC', 'EDQUOT'].includes(code))
    return 'free some space and run it again: it writes what is missing'
  if (['EACCES', 'EPERM', 'EROFS'].includes(code))
    return 'choose a folder that you may write to: callwright init <dir>'
  return 'move away what is there, or choose another folder: callwright init <dir>'
}
