import type { Context } from '../../../context.ts'
import { CliError } from '../../../errors.ts'
import { didYouMean } from '../../../interface/did-you-mean.ts'
import { isObject } from '../../../interface/is-object.ts'
import { createVariables } from '../../../sandbox/call/variables.ts'
import type { Entry } from '../../../sandbox/records/entries.ts'
import { createStore } from '../../../sandbox/records/store.ts'
import { type WhoTalksOptions, whoTalks } from '../who-talks.ts'
import { findKnowledge } from './knowledge.ts'
import { createProjectTools } from './project-tools.ts'
import { readRecords, type SandboxRecords } from './records.ts'

export interface ChatCallOptions extends Omit<WhoTalksOptions, 'assistant' | 'metadata'> {
  readonly data?: string
}

/** A call that can be placed on a sandbox that begins with these records. */
export interface PreparedCall {
  /** Of Create call (interface.md 4.1), but for the numbers. */
  readonly body: Readonly<Record<string, unknown>>
  readonly entries: readonly Entry[]
  /** Who answers, for the transcript. */
  readonly assistantName: string
  readonly variables: {
    readonly set: Readonly<Record<string, string>>
    /** Named by a text, and set nowhere. */
    readonly unset: readonly string[]
  }
}

/**
 * Reads all that a call is made of, anew each time: the assistant's file or record, overrides, the sandbox's records, and
 * knowledge bases beside the file. What the records lack is told, and the call goes without it.
 * @throws CliError `usage` when no assistant is given or known, InvalidInput when a file does not pass
 */
export async function prepareCall(
  file: string | undefined,
  options: ChatCallOptions,
  context: Context,
): Promise<PreparedCall> {
  const kept = await readRecords(options.data, context)
  const tools = createProjectTools(context, options.allowUnknown)
  const assistantId = file === undefined ? knownAssistant(options.assistantId, kept, context) : undefined
  const given = await whoTalks(
    {
      ...options,
      find: tools.find,
      ...(file === undefined ? {} : { assistant: file }),
      ...(assistantId === undefined ? {} : { assistantId }),
    },
    context,
  )
  const records = withTools(kept, tools.entries)
  const inline = isObject(given.assistant) ? given.assistant : undefined
  const assistant = inline ?? records.store.assistant(assistantId ?? '') ?? {}
  const knowledge = await addKnowledge(textsOf(assistant.assistantKnowledgeBaseIds), file, records, context)
  const body =
    inline === undefined ? given : { ...given, assistant: withKnownTools(inline, records, context) }
  return {
    body,
    entries: [...records.entries, ...knowledge],
    assistantName: typeof assistant.name === 'string' ? assistant.name : (file ?? assistantId ?? 'assistant'),
    variables: variablesOf(assistant, given.assistantOverrides, records),
  }
}

function withTools(records: SandboxRecords, tools: readonly Entry[]): SandboxRecords {
  if (tools.length === 0) return records
  const entries = [...records.entries, ...tools]
  return { ...records, entries, store: createStore(entries) }
}

function knownAssistant(
  id: string | undefined,
  { store, entries, file }: SandboxRecords,
  { output }: Context,
): string {
  if (id === undefined) {
    const newest = store.newestAssistant()
    if (newest === undefined) {
      throw new CliError('usage', 'no assistant is given, and the sandbox’s records hold none', {
        hint: 'give a file: callwright call chat assistants/front-desk.yaml',
      })
    }
    output.note(`The newest assistant of the sandbox answers: ${newest.name ?? newest._id} (${newest._id}).`)
    return newest._id
  }
  if (store.assistant(id) !== undefined) return id
  const ids = entries.flatMap(entry => (entry.kind === 'assistant' ? [entry.record._id] : []))
  const meant = didYouMean(id, ids)
  throw new CliError(
    'usage',
    `there is no assistant ${JSON.stringify(id)} in the sandbox’s records ${file}`,
    {
      hint:
        meant === undefined
          ? 'give a file, or the _id that assistant create printed'
          : `did you mean ${meant}?`,
    },
  )
}

/** The sandbox refuses ids of tools that it does not know, as the service does. */
function withKnownTools(
  assistant: Readonly<Record<string, unknown>>,
  { store }: SandboxRecords,
  { output }: Context,
): Record<string, unknown> {
  const { assistantToolIds, ...rest } = assistant
  if (!Array.isArray(assistantToolIds)) return { ...assistant }
  const known = textsOf(assistantToolIds).filter(id => {
    if (store.tool(id) !== undefined) return true
    output.warn(
      `the tool ${id} is not in the sandbox’s records; this call goes without it`,
      'callwright tool create makes it where callwright sandbox start runs',
    )
    return false
  })
  return { ...rest, assistantToolIds: known }
}

async function addKnowledge(
  ids: readonly string[],
  file: string | undefined,
  { store }: SandboxRecords,
  context: Context,
): Promise<Entry[]> {
  const added: Entry[] = []
  for (const id of ids.filter(each => store.knowledgeBase(each) === undefined)) {
    const found = file === undefined ? undefined : await findKnowledge(id, file, context)
    if (found !== undefined) {
      context.output.note(`The knowledge base ${id} is read from ${found.file}.`)
      added.push(found.entry)
    } else {
      context.output.warn(
        `the knowledge base ${id} is neither in the sandbox’s records nor in a file of this project; it is empty`,
        `a file with knowledgeBaseId: ${id} in knowledge-bases/ is read`,
      )
    }
  }
  return added
}

/** interface.md 2.6: the variables of the call win over those of the assistant. */
function variablesOf(
  assistant: Readonly<Record<string, unknown>>,
  overrides: unknown,
  { store }: SandboxRecords,
): PreparedCall['variables'] {
  const set = { ...dynamicVariables(assistant.assistantOverrides), ...dynamicVariables(overrides) }
  const tools = textsOf(assistant.assistantToolIds).map(id => store.tool(id)?.messages)
  const { fill, unset } = createVariables(set)
  fill(JSON.stringify([assistant, overrides, tools]))
  return { set, unset: [...unset] }
}

function dynamicVariables(overrides: unknown): Record<string, string> {
  if (!isObject(overrides) || !isObject(overrides.dynamicVariables)) return {}
  return Object.fromEntries(
    Object.entries(overrides.dynamicVariables).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  )
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : []
}
