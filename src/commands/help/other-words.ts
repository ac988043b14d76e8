interface Answer {
  /** What people type: paths of commands that do not exist, with alternatives for the last word. */
  readonly typed: string
  /** Why there is no such command. */
  readonly message: string
  /** What there is instead. */
  readonly hint: string
}

const lockfile = 'callwright.lock.yaml lists what this project created (callwright plan)'
const calls = 'live: callwright webhook tail; recorded: callwright webhook show <file>'

/** Words that people try, from other tools or from habit, and what there is instead. Not for typing errors. */
const answers: readonly Answer[] = [
  {
    typed: 'assistant list|ls|find|search',
    message: 'the service’s interface has no way to list assistants',
    hint: lockfile,
  },
  {
    typed: 'assistant get|show|read|view|describe|inspect|pull|export',
    message: 'the service’s interface has no way to read an assistant',
    hint: 'if yours has one: callwright api GET /assistants/v1/assistants/<id>',
  },
  {
    typed: 'assistant update|edit|set|patch|push|apply|replace|recreate|deploy',
    message: 'the service’s interface has no way to change an assistant',
    hint: 'edit its file and run callwright apply (callwright help projects)',
  },
  {
    typed: 'assistant delete|rm|remove|destroy',
    message: 'the service’s interface has no way to delete an assistant',
    hint: 'if yours has one: callwright api DELETE /assistants/v1/assistants/<id>',
  },
  {
    typed: 'assistant add|new|init',
    message: 'an assistant is created from a file, or by answering questions',
    hint: 'callwright assistant create [file]',
  },
  {
    typed: 'assistant chat|talk|call|test|try|run|start',
    message: 'an assistant is tried in a call',
    hint: 'callwright call chat <file>, or callwright call start --assistant <file>',
  },
  {
    typed: 'tool list|ls|find|search',
    message: 'the service’s interface has no way to list tools',
    hint: lockfile,
  },
  {
    typed: 'tool get|show|read|view|describe|inspect|pull|export',
    message: 'the service’s interface has no way to read a tool',
    hint: 'if yours has one: callwright api GET /assistants/v1/tools/<id>',
  },
  {
    typed: 'tool delete|rm|remove|destroy',
    message: 'the service’s interface has no way to delete a tool',
    hint: 'if yours has one: callwright api DELETE /assistants/v1/tools/<id>',
  },
  {
    typed: 'tool edit|set|patch|push|apply',
    message: 'a tool is changed by a file of the fields to change',
    hint: 'callwright tool update <id> <file>; in a project: callwright apply',
  },
  {
    typed: 'tool add|new|recreate',
    message: 'a tool is created from a file',
    hint: 'callwright tool create <file>',
  },
  {
    typed: 'tool test|try|run|call|exec',
    message: 'a tool runs when an assistant calls it',
    hint: 'callwright call chat <file of the assistant>',
  },
  {
    typed: 'faq list|ls|pull|get|show|read|export|download|fetch|sync',
    message: 'the service’s interface has no way to read FAQ entries',
    hint: 'the file is the source: callwright faq push <file> sends it',
  },
  {
    typed: 'faq ask|search|query|test|try',
    message: 'the FAQ is asked in a call',
    hint: 'callwright call chat <file of the assistant>',
  },
  {
    typed: 'faq delete|rm|remove|clear',
    message: 'the service’s interface has no way to delete FAQ entries',
    hint: 'change the answer in the file: callwright faq push <file>',
  },
  {
    typed: 'faq add|create|insert|new|update|edit|upload|import|apply',
    message: 'FAQ entries are added and changed in a file',
    hint: 'edit the file, then callwright faq push <file>',
  },
  {
    typed: 'call list|ls|get|show|read|log|logs|history|status|stat|inspect|view|search|export',
    message: 'the service’s interface has no way to list or read calls',
    hint: calls,
  },
  {
    typed: 'call stop|end|hangup|cancel|kill|delete|rm|remove',
    message: 'the service’s interface has no way to end a call',
    hint: 'the sandbox has a control URL for each call: callwright help sandbox',
  },
  {
    typed: 'call create|new|place|make|dial|ring|phone|add|outbound|run',
    message: 'a call is placed by its numbers, or by a phone number id',
    hint: 'callwright call start --help, callwright call connect --help',
  },
  {
    typed: 'call follow|watch|tail|listen|monitor|stream',
    message: 'a call is followed from its start',
    hint: 'callwright call start --follow; all calls: callwright webhook tail',
  },
  {
    typed: 'call say|talk|text|test|try',
    message: 'a call is held in text on a sandbox of its own',
    hint: 'callwright call chat <file>',
  },
  {
    typed:
      'webhook listen|watch|start|serve|run|receive|stream|follow|logs|log|dev|monitor|forward|record|ui',
    message: 'one command receives webhook events',
    hint: 'callwright webhook tail; with --record <file>, --forward <url>, --ui',
  },
  {
    typed: 'webhook list|ls|create|add|new|delete|rm|remove|update|set|get|register',
    message: 'the service keeps no list of webhooks: each assistant names its receiver',
    hint: 'set assistantServer.url in the file of the assistant',
  },
  {
    typed: 'webhook send|test|simulate|mock|post|emit|fire|try|resend|retry|redeliver|play',
    message: 'events are made up by trigger, and sent again by replay',
    hint: 'callwright webhook trigger --help, callwright webhook replay --help',
  },
  {
    typed: 'sandbox stat|stop|end|kill|quit|shutdown|down|restart|status|list|ls|logs|log|reset',
    message: 'a sandbox runs in a terminal, logs there and ends there',
    hint: 'press Ctrl-C where callwright sandbox start runs',
  },
  {
    typed: 'sandbox run|serve|up|listen|dev|open|create|new|init|launch',
    message: 'a sandbox has one command: start',
    hint: 'callwright sandbox start',
  },
  {
    typed: 'profile rm|delete|forget|clear|logout',
    message: 'a profile and its key are removed from this machine',
    hint: 'callwright profile remove <name>',
  },
  {
    typed: 'profile get|current|whoami|view|info|describe|status',
    message: 'the profile in use is shown with where each setting comes from',
    hint: 'callwright profile show',
  },
  {
    typed: 'profile set|switch|select|change|activate|default',
    message: 'one profile is in use at a time',
    hint: 'callwright profile use <name>; for one command: --profile <name>',
  },
  {
    typed: 'profile create|new|update|edit|save|login|configure|init|import',
    message: 'a profile is saved under a name, and saved again to change it',
    hint: 'callwright profile add <name>',
  },
  {
    typed: 'login|signin|auth|authenticate|register|signup',
    message: 'there is no sign-in: each request carries an API key',
    hint: 'save a base URL and a key: callwright profile add <name>',
  },
  {
    typed: 'logout|signout',
    message: 'there is no sign-in: each request carries an API key',
    hint: 'remove a saved key: callwright profile remove <name>',
  },
  {
    typed: 'whoami|me|account|status|info|context',
    message: 'where requests go, and with whose key, is in the profile',
    hint: 'callwright profile show',
  },
  {
    typed: 'config|configure|settings|set|get|setup|env|key|keys',
    message: 'settings are in callwright.yaml, profiles and environment variables',
    hint: 'callwright profile show; callwright help environment',
  },
  {
    typed: 'listen|receive|watch|follow|monitor|stream|forward|record|tunnel|ui|events|hook|hooks|proxy',
    message: 'one command receives what the service sends',
    hint: 'callwright webhook tail; with --forward <url>, --record <file>, --ui',
  },
  {
    typed: 'chat|talk|say|speak|converse',
    message: 'a conversation with an assistant is a call, held in text',
    hint: 'callwright call chat <file>',
  },
  {
    typed: 'logs|log|history|transcript|transcripts|conversations|recordings',
    message: 'the service’s interface has no way to list or read calls',
    hint: calls,
  },
  {
    typed: 'dial|ring|phone',
    message: 'a call is placed by its numbers',
    hint: 'callwright call start --from <number> --to <number>',
  },
  {
    typed: 'play|rerun|resend|redeliver',
    message: 'recorded events are printed or sent again by one command',
    hint: 'callwright webhook replay <file>; to send them: --to <url>',
  },
  {
    typed: 'serve|server|dev|run|local|mock|emulator|emulators|simulate|simulator',
    message: 'the service runs on this machine as a sandbox',
    hint: 'callwright sandbox start; to see it all at once: callwright demo',
  },
  {
    typed: 'stop|down|kill|exit|quit',
    message: 'no command runs in the background',
    hint: 'press Ctrl-C where callwright sandbox start or webhook tail runs',
  },
  {
    typed: 'push|deploy|publish|release|sync|up|upload|save',
    message: 'one command brings the service up to date with a project',
    hint: 'callwright apply, after callwright plan; FAQ alone: callwright faq push',
  },
  {
    typed: 'pull|fetch|import|export|download|clone',
    message: 'the service’s interface has no way to read what it holds',
    hint: 'the project’s files are the source: callwright plan, callwright apply',
  },
  {
    typed: 'diff|changes|preview',
    message: 'what would change is shown by plan',
    hint: 'callwright plan',
  },
  {
    typed: 'ls|list|search|find',
    message: 'the service’s interface has no way to list what it holds',
    hint: lockfile,
  },
  {
    typed: 'rm|remove|delete|destroy|prune',
    message: 'the service’s interface has no way to delete anything',
    hint: 'callwright apply --forget <address>; callwright profile remove <name>',
  },
  {
    typed: 'new|generate|scaffold|bootstrap|example|examples|template',
    message: 'a new project is written by init',
    hint: 'callwright init <folder>',
  },
  {
    typed: 'lint|check|verify|validation|fmt|format',
    message: 'files are checked offline by validate',
    hint: 'callwright validate .',
  },
  {
    typed: 'test|tests|try',
    message: 'a conversation is tried in text, files are checked offline',
    hint: 'callwright call chat <file>; callwright validate .',
  },
  {
    typed: 'kb|knowledge|knowledge-base|knowledge-bases|faqs|questions',
    message: 'the entries of a knowledge base are sent from a file',
    hint: 'callwright faq push <file>',
  },
]

const byTyped = new Map(
  answers.flatMap(answer => alternatives(answer.typed).map(typed => [typed, answer] as const)),
)

/** Every path that has an answer, such as `assistant list`. */
export const otherWords: readonly string[] = [...byTyped.keys()]

/** What to say to a person who typed the path of a command that does not exist. */
export function answerTo(path: string): Pick<Answer, 'message' | 'hint'> | undefined {
  return byTyped.get(path)
}

/** `faq list|pull` → `faq list`, `faq pull`. */
function alternatives(typed: string): string[] {
  const words = typed.split(' ')
  const last = words.pop() ?? ''
  return last.split('|').map(word => [...words, word].join(' '))
}
