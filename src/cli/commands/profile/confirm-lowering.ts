import { CallyardError } from '../../../lib/error.ts'
import type { Profile } from '../../../service/profile/index.ts'
import type { Context } from '../../shell/context.ts'
import { assertTerminal } from '../approve/assert-terminal.ts'

/**
 * Asks the person at the terminal before the rules of a profile are lowered. Does nothing for a profile without rules.
 * @throws CallyardError `usage` without a terminal, `cancelled` if declined
 */
export async function confirmLowering(
  { approval, limits, baseUrl }: Profile,
  context: Context,
): Promise<void> {
  if (approval === undefined && limits === undefined) return
  assertTerminal('change-rules', context)
  const message = `This may weaken the protection of ${baseUrl}. Continue?`
  if (await context.prompts.confirm({ message, flag: 'approval' })) return
  throw new CallyardError('cancelled', 'cancelled; the profile is unchanged')
}
