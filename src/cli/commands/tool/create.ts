import { nameOf } from '../../../files/formats/address.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import { noteNext } from '../../shell/render/next-steps.ts'
import { createAssistantOrTool, sentRecordSchema, withCreateFlags } from '../create-resource.ts'

export const toolCreateCommand = defineCommand({
  description: 'Create a tool from a file',
  examples: [
    'callyard tool create tools/book.yaml',
    'callyard tool create tools/book.yaml --json | jq -r ._id',
  ],
  topics: ['files'],
  effect: 'changes',
  flags: command => withCreateFlags(command.argument('<file>', 'YAML or JSON file of the tool')),
  result: async builders => ({ document: await sentRecordSchema(builders) }),
  /** `tool create` (interface.md 4.4). */
  async run(options, context, [file]) {
    const { record, address } = await createAssistantOrTool('tool', { file }, options, context)
    const name = address === undefined ? '' : ` (${address})`
    context.output.result(record, () => text`Created tool ${bold(record._id)}${name}`)
    const id = address === undefined ? record._id : `"\${tool:${nameOf(address)}}"`
    noteNext(context.output, `assistantToolIds: [${id}] in an assistant's file`)
  },
})
