import type { Context } from '../../cli/context.ts'
import { callwrightFor, nextSteps } from '../../cli/render/next-steps.ts'
import { CallwrightError } from '../../lib/error.ts'
import { bold, join, type Text, text } from '../../lib/text/text.ts'
import { displayName } from '../../source/index.ts'
import { starterProject } from './starter-project.ts'
import { type WrittenProject, writeProject } from './write-project.ts'

/**
 * Writes the starter project into a folder, and keeps every file that is there.
 * @throws CliError `usage` when something cannot be written, `cancelled` between two files.
 */
export async function initProject(dir: string, context: Context): Promise<void> {
  // A variable that is not set must not scatter files over the working folder.
  if (dir === '')
    throw new CallwrightError('usage', 'the folder has no name', { hint: 'callwright init <dir>' })
  const folder = context.resolve(dir)
  const vocabulary = (await context.settings()).vocabulary.value
  const project = await writeProject(folder, starterProject(vocabulary), { signal: context.signal })
  context.output.result(
    { folder, ...project },
    () => text`${report(folder, project, context)}\n\n${stepsFrom(folder, context)}`,
  )
}

function report(folder: string, { written, kept }: WrittenProject, { cwd }: Context): Text {
  const where = folder === cwd ? 'this folder' : displayName(folder, cwd)
  if (written.length === 0) return text`Nothing to write: all ${files(kept)} are in ${bold(where)} already`
  const wrote = text`Wrote ${files(written)} to ${bold(where)}:\n${list(written)}`
  return kept.length === 0
    ? wrote
    : text`${wrote}\nKept ${files(kept)} that ${kept.length === 1 ? 'was' : 'were'} there:\n${list(kept)}`
}

function files({ length }: readonly string[]): string {
  return `${length} file${length === 1 ? '' : 's'}`
}

function list(names: readonly string[]): Text {
  return join(
    names.map(name => `  ${name}`),
    '\n',
  )
}

function stepsFrom(folder: string, { cwd, env }: Context): Text {
  const callwright = callwrightFor(env)
  return nextSteps([
    ...(folder === cwd ? [] : [{ command: `cd ${shellWord(displayName(folder, cwd))}`, why: '' }]),
    { command: `${callwright} validate .`, why: 'check the files, offline' },
    { command: `${callwright} call chat`, why: 'be the caller: it answers from the files' },
    { command: `${callwright} sandbox start`, why: 'run the service here, in another terminal' },
    { command: `${callwright} apply`, why: 'create all of it there' },
  ])
}

/** As a shell takes it for one word. */
function shellWord(word: string): string {
  const path = word.startsWith('-') ? `./${word}` : word
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
