import { displayName } from '../../files/source/index.ts'
import { CallyardError } from '../../lib/error.ts'
import { count } from '../../lib/text/count.ts'
import { quoteForShell } from '../../lib/text/escape.ts'
import { bold, type Text, text } from '../../lib/text/text.ts'
import { suggest } from '../shell/advice.ts'
import { defineCommand } from '../shell/cli-command.ts'
import type { Context } from '../shell/context.ts'
import { nextSteps, ownCommand } from '../shell/render/next-steps.ts'
import { agentFiles, agentLinks } from './agent-files.ts'
import { starterProject } from './starter-project.ts'
import { type WrittenProject, writeProject } from './write-project.ts'

export const initCommand = defineCommand({
  description: 'Create a starter project with an assistant, tool, FAQ, tests and CI',
  summary: 'Write a starter project: assistant, FAQ, tests, CI',
  examples: ['callyard init desk', "callyard init --json | jq -r '.written[]'"],
  topics: ['files', 'projects'],
  effect: 'none',
  flags: command => command.argument('[dir]', 'Project folder; existing files are kept', '.'),
  result: ({ z, required }) => ({
    document: z.object({
      folder: required(z.string(), 'Absolute path of the project'),
      written: required(z.array(z.string()), 'Files that were written, relative to the folder'),
      kept: required(z.array(z.string()), 'Files that existed and were kept'),
    }),
  }),
  /**
   * Writes the starter project into a folder, and keeps every file that is there.
   * @throws CallyardError `usage` when something cannot be written, `cancelled` between two files.
   */
  async run(_options, context, [dir]) {
    // A variable that is not set must not scatter files over the working folder.
    if (dir === '')
      throw new CallyardError('usage', 'the folder has no name', { ...suggest`${['init', '<dir>']}` })
    const folder = context.resolve(dir)
    const vocabulary = (await context.settings()).vocabulary.value
    const files = { ...starterProject(vocabulary), ...(await agentFiles(this.parent ?? this)) }
    const project = await writeProject(folder, files, { signal: context.signal, links: agentLinks })
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

function stepsFrom(folder: string, context: Context): Text {
  const command = (words: string) => ownCommand(words, context.with({ cwd: folder }))
  return nextSteps([
    ...(folder === context.cwd
      ? []
      : [{ command: `cd ${shellWord(displayName(folder, context.cwd))}`, why: '' }]),
    { command: command('validate .'), why: 'check the files, offline' },
    { command: command('test'), why: 'run the conversation tests, offline' },
    { command: command('call chat'), why: 'chat with it as the caller' },
    { command: command('sandbox start'), why: 'run the service here, in another terminal' },
    { command: command('apply'), why: 'deploy the project to it' },
  ])
}

/** Quotes a word for a shell if needed. */
function shellWord(word: string): string {
  return quoteForShell(word.startsWith('-') ? `./${word}` : word)
}
