import type { Context } from '../../cli/context.ts'
import { findingMessages } from '../../cli/messages/findings.ts'
import { wordedFinding } from '../../cli/messages/with-words.ts'
import { formatFinding } from '../../cli/render/diagnostics.ts'
import { kinds } from '../../interface/kinds.ts'
import type { KindName, ResourceKind } from '../../interface/words.ts'
import { CallwrightError } from '../../lib/error.ts'
import { isObject } from '../../lib/json.ts'
import { requireConnection } from '../../profile/index.ts'
import {
  type CheckedResource,
  type CheckResourceOptions,
  checkResource as checkQuietly,
  chosenTarget,
  fileKinds,
  findId,
  findNamed,
  type SendEvents,
} from '../../project/index.ts'
import { type Diagnostic, displayName, InvalidInput } from '../../source/index.ts'
import { agreeToAccess } from './agree-to-access.ts'

/** Shows findings that hold nothing up. */
export function warnOf(findings: readonly Diagnostic[], { output }: Context): void {
  for (const finding of findings) {
    const warning = wordedFinding(finding, findingMessages)
    output.warn(formatFinding(warning), warning.hint)
  }
}

/** Checks a file that is sent by itself, and shows its warnings: see the project's checkResource. */
export async function checkResourceInProject(
  file: string,
  kind: KindName,
  options: CheckResourceOptions,
  context: Context,
): Promise<CheckedResource> {
  const resource = await checkQuietly(file, kind, options, context)
  warnOf(resource.checked.diagnostics, context)
  return resource
}

/** The request body that a file holds, checked, with its references resolved. @throws InvalidInput with all findings */
export async function loadResource(
  context: Context,
  file: string,
  kind: KindName,
  options: CheckResourceOptions = {},
): Promise<Record<string, unknown>> {
  const { checked } = await checkResourceInProject(file, kind, options, context)
  if (!isObject(checked.body)) throw new InvalidInput(checked.diagnostics)
  return checked.body
}

/** The id that a person means: see findId. Warns of a text that may be a mistyped name, and is sent as an id. */
export async function askedId(
  asked: Parameters<typeof findId>[0],
  options: Parameters<typeof findId>[1],
  context: Context,
): Promise<string> {
  const { id, near } = await findId(asked, options, context)
  if (near !== undefined) {
    const { title } = kinds[fileKinds[asked.kind]]
    const message = `the project has no ${title} ${JSON.stringify(id)}; it is sent as an id`
    context.output.warn(message, `did you mean ${near}?`)
  }
  return id
}

/**
 * The file that a person means: by itself, by its name in the project, or by the id that it has at the target.
 * @throws CallwrightError `usage` for an id that no file has
 */
export async function askedFile(text: string, kind: ResourceKind, context: Context): Promise<string> {
  const found = await findNamed({ text, kind, idFlag: undefined }, {}, context)
  if (found.by === 'file') return found.file
  if (found.resource !== undefined) return displayName(found.resource.path, context.cwd)
  const { title, folder } = kinds[fileKinds[kind]]
  throw new CallwrightError('usage', `no file of this project is the ${title} ${JSON.stringify(text)}`, {
    hint: `give a file, or the name of one in ${folder}/`,
  })
}

/** A project can be planned without a base URL, and not be worked on. @throws CallwrightError `usage` that says so */
export async function requireBaseUrl(context: Context): Promise<void> {
  const settings = await context.settings()
  if (settings.baseUrl.value === undefined) requireConnection(settings)
}

/** How a command sends one file of a project: shows its warnings, and asks for what is asked for once. */
export function sendEvents(context: Context): SendEvents {
  return {
    onChecked: ({ checked }) => warnOf(checked.diagnostics, context),
    async beforeSending() {
      requireConnection(await context.settings())
      await agreeToAccess(context)
    },
  }
}

/** The name of the target for a report, which has one even where that name is the error. */
export async function targetName(target: string | undefined, context: Context): Promise<string> {
  return chosenTarget({ target }, context).then(
    ({ name }) => name,
    () => target ?? context.options.profile ?? 'default',
  )
}
