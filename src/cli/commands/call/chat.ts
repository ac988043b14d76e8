import { dirname } from 'node:path'
import { displayName } from '../../../files/source/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { listed } from '../../../lib/text/count.ts'
import { beginningHint, findByBeginning } from '../../../lib/text/did-you-mean.ts'
import { findNamed } from '../../../project/apply/index.ts'
import { findResources } from '../../../project/resources/index.ts'
import { suggest } from '../../shell/advice.ts'
import { assertExclusive, defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { resolveLlm } from '../../shell/flags/llm-flags.ts'
import { agreeToAccess } from '../consent.ts'
import { requestedId } from '../resolve-args.ts'
import type { ChatOptions } from './chat/flags.ts'
import { withChatFlags } from './chat/flags.ts'
import { completeChatCommand, readScript } from './chat/lines.ts'
import { type ChatAssistant, prepareCall } from './chat/prepare.ts'
import { readRecords, type SandboxRecords } from './chat/records.ts'
import type { ChatInput, ChatSetup } from './chat/session.ts'
import { noTranscript, openTranscript } from './chat/transcript.ts'

export const callChatCommand = defineCommand({
  description: 'Chat with an assistant as the caller',
  examples: [
    'callyard call chat assistants/front-desk.yaml --var name=Ada',
    'callyard call chat assistants/front-desk.yaml --llm-url http://127.0.0.1:11434/v1 --llm-model small',
  ],
  topics: ['chat', 'sandbox'],
  effect: 'none',
  flags: withChatFlags,
  async result({ z, eventSchema }) {
    const { chatEventSchemas } = await import('../../shell/render/chat-events.ts')
    const { sandboxEventSchemas } = await import('../../../sandbox/event-schemas.ts')
    return {
      event: z.union([
        ...chatEventSchemas,
        ...sandboxEventSchemas,
        eventSchema('variables', { set: z.record(z.string(), z.string()), unset: z.array(z.string()) }),
        eventSchema('test-saved', { file: z.string(), turns: z.int(), expectations: z.int() }),
      ]),
    }
  },
  run: (options, context, [assistant]) => chat(assistant, options, context),
  handlesSignal: () => true,
})

/**
 * Holds a call in text, on a sandbox inside this process; the person at the terminal, or the input, is the caller. Everything is read
 * and checked before anything starts.
 * @throws CallyardError `cancelled` after the signal: the call was hung up and its end shown
 */
async function chat(assistantArg: string | undefined, options: ChatOptions, context: Context): Promise<void> {
  const assistant = await chooseChatAssistant(assistantArg, options, context)
  assertOffline(options)
  const llm = resolveLlm(options, context.env)
  let mayAsk = true
  const read = async (now: Context): Promise<ChatInput> => {
    const script = options.caller === undefined ? [] : await readScript(options.caller, now)
    const prepared = await prepareCall(assistant, options, now)
    await agreeToAccess(now, { service: false, mayAsk })
    // From here on the terminal is the caller's.
    mayAsk = false
    return { script, prepared }
  }
  const material = await read(context)
  const { out } = options
  const transcript =
    out === undefined ? noTranscript : openTranscript({ ...out, file: context.resolve(out.file) })
  try {
    const { seed, at, offline = false } = options
    await runChat(material, options, { context, llm, transcript, read, seed, at, offline })
  } finally {
    transcript.close()
  }
  const { signal } = context
  if (signal.aborted)
    throw new CallyardError(
      'cancelled',
      `hung up by ${signal.reason === 'SIGINT' ? 'Ctrl-C' : signal.reason}`,
    )
}

/** @throws CallyardError `usage` for a flag that needs a server */
function assertOffline({ offline, webhooks, llmUrl }: ChatOptions): void {
  if (offline === true) assertExclusive({ '--offline': offline, '--webhooks': webhooks, '--llm-url': llmUrl })
}

async function runChat(material: ChatInput, { caller }: ChatOptions, setup: ChatSetup): Promise<void> {
  const { host, options } = setup.context
  const isPerson = options.json !== true && options.input !== false
  const editor = isPerson ? await host.openEditor({ ...options, complete: completeChatCommand }) : undefined
  if (editor !== undefined) {
    return (await import('./chat/terminal.ts')).chatAtTerminal(editor, material, setup)
  }
  if (caller === undefined && host.stdin.isTerminal && options.input === false) {
    throw new CallyardError('usage', 'the call has no caller because of --no-input', {
      hint: 'pass --caller, or the caller’s lines on stdin',
    })
  }
  // A script is the whole call: in CI stdin often stays open, and silent.
  const input = caller === undefined ? await host.stdin.lines() : undefined
  return (await import('./chat/piped.ts')).chatPiped(input, material, setup)
}

/**
 * Selects the assistant: by file, by name in the project, or by id in the sandbox's records; else the project's only one, or one that the
 * user chooses; else, outside a project or with --data, the newest record.
 * @throws CallyardError `usage` if none is given or found
 */
async function chooseChatAssistant(
  assistantArg: string | undefined,
  { assistantId, data }: ChatOptions,
  context: Context,
): Promise<ChatAssistant> {
  if (assistantArg !== undefined) {
    assertExclusive({ [assistantArg]: assistantArg, '--assistant-id': assistantId })
    return assistantOf(assistantArg, data, context)
  }
  const { project } = await context.settings()
  if (assistantId === undefined && data === undefined && project !== undefined)
    return { file: await assistantOfProject(dirname(project.file), context) }
  const records = await readRecords(data, context)
  if (assistantId === undefined) return { assistantId: newest(records) }
  const id = await requestedId({ text: assistantId, kind: 'assistant' }, {}, context)
  return { assistantId: requireAssistantId(id, records) }
}

/** An id that the lockfile has for a file of the project means the current file. */
async function assistantOf(text: string, data: string | undefined, context: Context): Promise<ChatAssistant> {
  const match = await findNamed({ text, kind: 'assistant' }, {}, context)
  if (match.by === 'file') return { file: match.file }
  if (match.resource !== undefined) return { file: displayName(match.resource.path, context.cwd) }
  return {
    assistantId: requireAssistantId(match.by === 'id' ? match.id : text, await readRecords(data, context)),
  }
}

async function assistantOfProject(folder: string, { cwd, prompts }: Context): Promise<string> {
  const { files } = await findResources(folder, cwd)
  const names = [...files.values()].flatMap(({ kind, path }) =>
    kind === 'assistant' ? [displayName(path, cwd)] : [],
  )
  const [only] = names
  if (only === undefined) {
    throw new CallyardError('usage', 'this project has no assistant', {
      hint: 'create one in assistants/, or pass --assistant-id for one in the sandbox’s records',
    })
  }
  if (names.length === 1) return only
  if (prompts.available) return prompts.select({ message: 'Assistant', flag: '[assistant]', choices: names })
  throw new CallyardError('usage', `this project has ${names.length} assistants; name one`, {
    ...suggest`${['call', 'chat', only]}; available: ${listed(names)}`,
  })
}

function newest({ store }: SandboxRecords): string {
  const assistant = store.newestAssistant()
  if (assistant !== undefined) return assistant._id
  throw new CallyardError('usage', 'no assistant given, and the sandbox’s records have none', {
    ...suggest`pass a file: ${['call', 'chat', 'assistants/front-desk.yaml']}`,
  })
}

/** Finds the assistant with this id or unique prefix. */
function requireAssistantId(text: string, { store, file }: SandboxRecords): string {
  const match = findByBeginning(text, [...store.assistants()], ({ _id }) => _id)
  if (match.kind === 'found') return match.item._id
  const hint =
    beginningHint(match, ({ _id }) => _id) ?? 'give a file, or the _id that assistant create printed'
  const name = JSON.stringify(text)
  throw new CallyardError(
    'usage',
    match.kind === 'missing'
      ? `assistant ${name} not found in the sandbox’s records ${file}`
      : `several assistants in the sandbox’s records ${file} start with ${name}`,
    { hint },
  )
}
