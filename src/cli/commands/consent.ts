import { accessByPlace, resolveId, unconfirmedAccess, type Warning } from '../../calls/place/index.ts'
import { fileKinds, kinds } from '../../files/formats/kinds.ts'
import {
  type Access,
  type Diagnostic,
  displayName,
  InvalidInput,
  isEmptyAccess,
  mergeAccess,
  noAccess,
  projectFileName,
  runsCommands,
} from '../../files/source/index.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import type { KindName, ResourceKind } from '../../interface/words.ts'
import { CallyardError, getErrorReason } from '../../lib/error.ts'
import { isObject } from '../../lib/json.ts'
import { join } from '../../lib/text/text.ts'
import type { SandboxProject } from '../../library/apply-project.ts'
import {
  type CheckedResource,
  type CheckResourceOptions,
  checkResource as checkQuietly,
  chosenTarget,
  findNamed,
  type SendEvents,
} from '../../project/apply/index.ts'
import { requireConnection, type SettingOrigin, saveAgreement } from '../../service/profile/index.ts'
import { findingMessages } from '../messages/findings.ts'
import { withFindingMessage } from '../messages/with-words.ts'
import type { Context } from '../shell/context.ts'
import { renderAccess } from '../shell/render/access.ts'
import { formatFinding } from '../shell/render/diagnostics.ts'

/** Shows findings that hold nothing up. */
export function printWarnings(findings: readonly Diagnostic[], { output }: Context): void {
  for (const finding of findings) {
    const warning = withFindingMessage(finding, findingMessages)
    output.warn(formatFinding(warning), warning.hint)
  }
}

/** Shows warnings of a call that can be placed. */
export function showWarnings(warnings: readonly Warning[], { output }: Pick<Context, 'output'>): void {
  for (const { message, hint } of warnings) output.warn(message, hint)
}

