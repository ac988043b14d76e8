import { callParams } from '../../../../calls/place/index.ts'
import { kindOfAddress } from '../../../../files/formats/address.ts'
import { displayName } from '../../../../files/source/index.ts'
import { createVariables } from '../../../../interface/variables.ts'
import { isObject } from '../../../../lib/json.ts'
import { withoutQuery } from '../../../../lib/net/address.ts'
import { listed } from '../../../../lib/text/count.ts'
import { createBaseChecker, recordedResource } from '../../../../project/apply/index.ts'
import { type FindResource, projectsAround } from '../../../../project/resources/index.ts'
import type { RecordEntry } from '../../../../sandbox/index.ts'
import type { Settings } from '../../../../service/profile/index.ts'
import type { Context } from '../../../shell/context.ts'
import { loadResource } from '../../resolve-args.ts'
import { printWarnings } from '../../warnings.ts'
import { warnOfUnusedVariables } from '../unused-variables.ts'
import type { ChatOptions } from './flags.ts'
import { addKnowledge, noRecords, readRecords, type SandboxRecords } from './records.ts'

/** The assistant of a chat: one of a file, or one of the sandbox's records. */
export type ChatAssistant = { readonly file: string } | { readonly assistantId: string }

/** A call that can be placed on a sandbox that begins with its records. */
export type PreparedCall = Awaited<ReturnType<typeof prepareCall>>

/**
 * Reads everything that a call consists of, again for each call. Files take precedence: the sandbox's records are used with --data for
 * their assistants, and outside a project for what no file contains. Prints a warning for what is not found, and the call continues
 * without it.
 * @throws InvalidInput for an invalid file
 */
export async function prepareCall(who: ChatAssistant, options: ChatOptions, context: Context) {
  const file = 'file' in who ? context.resolve(who.file) : undefined
  const project = file === undefined ? undefined : await projectsAround(context.files)(file)
  const asksRecords = options.data !== undefined || project === undefined
  const records = asksRecords ? await readRecords(options.data, context) : noRecords
  const bases = createBaseChecker(context)
  const tools = createProjectTools(context, recordedResource({}, context, bases.check), options.allowUnknown)
  const load = { allowUnknown: options.allowUnknown, find: tools.find }
  const inline = 'file' in who ? await loadResource(context, who.file, 'inline-assistant', load) : undefined
  const { sentParams: params, diagnostics } = await callParams({ ...options, ...load }, context)
  printWarnings(diagnostics, context)
  if ('file' in who && options.var !== undefined) {
    const texts = { file: who.file, overrides: params.assistantOverrides }
    await warnOfUnusedVariables(options.var, texts, context)
  }
  const stored = 'file' in who ? undefined : records.store.assistant(who.assistantId)
  const assistant = stored ?? inline ?? {}
  const knownTools = findTools(assistant, tools.entries, records, context)
  const knowledge = await addKnowledge(
    textsOf(assistant.assistantKnowledgeBaseIds),
    file,
    project,
    { records, recordsFirst: options.data !== undefined, bases },
    context,
  )
  const { assistantServer, ...silent } = assistant
  const toolEntries = knownTools.map(({ entry }) => entry)
  const toolIds = {
    ...(options.webhooks === true ? assistant : silent),
    ...(Array.isArray(assistant.assistantToolIds)
      ? { assistantToolIds: toolEntries.map(({ record }) => record._id) }
      : {}),
  }
  const entries: RecordEntry[] = [...toolEntries, ...knowledge.map(({ entry }) => entry)]
  if (stored !== undefined) entries.unshift({ kind: 'assistant', record: { ...toolIds, _id: stored._id } })
  const body: Readonly<Record<string, unknown>> = {
    ...('file' in who ? { assistant: toolIds } : who),
    ...params,
  }
  return {
    /** Body of Create call (interface.md 4.1) without the numbers. */
    body,
    /** Only the entries that the call uses. */
    entries,
    variables: variablesOf(assistant, params.assistantOverrides, toolEntries, await context.settings()),
    /** Displayed names of the files of each part. */
    sources: {
      assistant:
        file === undefined ? `${nameOf(assistant, who)} in ${records.file}` : displayName(file, context.cwd),
      tools: knownTools.map(({ from }) => from),
      knowledge: knowledge.flatMap(({ from }) => from),
    },
    /** Webhook URL of the assistant if webhooks are not sent. */
    unsentTo: options.webhooks === true ? undefined : urlOf(assistantServer),
  }
}

