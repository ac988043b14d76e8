import { bold, text } from '../../../lib/text/text.ts'
import { updateFromFile } from '../../../project/apply/index.ts'
import { resourceInProject } from '../../../project/resources/index.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import { Operand, withFileFlags, withTargetFlag, yesFlag } from '../../shell/flags/flag.ts'
import { agreeToAccess } from '../consent.ts'
import { sendEvents, sentRecordSchema, withNotStored } from '../create-resource.ts'
import { loadResource, requestedId } from '../resolve-args.ts'
import { requireBaseUrl } from '../target.ts'

export const toolUpdateCommand = defineCommand({
  description: 'Update a tool with the fields in a file',
  examples: ['callyard tool update 6650f0c2 changes.yaml', 'callyard tool update book tools/book.yaml'],
  topics: ['files', 'projects'],
  effect: 'changes',
  flags: command =>
    withFileFlags(
      withTargetFlag(
        command
          .addArgument(new Operand('<id>', 'Id of the tool or its name in the project').completes('tool'))
          .argument('<file>', 'YAML or JSON file with the fields to change')
          .addOption(yesFlag()),
      ),
    ),
  async result(builders) {
    const { z, required } = builders
    const unchanged = required(z.literal(true), 'Nothing was sent')
    return { document: z.union([z.object({ _id: z.string(), unchanged }), await sentRecordSchema(builders)]) }
  },
  /**
   * `tool update` (interface.md 4.5): PATCH is idempotent, so it is retried if the response is lost. For the file of a tool in a project,
   * only changes are sent, and the lockfile is updated.
   */
  async run(options, context, [toolArg, file]) {
    const id = await requestedId({ text: toolArg, kind: 'tool' }, options, context)
    const inProject = await resourceInProject(file, context.files)
    if (inProject?.kind === 'tool') {
      await requireBaseUrl(context)
      const updated = await updateFromFile(inProject, { ...options, id }, context, sendEvents(context))
      if (updated === undefined) {
        const nothing = () => text`Tool ${bold(id)} is up to date; nothing was sent`
        return context.output.result({ _id: id, unchanged: true }, nothing)
      }
      const { response, fields } = updated
      return context.output.result(
        withNotStored(response ?? {}, context),
        () => text`Updated tool ${bold(id)}: ${fields.join(', ')}`,
      )
    }
    const change = await loadResource(context, file, 'tool-update', options)
    await agreeToAccess(context)
    const record = await context.api().updateTool(id, change)
    context.output.result(withNotStored(record, context), () => text`Updated tool ${bold(id)}`)
  },
})
