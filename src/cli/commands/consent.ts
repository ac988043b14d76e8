import { accessByPath, unconfirmedAccess } from '../../calls/place/index.ts'
import { type Access, isEmptyAccess, mergeAccess, noAccess, runsCommands } from '../../files/access/index.ts'
import { CallyardError, getErrorReason } from '../../lib/error.ts'
import { join } from '../../lib/text/text.ts'
import { saveAgreement } from '../../service/profile/index.ts'
import type { Context } from '../shell/context.ts'
import { renderAccess } from '../shell/render/access.ts'

/**
 * Asks for consent, once per project and machine, before anything is sent or run: for variables and files of other folders that the sent
 * files read, for the commands that they run, and for the hosts they refer to. Asks again only about something new, only on a terminal,
 * and not with --yes or --no-input. `service`: whether the service receives anything; then callyard.yaml counts too, because it may set the service.
 * `mayAsk` false: throws instead of asking, while something else uses the terminal.
 * @throws CallyardError `cancelled` for a no, `usage` in a script for a command that nobody has confirmed
 */
export async function agreeToAccess(
  context: Context,
  { service = true, mayAsk = true }: { service?: boolean; mayAsk?: boolean } = {},
): Promise<void> {
  const { available } = context.prompts
  const own = service && available ? (await context.settings()).project?.checked : undefined
  const sending = available ? context.sending : context.sending.filter(runsCommands)
  const files = own === undefined ? sending : [...sending, own]
  await agreeOnce(await accessByPath(files, context), context, { mayAsk })
}

/** Like agreeToAccess, for several projects or files. Keys are absolute real paths of a project's folder or of a file. */
export async function agreeOnce(
  accessMap: ReadonlyMap<string, Access>,
  { env, options, output, prompts }: Context,
  { mayAsk = true, flag = '--yes' } = {},
): Promise<void> {
  if (options.yes === true) return
  const open = await unconfirmedAccess(accessMap, env)
  const access = open.map(({ newAccess }) => newAccess).reduce(mergeAccess, noAccess)
  if (!prompts.available) {
    if (access.commands.length === 0) return
    throw new CallyardError(
      'usage',
      `without confirmation, --yes is required to run ${access.commands.join(', ')}`,
      {
        hint: 'these files name commands for this machine',
        details: { missing: ['--yes'] },
      },
    )
  }
  if (isEmptyAccess(access)) return
  if (!mayAsk) {
    const items = Object.values(access).flat().join(', ')
    throw new CallyardError('usage', `the files now use something you have not allowed: ${items}`, {
      hint: 'exit and start again to be asked',
    })
  }
  const names = open.map(({ agreed }) => agreed.place).join(' and ')
  const head = `${names} ${open.length === 1 ? 'uses' : 'use'}, for the first time on this machine:`
  output.note(join([head, renderAccess(access)]), { isRequested: true })
  if (!(await prompts.confirm({ message: 'Allow this?', flag })))
    throw new CallyardError('cancelled', 'cancelled; nothing was sent or run')
  for (const { agreed, newAccess } of open) {
    const agreement = { place: agreed.place, ...mergeAccess(agreed, newAccess) }
    await saveAgreement(env, agreement).catch(error =>
      output.warn(`your answer could not be saved, so callyard will ask again: ${getErrorReason(error)}`),
    )
  }
}
