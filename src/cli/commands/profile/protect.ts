import { isDeepStrictEqual } from 'node:util'
import type { Command } from '@commander-js/extra-typings'
import { isNumberPattern } from '../../../calls/approval/index.ts'
import { isTimeZone, readHours } from '../../../files/formats/batch.ts'
import { CallyardError } from '../../../lib/error.ts'
import { localTimeZone } from '../../../lib/text/date-time.ts'
import { bold, dim, join, text } from '../../../lib/text/text.ts'
import {
  type Limits,
  loadConf,
  loadEncryption,
  loadStore,
  type Profile,
} from '../../../service/profile/index.ts'
import { askPassphrase } from '../../shell/ask-passphrase.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { Flag, Operand, type OptionsOf } from '../../shell/flags/flag.ts'
import { collect, integerParser } from '../../shell/flags/option-parsers.ts'
import type { SchemaBuilders } from '../../shell/schema-builders.ts'
import { confirmLowering } from './confirm-lowering.ts'
import { encryptWithNewPassphrase } from './read-key.ts'

export const profileProtectCommand = defineCommand({
  description: 'Protect a service: encrypt its API key and require approval, or limit calls',
  summary: 'Protect a service: require approval, or limit calls',
  examples: [
    'callyard profile protect work --require-approval',
    'callyard profile protect work --allow-number +1202555* --calls-per-day 20 --hours 09:00-17:00',
  ],
  topics: ['agents'],
  effect: 'changes',
  flags: withFlags,
  result: rulesResult,
  async run(options, context, [name]) {
    const { env, output } = context
    const store = await loadStore()
    const before = store.findProfile((await store.readProfiles(env)).profiles, name)
    const rules = rulesOf(before, options)
    const after = { ...withoutRules(before), ...rules, apiKey: await keyFor(name, before, rules, context) }
    const { replaceProfile } = await loadConf()
    for (const warning of (await replaceProfile(env, name, { before, after })).warnings) output.warn(warning)
    const { approval = null, limits = null } = rules
    output.result({ name, approval, limits }, () =>
      join([
        text`${bold(name)} (${before.baseUrl})`,
        text`${dim('Approval')}  ${approval ?? 'not required'}`,
        text`${dim('API key')}   ${typeof after.apiKey === 'string' ? 'not encrypted' : 'encrypted with a passphrase'}`,
        text`${dim('Limits')}    ${limits === null ? 'none' : limitsText(limits)}`,
      ]),
    )
    if (after.apiKey !== before.apiKey) await warnAboutCopies(before, context)
  },
})

/** Result of `profile protect` and `profile unprotect`. */
export async function rulesResult({ z, required }: SchemaBuilders) {
  const { limitsSchema } = await import('../../../service/profile/store-schema.ts')
  return {
    document: z.object({
      name: required(z.string(), 'Name of the profile'),
      approval: required(z.nullable(z.literal('required')), 'null if scripts may change the service'),
      limits: required(z.nullable(limitsSchema), 'Limits of calls; null if there are none'),
    }),
  }
}

function withFlags(command: Command) {
  return command
    .addArgument(new Operand('<name>', 'Name of the profile').completes('profile'))
    .option('--require-approval', 'Encrypt the API key, and ask before changes to the service')
    .addOption(new Flag('--allow-number <pattern>', 'Allowed number, such as +1202555*').repeatable(collect))
    .option('--calls-per-day <n>', 'Maximum number of calls per day', integerParser(0, 1_000_000))
    .option('--hours <times>', 'Times of day for calls, such as 09:00-17:00')
    .option('--no-limits', 'Remove all limits')
}

type SetOptions = OptionsOf<typeof withFlags>
interface Rules {
  readonly approval?: 'required'
  readonly limits?: Limits | undefined
}

