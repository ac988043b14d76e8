/**
 * Closed word lists of the interface that flags offer as choices. They stand apart from the schemas so that the command
 * tree can name them without loading zod.
 */

/** interface.md 4.2: outbound is started by the assistant, inbound by the user. */
export const directions = ['inbound', 'outbound'] as const

/** The kinds of file, by the name that --kind and `schema` take. */
export const kindNames = [
  'assistant',
  'inline-assistant',
  'tool',
  'tool-update',
  'knowledge-base',
  'overrides',
  'call-start',
  'call-connect',
  'project',
] as const

export type KindName = (typeof kindNames)[number]
