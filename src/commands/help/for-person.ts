/**
 * Commands that place or control calls, change the service, delete records, or decide which service is used. A coding agent leaves them
 * to the person in charge: `callwright help --json` marks them, the skill lists them, and no error suggests one to a program.
 */
export const commandsForPerson: readonly string[] = [
  'callwright apply',
  'callwright assistant create',
  'callwright tool create',
  'callwright tool update',
  'callwright faq push',
  'callwright call start',
  'callwright call connect',
  'callwright call say',
  'callwright call hangup',
  'callwright call batch run',
  'callwright call batch resume',
  'callwright call batch add',
  'callwright call batch remove',
  'callwright call batch retry',
  'callwright call batch cancel',
  'callwright call log prune',
  'callwright webhook relay positions remove',
  'callwright sandbox import',
  'callwright approve',
  'callwright profile add',
  'callwright profile set-key',
  'callwright profile protect',
  'callwright profile unprotect',
  'callwright profile use',
  'callwright profile remove',
  'callwright api',
]

/** True if a coding agent must leave this command to a person. */
export function isForPerson(commandPath: string): boolean {
  return commandsForPerson.includes(commandPath)
}
