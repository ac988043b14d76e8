import type { Command } from '@commander-js/extra-typings'
import { isNumberPattern } from '../../approval/index.ts'
import { defineCommand } from '../../cli/cli-command.ts'
import { Flag, type OptionsOf } from '../../cli/flags/flag.ts'
import { collect, integerParser } from '../../cli/flags/option-parsers.ts'
import { readHours } from '../../interface/batch.ts'
import { CallwrightError } from '../../lib/error.ts'
import { bold, dim, join, text } from '../../lib/text/text.ts'
import { type Limits, loadConf, loadStore, type Profile } from '../../profile/index.ts'
import { confirmLowering } from './confirm-lowering.ts'

export const profileProtectCommand = defineCommand({
  description: 'Protect a service: require approval of changes, or limit calls',
  summary: 'Protect a service: require approval, or limit calls',
  examples: [
    'callwright profile protect work --require-approval',
    'callwright profile protect work --allow-number +1202555* --calls-per-day 20 --hours 09:00-17:00',
  ],
  topics: ['agents'],
  flags: withFlags,
  result: async () => (await import('./results.ts')).profileProtectResult,
  async run(options, context, [name]) {
    const { env, output } = context
    const store = await loadStore()
    const before = store.findProfile((await store.readProfiles(env)).profiles, name)
    const rules = rulesOf(before, options)
    if (lowers(before, rules)) await confirmLowering(before, context)
    const { saveRules } = await loadConf()
    for (const warning of (await saveRules(env, name, rules)).warnings) output.warn(warning)
    const { approval = null, limits = null } = rules
    output.result({ name, approval, limits }, () =>
      join(
        [
          text`${bold(name)} (${before.baseUrl})`,
          text`${dim('Approval')}  ${approval ?? 'not required'}`,
          text`${dim('Limits')}    ${limits === null ? 'none' : limitsText(limits)}`,
        ],
        '\n',
      ),
    )
  },
})

function withFlags(command: Command) {
  return command
    .argument('<name>', 'Name of the profile')
    .option('--require-approval', 'A person approves what changes something at the service')
    .option('--no-require-approval', 'Scripts with the key may change it')
    .addOption(
      new Flag('--allow-number <pattern>', 'Number that may be called, such as +1202555*').repeatable(
        collect,
      ),
    )
    .option('--calls-per-day <n>', 'Maximum number of calls a day', integerParser(0, 1_000_000))
    .option('--hours <times>', 'Times of day for calls, such as 09:00-17:00')
    .option('--no-limits', 'Remove all limits')
}

type SetOptions = OptionsOf<typeof withFlags>
type Rules = Pick<Profile, 'approval' | 'limits'>

/** The rules after this command: flags that are not given leave theirs unchanged. @throws CallwrightError `usage` */
function rulesOf(before: Rules, options: SetOptions): Rules {
  const { requireApproval, allowNumber: numbers, callsPerDay, hours, limits: keeps } = options
  const wrong = numbers?.find(each => !isNumberPattern(each))
  if (wrong !== undefined)
    throw new CallwrightError('usage', `--allow-number ${wrong} is not a number or its beginning`, {
      hint: 'use +12025550123, or +1202555* for all numbers that begin so',
    })
  if (hours !== undefined && readHours(hours) === undefined)
    throw new CallwrightError('usage', `--hours ${hours} is not a range of times`, {
      hint: 'use times such as 09:00-17:00 or 09:00-12:00,13:00-18:00',
    })
  const limits: Limits = {
    ...(keeps === false ? {} : before.limits),
    ...(numbers !== undefined && { numbers }),
    ...(callsPerDay !== undefined && { callsPerDay }),
    ...(hours !== undefined && { hours }),
  }
  const isRequired = requireApproval ?? before.approval === 'required'
  return {
    ...(isRequired && { approval: 'required' }),
    ...(Object.keys(limits).length > 0 && { limits }),
  }
}

/** True unless each rule stays, or is new. */
function lowers(before: Rules, after: Rules): boolean {
  if (before.approval === 'required' && after.approval === undefined) return true
  return Object.entries(before.limits ?? {}).some(
    ([name, value]) => JSON.stringify(after.limits?.[name as keyof Limits]) !== JSON.stringify(value),
  )
}

function limitsText({ numbers, callsPerDay, hours }: Limits): string {
  return [
    ...(numbers === undefined ? [] : [`numbers ${numbers.join(', ')}`]),
    ...(callsPerDay === undefined ? [] : [`${callsPerDay} calls a day`]),
    ...(hours === undefined ? [] : [hours]),
  ].join('; ')
}
