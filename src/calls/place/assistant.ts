import { nameOf } from '../../files/formats/address.ts'
import { fileKinds, kinds } from '../../files/formats/kinds.ts'
import { type Diagnostic, displayName, InvalidInput } from '../../files/source/index.ts'
import { CallyardError } from '../../lib/error.ts'
import { isObject } from '../../lib/json.ts'
import { shortId } from '../../lib/text/did-you-mean.ts'
import {
  assertDeployed,
  type CheckedResource,
  type CheckResourceOptions,
  checkResource,
  deployedId,
  findId,
  findNamed,
  type ResourceQuery,
} from '../../project/apply/index.ts'
import type { ResourceFile } from '../../project/resources/index.ts'
import type { CallDeps, Warning } from './deps.ts'

/** The assistant of a call, as a request names it. */
export interface ChosenAssistant {
  readonly fields: AssistantFields
  /** The fields without values from the environment. */
  readonly masked: AssistantFields
  /** The name of the assistant for a person; undefined for the default assistant of the number. */
  readonly label: string | undefined
  /** The file with the assistant's texts, if it is on this machine. */
  readonly file?: string | undefined
  readonly diagnostics: readonly Diagnostic[]
  readonly warnings: readonly Warning[]
}

interface AssistantFields {
  readonly assistant?: Readonly<Record<string, unknown>>
  readonly assistantId: string | undefined
}

export interface AssistantOptions extends CheckResourceOptions {
  /** A file, or a name or an id in the project. */
  readonly assistant?: string | undefined
  readonly assistantId?: string | undefined
  readonly follow?: boolean | undefined
}

/**
 * Chooses the assistant of a call (interface.md 4.1 and 4.2): a file is sent inline, a name in the project as the id of the deployed
 * assistant, and an id unchanged. With `follow`, a deployed assistant is sent inline too, from its file, if that has not changed since.
 * @throws CallyardError `usage` for an assistant that is not found or not deployed, `conflict` for a followed one whose file has
 * changed; InvalidInput for an invalid file
 */
export async function chooseAssistant(options: AssistantOptions, deps: CallDeps): Promise<ChosenAssistant> {
  const { assistant, assistantId, follow } = options
  if (assistant === undefined) {
    if (follow === true) throw notFollowable(assistantId)
    if (assistantId === undefined) return byId(undefined, undefined)
    const { id, warnings } = await resolveId({ text: assistantId, kind: 'assistant' }, options, deps)
    return { ...byId(id, id), warnings }
  }
  const named = await findNamed({ text: assistant, kind: 'assistant' }, options, deps)
  if (named.by === 'file') {
    const { file } = named
    const inlineAssistant = inline(await checkResource(file, 'inline-assistant', options, deps), {
      assistantId,
      label: file,
      file,
    })
    return assistantId === undefined ? inlineAssistant : { ...inlineAssistant, warnings: [bothGiven] }
  }
  if (assistantId !== undefined) {
    throw new CallyardError(
      'usage',
      `the assistant ${assistant} and the id ${assistantId} cannot be used together`,
      { hint: bothGiven.hint },
    )
  }
  const { resource } = named
  const idOf = (deployed: ResourceFile) => deployedId(deployed, options, deps, { mayInline: true })
  if (follow === true) {
    if (resource === undefined) throw notFollowable(assistant)
    const id = await idOf(resource)
    const checked = await checkResource(resource.path, 'assistant', options, deps)
    await assertDeployed(resource, checked, options, deps)
    return inline(checked, {
      label: formatNameAndId(resource, id),
      file: displayName(resource.path, deps.cwd),
    })
  }
  const id = named.by === 'id' ? named.id : await idOf(named.resource)
  if (resource === undefined) return byId(id, id)
  return byId(id, formatNameAndId(resource, id), displayName(resource.path, deps.cwd))
}

/**
 * Resolves a name in the project or an id (see `findId`). Warns of a text that may be a mistyped name and is sent as an id.
 * @throws CallyardError `usage` as findId does
 */
export async function resolveId(
  query: ResourceQuery,
  options: CheckResourceOptions,
  deps: CallDeps,
): Promise<{ readonly id: string; readonly warnings: readonly Warning[] }> {
  const { id, near } = await findId(query, options, deps)
  if (near === undefined) return { id, warnings: [] }
  const { title } = kinds[fileKinds[query.kind]]
  const message = `the project has no ${title} ${JSON.stringify(id)}; it is sent as an id`
  return { id, warnings: [{ message, hint: `did you mean ${near}?` }] }
}

/** An assistant that was not deployed from a file here sends its events to the address that it was created with. */
export function notFollowable(assistantArg: string | undefined): CallyardError {
  const reason = assistantArg === undefined ? 'none is given' : `${assistantArg} is an id`
  return new CallyardError('usage', `following a call requires the file of the assistant, but ${reason}`, {
    code: 'not-followable',
    hint: 'name its file, or its name in the project; its assistantServer is set for this call only',
  })
}

const bothGiven = {
  message: 'an assistant and an assistant id are both given; the inline assistant is used',
  hint: 'remove one of them',
}

function formatNameAndId({ address }: ResourceFile, id: string): string {
  return `${nameOf(address)} (${shortId(id)})`
}

function byId(assistantId: string | undefined, label: string | undefined, file?: string): ChosenAssistant {
  return { fields: { assistantId }, masked: { assistantId }, label, file, diagnostics: [], warnings: [] }
}

/** `assistant` takes precedence over `assistantId`. */
function inline(
  { checked, masked }: CheckedResource,
  { assistantId, label, file }: { assistantId?: string | undefined; label: string; file: string },
): ChosenAssistant {
  const { body, diagnostics } = checked
  const maskedBody = masked()
  if (!isObject(body) || !isObject(maskedBody)) throw new InvalidInput(diagnostics)
  return {
    fields: { assistant: body, assistantId },
    masked: { assistant: maskedBody, assistantId },
    label: `${label}, sent inline`,
    file,
    diagnostics,
    warnings: [],
  }
}