interface FoundTool {
  /** A record of the sandbox, in which a tool's address is its id. */
  readonly entry: Extract<RecordEntry, { kind: 'tool' }>
  /** Displayed name of its file. */
  readonly from: string
}

/** The sandbox refuses ids of tools that it does not know, as the service does. */
function findTools(
  assistant: Readonly<Record<string, unknown>>,
  ofFiles: readonly FoundTool[],
  { store, file }: SandboxRecords,
  { output }: Context,
): FoundTool[] {
  return [...new Set(textsOf(assistant.assistantToolIds))].flatMap(id => {
    const fileTool = ofFiles.find(({ entry }) => entry.record._id === id)
    if (fileTool !== undefined) return [fileTool]
    const record = store.tool(id)
    if (record !== undefined) return [{ entry: { kind: 'tool', record }, from: file }]
    output.warn(
      `the tool ${id} is in no file ${file === '' ? 'that the assistant names' : `and not in the sandbox’s records ${file}`}; this call goes without it`,
      `use \${tool:<name>} for tools/<name>.yaml${file === '' ? '; --data <file> asks records of the sandbox' : ''}`,
    )
    return []
  })
}

function nameOf({ name }: Readonly<Record<string, unknown>>, who: ChatAssistant): string {
  if (typeof name === 'string') return name
  return 'file' in who ? who.file : who.assistantId
}

function urlOf(server: unknown): string | undefined {
  if (!isObject(server) || server.enabled === false) return undefined
  return typeof server.url === 'string' && URL.canParse(server.url) ? withoutQuery(server.url) : undefined
}

/** The variables of the call override those of the assistant (interface.md 2.6). `unset`: used in a text and not set. */
function variablesOf(
  assistant: Readonly<Record<string, unknown>>,
  overrides: unknown,
  tools: readonly FoundTool['entry'][],
  { project }: Settings,
) {
  const set = { ...dynamicVariables(assistant.assistantOverrides), ...dynamicVariables(overrides) }
  const { fill, unset } = createVariables(set, project?.settings.serviceVariables)
  fill(JSON.stringify([assistant, overrides, tools.map(({ record }) => record.messages)]))
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
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}

/**
 * The tools that an assistant's file references by name, for a sandbox without them. Reads each on first use. The service never sees
 * them, so the lockfile does not matter.
 */
function createProjectTools(context: Context, findStored: FindResource, allowUnknown: boolean | undefined) {
  const entries: FoundTool[] = []
  const find: FindResource = async file => {
    const { address, path } = file
    if (kindOfAddress(address) === 'kb') return findStored(file)
    if (kindOfAddress(address) === 'tool' && !entries.some(({ entry }) => entry.record._id === address)) {
      const tool = await loadResource(context, path, 'tool', { allowUnknown, find: idOnly })
      entries.push({
        entry: { kind: 'tool', record: { ...tool, _id: address } },
        from: displayName(path, context.cwd),
      })
    }
    return { text: address }
  }
  return { find, entries }
}

/** A tool that another tool refers to is not part of the call. */
const idOnly: FindResource = async ({ address }) => ({ text: address })

/** One line that says where each part came from. */
export function describeSources({ assistant, tools, knowledge }: PreparedCall['sources']): string {
  const parts = Object.entries({ Assistant: [assistant], tools, knowledge }).filter(
    ([, names]) => names.length > 0,
  )
  return parts.map(([part, names]) => `${part}: ${listed([...new Set(names)], maxNamed)}`).join(' · ')
}

const maxNamed = 3
