import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Context } from '../../cli/context.ts'
import { renderAccess } from '../../cli/render/access.ts'
import { CallwrightError, reasonOf } from '../../lib/error.ts'
import { isLoopback } from '../../lib/net/address.ts'
import { join, text } from '../../lib/text/text.ts'
import { type Agreement, readAgreement, saveAgreement } from '../../profile/index.ts'
import { type Access, accessBeyond, accessOf, isNoAccess, joinAccess } from '../../project/index.ts'
import { type CheckedFile, findProjectFile } from '../../source/index.ts'

interface AgreeOptions {
  readonly yes?: boolean | undefined
  /** Whether the service is sent anything: then callwright.yaml counts too, which may name it. */
  readonly service?: boolean
  /** Instead of a question, an error: where something else is on the terminal. */
  readonly mayAsk?: boolean
}

/**
 * Asks once per project and machine before anything is sent: what the files that the command sends read of the environment
 * and of other folders, and the hosts that they name. Asked again only when something is new. Asks a person on a terminal
 * alone, and not with --yes.
 * @throws CallwrightError `cancelled` for a no
 */
export async function agreeToAccess(
  context: Context,
  { yes = false, service = true, mayAsk = true }: AgreeOptions = {},
): Promise<void> {
  const { env, output, prompts } = context
  if (yes || !prompts.available) return
  const open: { agreed: Agreement; wanted: Access }[] = []
  for (const [place, files] of await filesByPlace(context, service)) {
    const agreed = await readAgreement(env, place)
    const wanted = accessBeyond(await wantedBy(files, context), agreed)
    if (!isNoAccess(wanted)) open.push({ agreed, wanted })
  }
  if (open.length === 0) return
  const places = open.map(({ agreed }) => agreed.place)
  const shown = open.map(({ wanted }) => wanted).reduce(joinAccess)
  if (!mayAsk) {
    const items = [...shown.variables, ...shown.outsideFiles, ...shown.hosts].join(', ')
    throw new CallwrightError('usage', `the files now use what you have not agreed to: ${items}`, {
      hint: 'leave, and start again: callwright asks then',
    })
  }
  const head = `${places.join(' and ')} ${places.length === 1 ? 'uses' : 'use'}, for the first time on this machine:`
  const uses = await renderAccess(shown, output.width)
  output.note(join([text`${head}`, uses], '\n'), { asked: true })
  if (!(await prompts.confirm({ message: 'Allow this?', flag: '--yes' })))
    throw new CallwrightError('cancelled', 'cancelled; nothing was sent')
  for (const { agreed, wanted } of open) {
    const agreement = { place: agreed.place, ...joinAccess(agreed, wanted) }
    await saveAgreement(env, agreement, context).catch(error => {
      const reason = reasonOf(error)
      output.warn(`callwright cannot keep your answer, and will ask again: ${reason}`)
    })
  }
}

/** What the files of a whole project use, with what its callwright.yaml says (`plan`). */
export async function accessOfProject(files: Access, context: Context): Promise<Access> {
  const { project } = await context.settings()
  const access = project?.checked === undefined ? files : joinAccess(files, accessOf([project.checked]))
  const host = await chosenService(context)
  return host === undefined ? access : withHost(access, host)
}

async function filesByPlace(
  { sending, files: rules, settings }: Context,
  service: boolean,
): Promise<Map<string, CheckedFile[]>> {
  const own = service ? (await settings()).project?.checked : undefined
  const projects = new Map<string, Promise<string | undefined>>()
  const projectOf = async (folder: string) => {
    const file = await findProjectFile(folder, rules)
    return file === undefined ? undefined : realpath(dirname(file))
  }
  const places = new Map<string, CheckedFile[]>()
  for (const file of own === undefined ? sending : [...sending, own]) {
    const folder = dirname(file.source.path)
    const project = projects.get(folder) ?? projectOf(folder)
    projects.set(folder, project)
    const place = (await project) ?? (await realpath(file.source.path))
    const there = places.get(place)
    if (there === undefined) places.set(place, [file])
    else there.push(file)
  }
  return places
}

async function wantedBy(files: readonly CheckedFile[], context: Context): Promise<Access> {
  const access = accessOf(files, { asked: true })
  const host = files.some(({ kind }) => kind === 'project') ? await chosenService(context) : undefined
  return host === undefined || isLoopback(host) ? access : withHost(access, host)
}

/** A profile that callwright.yaml chooses leads to a service as well as a base URL there does. */
async function chosenService({ settings }: Context): Promise<URL | undefined> {
  const { profile, baseUrl } = await settings()
  const isChosen = profile.from === 'project file' && baseUrl.from === 'profile'
  return isChosen && baseUrl.value !== undefined && URL.canParse(baseUrl.value)
    ? new URL(baseUrl.value)
    : undefined
}

function withHost(access: Access, { host }: URL): Access {
  return joinAccess(access, { variables: [], outsideFiles: [], hosts: [host] })
}
