import { type Advice, suggest } from '../../shell/advice.ts'

interface Instead extends Advice {
  readonly message: string
}

const noSignIn = 'there is no sign-in: each request carries an API key'

/** Under commands that people type out of habit from other tools: the reason why there are none, and the ones to use. */
const table: Readonly<Record<string, Instead>> = {
  'login|signin|auth|signup': {
    message: noSignIn,
    ...suggest`save a base URL and a key: ${['profile', 'add', '<name>']}`,
  },
  'logout|signout': { message: noSignIn, ...suggest`remove a saved key: ${['profile', 'remove', '<name>']}` },
  'whoami|status|info': {
    message: 'where requests go, and with whose key, is in the profile',
    ...suggest`${['profile', 'show']}`,
  },
  'config|configure|set|get|env': {
    message: 'settings are in callyard.yaml, profiles and environment variables',
    ...suggest`${['profile', 'show']}; ${['help', 'environment']}`,
  },
  'assistant list|ls|get|show|update|edit|delete|rm': {
    message: 'the service’s interface can create assistants, and nothing else',
    ...suggest`change its file: ${['apply']}; to see what it would do: ${['plan']}`,
  },
  'listen|forward|events|tunnel|watch': {
    message: 'one command receives what the service sends',
    ...suggest`${['webhook', 'tail']}; with --forward <url>, --record <file>, --ui`,
  },
  'logs|log|history': {
    message: 'the service’s interface has no way to list or read calls',
    ...suggest`live: ${['webhook', 'tail']}; recorded: ${['webhook', 'show', '<file>']}`,
  },
  'call status|stat|get|watch|follow': {
    message: 'a call is shown with its transcript',
    ...suggest`${['call', 'show', '<id>']}, or --last; live: ${['webhook', 'tail']}`,
  },
  'dial|ring': {
    message: 'a call is placed by its numbers',
    ...suggest`${['call', 'start', '--from', '<number>', '--to', '<number>']}`,
  },
  'push|deploy|sync|up': {
    message: 'one command brings the service up to date with a project',
    ...suggest`${['apply']}, after ${['plan']}; FAQ alone: ${['faq', 'push']}`,
  },
  'pull|fetch|ls|list': {
    message: 'the service’s interface has no way to read what it holds',
    ...suggest`the project’s files are the source: ${['plan']}, ${['apply']}`,
  },
  'revert|undo|rollback|restore': {
    message: 'earlier files are applied with the current lockfile',
    ...suggest`${['help', 'rollback']}`,
  },
}

/** The same by each command. */
export const otherWords: ReadonlyMap<string, Instead> = new Map(
  Object.entries(table).flatMap(([typed, instead]) => {
    const [, noun = '', verbs = ''] = /^(.* )?(.*)$/.exec(typed) ?? []
    return verbs.split('|').map(verb => [noun + verb, instead] as const)
  }),
)