/** The rules after this command: flags that are not given leave theirs unchanged. @throws CallyardError `usage` */
function rulesOf(before: Profile, options: SetOptions): Rules {
  const { requireApproval, allowNumber: numbers, callsPerDay, hours, limits: keeps } = options
  const wrong = numbers?.find(number => !isNumberPattern(number))
  if (wrong !== undefined)
    throw new CallyardError('usage', `--allow-number ${wrong} is not a phone number or prefix`, {
      hint: 'use +12025550123, or +1202555* for a prefix',
    })
  if (hours !== undefined && readHours(hours) === undefined)
    throw new CallyardError('usage', `--hours ${hours} is not a time range`, {
      hint: 'use times such as 09:00-17:00 or 09:00-12:00,13:00-18:00',
    })
  const limits: Limits = {
    ...(keeps === false ? {} : before.limits),
    ...(numbers !== undefined && { numbers }),
    ...(callsPerDay !== undefined && { callsPerDay }),
    ...(hours !== undefined && { hours }),
    ...((hours !== undefined || callsPerDay !== undefined) && { timeZone: timeZoneOfMachine() }),
  }
  const isRequired =
    requireApproval === true || before.approval === 'required' || typeof before.apiKey !== 'string'
  return {
    ...(isRequired && { approval: 'required' }),
    ...(Object.keys(limits).length > 0 && { limits }),
  }
}

function withoutRules({ approval: _, limits: __, ...rest }: Profile): Profile {
  return rest
}

/**
 * The key as the profile will keep it. An encrypted key is bound to the limits, so a change of limits takes the passphrase.
 * @throws CallyardError `usage` or `unauthorized` without a terminal, `cancelled` if declined
 */
async function keyFor(
  name: string,
  before: Profile,
  { approval, limits }: Rules,
  context: Context,
): Promise<Profile['apiKey']> {
  const { baseUrl, apiKey } = before
  const { encryptKey, lockedKeyOf } = await loadEncryption()
  const locked = lockedKeyOf(name, before)
  if (locked !== undefined) {
    if (isDeepStrictEqual(limits, before.limits)) return apiKey
    const opened = await askPassphrase(locked, context.prompts)
    return encryptKey(opened.apiKey, opened.passphrase, { baseUrl, limits })
  }
  if (lowersLimits(before.limits, limits)) await confirmLowering(before, context)
  if (approval === undefined || typeof apiKey !== 'string') return apiKey
  return encryptWithNewPassphrase(apiKey, { baseUrl, limits }, context)
}

/** True unless each limit stays, or is new. */
function lowersLimits(before: Limits = {}, after: Limits = {}): boolean {
  return Object.entries(before).some(
    ([name, value]) => !isDeepStrictEqual(after[name as keyof Limits], value),
  )
}

/** Other profiles may have the same key in plain text. */
async function warnAboutCopies({ apiKey }: Profile, { env, output }: Context): Promise<void> {
  const { profiles } = await (await loadStore()).readProfiles(env)
  const copies = Object.keys(profiles).filter(other => profiles[other]?.apiKey === apiKey)
  if (copies.length > 0)
    output.warn(
      `profile ${copies.join(', ')} has the same key unencrypted`,
      `run callyard profile protect ${copies[0]} --require-approval, or remove it`,
    )
}

/** @throws CallyardError `usage` for a zone such as EST, which does not say when daylight-saving time begins */
function timeZoneOfMachine(): string {
  const timeZone = localTimeZone()
  if (isTimeZone(timeZone)) return timeZone
  throw new CallyardError('usage', `the time zone ${timeZone} of this machine cannot be used for limits`, {
    hint: 'set TZ to a region such as America/New_York for this command',
  })
}

function limitsText({ numbers, callsPerDay, hours, timeZone }: Limits): string {
  const limits = [
    ...(numbers === undefined ? [] : [`numbers ${numbers.join(', ')}`]),
    ...(callsPerDay === undefined ? [] : [`${callsPerDay} calls per day`]),
    ...(hours === undefined ? [] : [hours]),
  ].join('; ')
  return timeZone === undefined ? limits : `${limits} (${timeZone})`
}
