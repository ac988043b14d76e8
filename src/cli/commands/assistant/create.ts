import { nameOf } from '../../../files/formats/address.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import { noteNext } from '../../shell/render/next-steps.ts'
import { createAssistantOrTool, sentRecordSchema, withCreateFlags } from '../create-resource.ts'

export const assistantCreateCommand = defineCommand({
  description: 'Create an assistant from a file or interactively',
  examples: [
    'callyard assistant create assistants/front-desk.yaml',
    'callyard assistant create assistants/front-desk.yaml --json | jq -r ._id',
  ],
  topics: ['files'],
  effect: 'changes',
  flags: command =>
    withCreateFlags(command.argument('[file]', 'YAML or JSON file of the assistant (default: ask)')),
  result: async builders => ({ document: await sentRecordSchema(builders) }),
  /** `assistant create` (interface.md 4.3). Without a file, a form creates one in a project. */
  async run(options, context, [nameArg]) {
    const form =
      nameArg === undefined
        ? await (await import('./assistant-form.ts')).askForAssistant(context)
        : { file: nameArg }
    const { record, address } = await createAssistantOrTool('assistant', form, options, context)
    const name = typeof record.name === 'string' ? ` (${record.name})` : ''
    context.output.result(record, () => text`Created assistant ${bold(record._id)}${name}`)
    const assistant =
      address === undefined ? `--assistant-id ${record._id}` : `--assistant ${nameOf(address)}`
    noteNext(context.output, `callyard call start ${assistant}`)
  },
})
