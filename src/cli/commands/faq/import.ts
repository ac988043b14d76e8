import { stringify } from 'yaml'
import { checkFile, InvalidInput } from '../../../files/source/index.ts'
import { hasErrors } from '../../../interface/finding.ts'
import { CallyardError } from '../../../lib/error.ts'
import { assertWritable } from '../../../lib/fs/private-file.ts'
import { isObject } from '../../../lib/json.ts'
import { count, listed } from '../../../lib/text/count.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import { Flag, withFileFlags } from '../../shell/flags/flag.ts'
import { collectVariable, parseEncoding } from '../../shell/flags/option-parsers.ts'
import { outFlag } from '../../shell/flags/out-flag.ts'
import { writeOut } from '../document-format.ts'
import { withModeline } from '../project-schemas.ts'
import { printWarnings } from '../warnings.ts'

const nameEncoding = ({ otherEncoding }: { readonly otherEncoding?: string }, hint: string) =>
  otherEncoding === undefined
    ? hint
    : `pass --encoding, such as --encoding ${otherEncoding}, or save it as UTF-8`

const fields = ['question', 'answer', 'id', 'category', 'updatable']

export const faqImportCommand = defineCommand({
  description: 'Convert a table of questions and answers to a knowledge base file',
  summary: 'Convert a table to a knowledge base file',
  examples: [
    'callyard faq import questions.csv --kb 6650f0c2 --out knowledge-bases/workshop.yaml',
    'callyard faq import questions.txt --column question=Topic --column answer=Text',
  ],
  topics: ['faq-push', 'files'],
  effect: 'none',
  flags: command =>
    withFileFlags(
      command
        .argument('<file>', 'Table with a header, as spreadsheet programs export it')
        .addOption(
          new Flag('--column <field=heading>', 'Column of a field (default: by its heading)').repeatable(
            collectVariable,
          ),
        )
        .addOption(
          new Flag('--encoding <name>', 'Encoding of the table, such as windows-1250')
            .helpsWith({ 'guessed-encoding': nameEncoding, 'wrong-encoding': nameEncoding })
            .argParser(parseEncoding),
        )
        .addOption(new Flag('--kb <id>', 'Knowledge base id to write into the file').completes('kb'))
        .addOption(outFlag('Write a new file (.yaml; default: stdout)', ['yaml']))
        .option('--force', 'Overwrite the file of --out'),
      'Accept',
    ),
  needs: { out: ['force'] },
  result: ({ z, optional, required, requiredList }) => ({
    document: z.object({
      file: required(z.string(), 'The table'),
      out: optional(z.string(), 'File that was written'),
      knowledgeBaseId: z.optional(z.string()),
      faq: requiredList('Entries', {
        id: z.optional(z.string()),
        question: z.string(),
        answer: z.string(),
        category: z.optional(z.string()),
        updatable: z.optional(z.boolean()),
      }),
    }),
  }),
  /**
   * `faq import`: sends nothing.
   * @throws CallyardError `usage` for an unknown field or an existing file, InvalidInput with the findings of all rows
   */
  async run(options, context, [file]) {
    const { column = {}, encoding, kb, force = false } = options
    const out = options.out?.file
    const unknown = Object.keys(column).find(field => !fields.includes(field))
    if (unknown !== undefined)
      throw new CallyardError('usage', `--column ${unknown}=…: an entry has no field ${unknown}`, {
        hint: `fields: ${listed(fields)}`,
      })
    if (out !== undefined) await assertWritable(out, { force }, context)
    const vocabulary = (await context.settings()).vocabulary.value
    const checked = await checkFile(file, 'knowledge-base', {
      ...{ ...context.files, vocabulary, allowUnknown: options.allowUnknown, faqColumns: column, encoding },
    })
    const { source, diagnostics } = checked
    if (!isObject(source.value) || hasErrors(diagnostics))
      throw new InvalidInput(diagnostics, 'nothing was written')
    printWarnings(diagnostics, context)
    // References in cells stay references.
    const { knowledgeBaseId: own, faq } = source.value
    const knowledgeBaseId = kb ?? own
    const entries = Array.isArray(faq) ? faq : []
    const document = { ...(knowledgeBaseId !== undefined && { knowledgeBaseId }), faq: entries }
    const yaml = stringify(document, { lineWidth: 0 })
    if (out === undefined && !context.output.json) return context.output.data(yaml)
    if (out !== undefined)
      await writeOut(out, await withModeline(yaml, out, 'knowledge-base', context), { force }, context)
    context.output.result(
      { file: source.file, ...document, ...(out !== undefined && { out }) },
      () => text`Wrote ${bold(out ?? '')}: ${count(entries.length, 'entry', 'entries')} of ${source.file}`,
    )
  },
})
