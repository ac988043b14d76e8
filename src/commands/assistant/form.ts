import { writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import * as z from 'zod/mini'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { assistantModels, assistantProviders, assistantSchema } from '../../interface/assistant.ts'
import { check } from '../../interface/check.ts'
import { welcomeMessageModes } from '../../interface/overrides.ts'
import { toWire, type Vocabulary } from '../../interface/vocabulary.ts'

/**
 * The form behind `assistant create` without a file: the fields that most assistants need, each checked by the schema
 * while it is typed. Never runs when stdin is no terminal.
 */
export async function askForAssistant(context: Context): Promise<Record<string, unknown>> {
  if (!context.prompts.available) {
    throw new CliError('usage', 'assistant create needs a file when there is nobody to ask', {
      hint: 'callwright assistant create <file>; `callwright schema assistant` shows every field',
    })
  }
  const vocabulary = (await context.settings()).vocabulary.value
  const assistant = await askFields(context, vocabulary)
  await offerToSave(context, assistant)
  return toWire(assistantSchema(vocabulary), assistant) as Record<string, unknown>
}

async function askFields({ prompts }: Context, vocabulary: Vocabulary): Promise<Record<string, unknown>> {
  const { shape } = assistantSchema(vocabulary)
  const ask = (field: keyof typeof shape, message: string, standard?: string) =>
    prompts.text({
      message,
      flag: '<file>',
      ...(standard === undefined ? {} : { default: standard }),
      validate: answer => problem(shape[field], field, answer),
    })
  const name = await prompts.text({
    message: 'Name',
    flag: '<file>',
    validate: answer => answer.trim() !== '' || 'an assistant needs a name',
  })
  const welcomeMessage = await ask('welcomeMessage', 'Welcome message', 'hi')
  const welcomeMessageMode = await prompts.select({
    message: 'Who speaks first',
    flag: '<file>',
    choices: welcomeMessageModes,
    default: 'automatic',
  })
  const assistantSystemPrompt = await ask(
    'assistantSystemPrompt',
    'System prompt (what it is for, how it talks)',
  )
  const assistantProvider = await prompts.select({
    message: 'Model provider',
    flag: '<file>',
    choices: spoken(assistantProviders, vocabulary),
    default: vocabulary['<provider_2>'] ?? '<provider_2>',
  })
  const model =
    assistantProvider === 'custom-llm'
      ? { assistantLLMUrl: await ask('assistantLLMUrl', 'Base URL of your model server') }
      : {
          assistantModel: await prompts.select({
            message: 'Model',
            flag: '<file>',
            choices: spoken(assistantModels, vocabulary),
            default: vocabulary['<model_3>'] ?? '<model_3>',
          }),
        }
  const maxCallDuration = await ask('maxCallDuration', 'Longest call in minutes (1 to 120)', '10')
  const webhookUrl = await prompts.text({ message: 'Webhook URL (empty for none)', flag: '<file>' })
  return {
    name,
    welcomeMessage,
    welcomeMessageMode,
    ...(assistantSystemPrompt === '' ? {} : { assistantSystemPrompt }),
    assistantProvider,
    ...model,
    maxCallDuration: Number(maxCallDuration),
    ...(webhookUrl === '' ? {} : { assistantServer: { url: webhookUrl } }),
  }
}

/** true, or what is wrong with one answer, as a file with it would be told. */
function problem(schema: z.ZodMiniType, field: string, answer: string): true | string {
  const value =
    schema instanceof z.ZodMiniOptional && schema.def.innerType instanceof z.ZodMiniNumber
      ? Number(answer)
      : answer
  const [finding] = check(z.object({ [field]: schema }), { [field]: value })
  return finding === undefined || finding.message
}

/** The words that a person of this deployment knows. */
function spoken(words: readonly string[], vocabulary: Vocabulary): string[] {
  return words.map(word => vocabulary[word] ?? word)
}

async function offerToSave(
  { prompts, output, resolve }: Context,
  assistant: Record<string, unknown>,
): Promise<void> {
  const file = await prompts.text({ message: 'Save as YAML (empty to skip)', flag: '<file>', default: '' })
  if (file === '') return
  try {
    await writeFile(resolve(file), stringify(assistant), { flag: 'wx' })
    output.note(`Saved ${file}`)
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw new CliError(
      'invalid',
      exists ? `${file} exists already; nothing was sent` : `${file} cannot be written; nothing was sent`,
      {
        hint: 'run again and choose another file',
        cause: error,
      },
    )
  }
}
