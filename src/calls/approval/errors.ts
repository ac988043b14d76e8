import { CallyardError } from '../../lib/error.ts'

export const requestAgain = 'ask the agent to request it again'

export const requestChanged = (approval: string) =>
  new CallyardError(
    'conflict',
    `files or settings of request ${approval} have changed since it was made; nothing was sent`,
    { code: 'request-changed', hint: requestAgain, details: { approval } },
  )
