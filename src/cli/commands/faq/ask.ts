import { CallyardError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { table } from '../../../lib/text/table.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { askKnowledge } from '../../../sandbox/index.ts'
import { suggest } from '../../shell/advice.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { Operand, withFileFlags } from '../../shell/flags/flag.ts'
import { integerParser } from '../../shell/flags/option-parsers.ts'
import { requestedFile } from '../resolve-args.ts'
import { filesOfProject, readBases, roundScore } from './bases.ts'

export const faqAskCommand = defineCommand({
  description: 'Find the FAQ entries that answer a question',
  examples: [
    'callyard faq ask "When are you open?"',
    'callyard faq ask "Do you mend e-bikes?" questions.csv --json | jq -r .entries[0].question',
  ],
  topics: ['sandbox-replies', 'files', 'exit-codes'],
  effect: 'none',
  flags: command =>
    withFileFlags(
      command
        .argument('<question>', 'Question of a caller')
        .addArgument(
          new Operand('[knowledge-bases...]', 'Files or names in the project (default: all)').completes(
            'kb',
            'files',
          ),
        )
        .option('--limit <n>', 'Maximum number of entries (default: 3)', integerParser(1, 1000)),
      'Accept',
    ),
  result: ({ z, optional, required, requiredList }) => ({
    document: z.object({
      question: z.string(),
      says: required(z.string(), 'What the assistant says without a model'),
      entries: requiredList('Best match first', {
        file: z.string(),
        line: optional(z.int(), 'Line in the file, from 1'),
        question: z.string(),
        answer: z.string(),
        category: z.optional(z.string()),
        score: z.number(),
        share: required(z.number(), 'Share of the words of the question that match, 0 to 1'),
      }),
    }),
  }),
  /**
   * `faq ask`: prints the entries that a call finds for a question, best match first. Sends nothing.
   * @throws CallyardError `partial` if nothing matches
   */
  async run(options, context, [question, fileArgs]) {
    if (question.trim() === '') throw new CallyardError('usage', 'the question is empty')
    const bases = await readBases(await chooseFiles(fileArgs, context), options, context)
    const { hits, says } = await askKnowledge(bases.all, question, options.limit ?? defaultLimit)
    const entries = hits.map(({ entry, score, share }) => ({
      ...bases.locationOf(entry),
      question: entry.question,
      answer: entry.answer,
      ...(typeof entry.category === 'string' ? { category: entry.category } : {}),
      score: roundScore(score),
      share: roundScore(share),
    }))
    context.output.result({ question, says, entries }, () => {
      if (entries.length === 0) return text`Without a model the assistant says: ${says}`
      const rows = table(
        entries,
        [
          { heading: 'SCORE', cell: ({ score }) => score.toFixed(1), min: 5, align: 'right' },
          { heading: 'MATCHES', cell: ({ share }) => `${Math.round(share * 100)}%`, min: 4, align: 'right' },
          { heading: 'QUESTION', cell: entry => entry.question, min: 12 },
          {
            heading: 'WHERE',
            cell: ({ file, line }) => (line === undefined ? file : `${file}:${line}`),
            min: 16,
            cut: 'beginning',
          },
        ],
        context.output.width,
      )
      return text`${bold('Without a model the assistant says:')} ${says}\n\n${rows}`
    })
    if (entries.length > 0) return
    const searched = count(bases.size, 'entry', 'entries')
    throw new CallyardError(
      'partial',
      `no entry answers ${JSON.stringify(question)} (${searched} searched)`,
      {
        hint: 'add an entry, or add words of the question to an existing one',
      },
    )
  },
})

/** Number of entries that a model gets. */
const defaultLimit = 3

/** @throws CallyardError `usage` if none is given and the project has none, or outside a project */
async function chooseFiles(fileArgs: readonly string[], context: Context): Promise<string[]> {
  if (fileArgs.length > 0) {
    const files: string[] = []
    for (const fileArg of fileArgs) files.push(await requestedFile(fileArg, 'kb', context))
    return [...new Set(files)]
  }
  const projectFiles = await filesOfProject(context)
  if (projectFiles !== undefined && projectFiles.length > 0) return projectFiles
  const reason = projectFiles === undefined ? 'there is no project here' : 'this project has none'
  throw new CallyardError('usage', `no knowledge base given, and ${reason}`, {
    ...suggest`pass a file of entries: ${['faq', 'ask', 'When are you open?', 'knowledge-bases/workshop.yaml']}`,
  })
}
