import { readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import * as z from 'zod/mini'
import { kinds } from '../../../files/formats/kinds.ts'
import { displayName } from '../../../files/source/index.ts'
import {
  assistantModels,
  assistantProviders,
  assistantSchema,
  welcomeMessageModes,
} from '../../../interface/assistant.ts'
import { check } from '../../../interface/check.ts'
import { toWire, type Vocabulary } from '../../../interface/vocabulary.ts'
import { CallyardError, getErrorCode } from '../../../lib/error.ts'
import { makeFolder } from '../../../lib/fs/make-folder.ts'
import { isObject, mapValues } from '../../../lib/json.ts'
import { suggest } from '../../shell/advice.ts'
import type { Context } from '../../shell/context.ts'
import { withModeline } from '../project-schemas.ts'

/**
 * The form behind `assistant create` without a file: the fields that most assistants need, each checked by the schema
 * while it is typed. In a project the input is saved as one of its files. Returns the request body, and the file if it was saved.
 * @throws CallyardError `usage` if stdin is not a terminal
 */
export async function askForAssistant(context: Context) {
  if (!context.prompts.available) {
    throw new CallyardError('usage', 'cannot prompt for the assistant: not a terminal', {
      ...suggest`pass a file; to see every field: ${['schema', 'assistant']}`,
      details: { missing: ['<file>'] },
    })
  }
  const { vocabulary, project } = await context.settings()
  const assistant = await askFields(context, vocabulary.value)
  const name = String(assistant.name)
  const file = await askWhere(context, project && (await freeFile(dirname(project.file), name, context)))
  if (file !== '') await save(file, assistant, context)
  const body = toWire(assistantSchema(vocabulary.value), assistant) as Record<string, unknown>
  return { file: file === '' ? undefined : file, body }
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
  /** Offers only words of the vocabulary: placeholders mean nothing to a person, and the service has a default. */
  const chooseWord = async (message: string, words: readonly string[], standard: string) => {
    const named = words.flatMap(word => vocabulary[word] ?? [])
    if (named.length === 0) return undefined
    const own = words.filter(word => !word.startsWith('<'))
    return prompts.select({
      message,
      flag: '<file>',
      choices: [...named, ...own],
      default: vocabulary[standard] ?? named[0] ?? '',
    })
  }
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
  const assistantProvider = await chooseWord('Model provider', assistantProviders, '<provider_2>')
  const assistantModel =
    assistantProvider === 'custom-llm' ? undefined : await chooseWord('Model', assistantModels, '<model_3>')
  const assistantLLMUrl =
    assistantProvider === 'custom-llm'
      ? await ask('assistantLLMUrl', 'Base URL of your model server')
      : undefined
  const maxCallDuration = await ask('maxCallDuration', 'Longest call in minutes (1 to 120)', '10')
  const webhookUrl = await prompts.text({
    message: 'Webhook URL (empty for none)',
    flag: '<file>',
    validate: url => url === '' || problem(shape.assistantServer, 'assistantServer', { url }),
  })
  const answers = {
    name,
    welcomeMessage,
    welcomeMessageMode,
    assistantSystemPrompt: assistantSystemPrompt || undefined,
    assistantProvider,
    assistantLLMUrl,
    assistantModel,
    maxCallDuration: Number(maxCallDuration),
    assistantServer: webhookUrl === '' ? undefined : { url: webhookUrl },
  }
  return Object.fromEntries(Object.entries(answers).filter(([, answer]) => answer !== undefined))
}

/** Returns true, or the problem of one input as a finding words it. */
function problem(schema: z.ZodMiniType, field: string, answer: unknown): true | string {
  const value =
    schema instanceof z.ZodMiniOptional && schema.def.innerType instanceof z.ZodMiniNumber
      ? Number(answer)
      : answer
  const [finding] = check(z.object({ [field]: schema }), { [field]: value })
  return finding === undefined || finding.message
}

/** Asks for the file; empty for none, which a project does not offer. */
async function askWhere({ prompts }: Context, free: string | undefined): Promise<string> {
  const message = free === undefined ? 'Save as YAML (empty to skip)' : 'File in the project'
  return prompts.text({ message, flag: '<file>', default: free ?? '' })
}

/** `assistants/front-desk.yaml` for Front Desk, or the first such name that no file has; as people see it. */
async function freeFile(folder: string, name: string, { cwd }: Context): Promise<string> {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['assistant']
  const usedNames = new Set(await readdir(join(folder, kinds.assistant.folder)).catch(() => []))
  for (let number = 1; ; number += 1) {
    const file = `${[...words, ...(number === 1 ? [] : [number])].join('-')}.yaml`
    if (!usedNames.has(file)) return displayName(join(folder, kinds.assistant.folder, file), cwd)
  }
}

/** Escapes `${`, which is literal text in what a person typed. */
function escapeValue(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${')
  if (!isObject(value)) return value
  return mapValues(value, inner => escapeValue(inner))
}

async function save(file: string, assistant: Record<string, unknown>, context: Context): Promise<void> {
  const path = context.resolve(file)
  try {
    await makeFolder(dirname(path))
    const content = await withModeline(stringify(escapeValue(assistant)), file, 'assistant', context)
    await writeFile(path, content, { flag: 'wx' })
    context.output.note(`Saved ${file}`)
  } catch (error) {
    const reason = getErrorCode(error) === 'EEXIST' ? 'already exists' : 'cannot be written'
    throw new CallyardError('invalid', `${file} ${reason}; nothing was sent`, {
      hint: 'run again and choose another file',
      cause: error,
    })
  }
}