/** Checks a file that is sent by itself, and shows its warnings: see the project's checkResource. */
export async function checkResourceInProject(
  file: string,
  kind: KindName,
  options: CheckResourceOptions,
  context: Context,
): Promise<CheckedResource> {
  const resource = await checkQuietly(file, kind, options, context)
  printWarnings(resource.checked.diagnostics, context)
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

/** Resolves the id that a person means (see `resolveId`), and shows its warnings. */
export async function requestedId(
  asked: Parameters<typeof resolveId>[0],
  options: Parameters<typeof resolveId>[1],
  context: Context,
): Promise<string> {
  const { id, warnings } = await resolveId(asked, options, context)
  showWarnings(warnings, context)
  return id
}

/**
 * The file that a person means: by itself, by its name in the project, or by the id that it has at the target.
 * @throws CallyardError `usage` for an id that no file has
 */
export async function requestedFile(text: string, kind: ResourceKind, context: Context): Promise<string> {
  const found = await findNamed({ text, kind, idFlag: undefined }, {}, context)
  if (found.by === 'file') return found.file
  if (found.resource !== undefined) return displayName(found.resource.path, context.cwd)
  const { title, folder } = kinds[fileKinds[kind]]
  throw new CallyardError('usage', `${title} ${JSON.stringify(text)} not found in this project`, {
    hint: `pass a file, or the name of one in ${folder}/`,
  })
}

/** A project can be planned without a base URL, and not be worked on. @throws CallyardError `usage` that says so */
export async function requireBaseUrl(context: Context): Promise<void> {
  const settings = await context.settings()
  if (settings.baseUrl.value === undefined) requireConnection(settings)
}

/** Callbacks for sending one file of a project: show warnings, and ask once for access. */
export function sendEvents(context: Context): SendEvents {
  return {
    onChecked: ({ checked }) => printWarnings(checked.diagnostics, context),
    async beforeSending() {
      requireConnection(await context.settings())
      await agreeToAccess(context)
    },
  }
}

/** Describes the source of a target's base URL; empty for the profile with the target's name. */
export async function originOfBaseUrl(
  target: string,
  { settings }: Pick<Context, 'settings'>,
): Promise<string> {
  const { baseUrl, profile } = await settings()
  const origins: Readonly<Record<SettingOrigin, string>> = {
    flag: 'from --base-url',
    environment: 'from CALLYARD_BASE_URL',
    'project file': `from ${projectFileName}`,
    profile: profile.value === target ? '' : `from profile ${profile.value}`,
    none: '',
  }
  return origins[baseUrl.from]
}

/** The name of the target for a report, which has one even where that name is the error. */
export async function targetName(target: string | undefined, context: Context): Promise<string> {
  return chosenTarget({ target }, context).then(
    ({ name }) => name,
    () => target ?? context.options.profile ?? 'default',
  )
}

/** A project that a sandbox begins with. Shows its warnings; a person agrees to what its files use. */
export async function projectForSandbox(
  folder: string,
  vocabulary: Vocabulary,
  context: Context,
): Promise<SandboxProject> {
  const { openProjectForSandbox } = await import('../../library/apply-project.ts')
  const project = await openProjectForSandbox(folder, { ...context.files, vocabulary })
  printWarnings(project.warnings, context)
  for (const file of project.files) context.willSend(file)
  // The sandbox calls the servers that the files name.
  await agreeToAccess(context, { service: false })
  return project
}

/**
 * Asks for consent, once per project and machine, before anything is sent or run: for variables and files of other folders that the sent
 * files read, for the commands that they run, and for the hosts they refer to. Asks again only about something new, only on a terminal,
 * and not with --yes. `service`: whether the service receives anything; then callyard.yaml counts too, because it may set the service.
 * `mayAsk` false: throws instead of asking, while something else uses the terminal.
 * @throws CallyardError `cancelled` for a no, `usage` in a script for a command that nobody has confirmed
 */
export async function agreeToAccess(
  context: Context,
  {
    yes,
    service = true,
    mayAsk = true,
  }: { yes?: boolean | undefined; service?: boolean; mayAsk?: boolean } = {},
): Promise<void> {
  if (yes === true) return
  const own = service && context.prompts.confirms ? (await context.settings()).project?.checked : undefined
  const sending = context.prompts.confirms ? context.sending : context.sending.filter(runsCommands)
  const files = own === undefined ? sending : [...sending, own]
  await agreeOnce(await accessByPlace(files, context), context, mayAsk)
}

/** Like agreeToAccess, for several projects or files. Keys are absolute real paths of a project's folder or of a file. */
export async function agreeOnce(
  places: ReadonlyMap<string, Access>,
  { env, output, prompts }: Context,
  mayAsk = true,
): Promise<void> {
  const open = await unconfirmedAccess(places, env)
  const shown = open.map(({ wanted }) => wanted).reduce(mergeAccess, noAccess)
  if (!prompts.confirms) {
    if (shown.commands.length === 0) return
    throw new CallyardError(
      'usage',
      `without confirmation, --yes is required to run ${shown.commands.join(', ')}`,
      {
        hint: 'these files name commands for this machine',
        details: { missing: ['--yes'] },
      },
    )
  }
  if (isEmptyAccess(shown)) return
  if (!mayAsk) {
    const items = Object.values(shown).flat().join(', ')
    throw new CallyardError('usage', `the files now use something you have not allowed: ${items}`, {
      hint: 'exit and start again to be asked',
    })
  }
  const names = open.map(({ agreed }) => agreed.place).join(' and ')
  const head = `${names} ${open.length === 1 ? 'uses' : 'use'}, for the first time on this machine:`
  output.note(join([head, renderAccess(shown)]), { asked: true })
  if (!(await prompts.confirm({ message: 'Allow this?', flag: '--yes' })))
    throw new CallyardError('cancelled', 'cancelled; nothing was sent or run')
  for (const { agreed, wanted } of open) {
    const agreement = { place: agreed.place, ...mergeAccess(agreed, wanted) }
    await saveAgreement(env, agreement).catch(error =>
      output.warn(`your answer could not be saved, so callyard will ask again: ${getErrorReason(error)}`),
    )
  }
}
