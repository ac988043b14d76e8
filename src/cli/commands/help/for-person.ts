/**
 * Commands that place or control calls, change the service, delete records, or decide which service is used. A coding agent leaves them
 * to the person in charge: `callyard help --json` marks them, the skill lists them, and no error suggests one to a program.
 */
export const commandsForPerson: readonly string[] = [
  'callyard apply',
  'callyard assistant create',
  'callyard tool create',
  'callyard tool update',
  'callyard faq push',
  'callyard call start',
  'callyard call connect',
  'callyard call say',
  'callyard call hangup',
  'callyard batch run',
  'callyard batch resume',
  'callyard batch add',
  'callyard batch remove',
  'callyard batch retry',
  'callyard batch cancel',
  'callyard call log prune',
  'callyard webhook relay positions remove',
  'callyard sandbox import',
  'callyard approve',
  'callyard profile add',
  'callyard profile set-key',
  'callyard profile protect',
  'callyard profile unprotect',
  'callyard profile use',
  'callyard profile remove',
  'callyard api',
]

/** True if a coding agent must leave this command to a person. */
export function isForPerson(commandPath: string): boolean {
  return commandsForPerson.includes(commandPath)
}
