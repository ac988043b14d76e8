/** Every command of a chat and what it does, in the order of /help. */
export const chatCommands = {
  '/hangup': 'hang up',
  '/say-nothing 10': 'say nothing for ten seconds',
  '/interrupt text': 'say it while the assistant speaks',
  '/keys 12#': 'press keys',
  '/restart': 'hang up, read the files again, and place a new call',
  '/vars': 'list the variables that are set, and those that are not',
  '/help': 'list these commands',
} as const
