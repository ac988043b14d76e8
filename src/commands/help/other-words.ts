interface Answer {
  /** What people type: paths of commands that do not exist, with alternatives for the last word. */
  readonly typed: string
  /** Why there is no such command. */
  readonly message: string
  /** What there is instead. */
  readonly hint: string
}

const noSignIn = {
  message: 'there is no session to sign in to or out of: each request carries an API key',
  hint: 'save a base URL and a key: callwright profile add <name>; remove them: callwright profile remove <name>',
}
const lockfile =
  'what this project created is in callwright.lock.yaml; callwright plan compares it with the files'
const noCallLog = 'the service’s interface has no way to list or read calls'
const watchCalls =
  'watch calls as they happen: callwright webhook tail; read recorded ones: callwright webhook show <file>'

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
    hint: `${lockfile}; where your service can, ask it: callwright api GET /assistants/v1/assistants/<id>`,
  },
  {
    typed: 'assistant update|edit|set|patch|push|apply|replace|recreate|deploy',
    message: 'the service’s interface has no way to change an assistant',
    hint: 'in a project, edit its file and run callwright apply: it says what it can do instead (callwright help projects)',
  },
  {
    typed: 'assistant delete|rm|remove|destroy',
    message: 'the service’s interface has no way to delete an assistant',
    hint: 'where your service can, ask it: callwright api DELETE /assistants/v1/assistants/<id>',
  },
  {
    typed: 'assistant add|new|init',
    message: 'an assistant is created from a file, or by answering questions',
    hint: 'callwright assistant create [file]; a whole project: callwright init',
  },
  {
    typed: 'assistant chat|talk|call|test|try|run|start',
    message: 'an assistant is tried in a call',
    hint: 'in text: callwright call chat <file>; by phone: callwright call start --assistant <file>',
  },
  {
    typed: 'tool list|ls|find|search',
    message: 'the service’s interface has no way to list tools',
    hint: lockfile,
  },
  {
    typed: 'tool get|show|read|view|describe|inspect|pull|export',
    message: 'the service’s interface has no way to read a tool',
    hint: `${lockfile}; where your service can, ask it: callwright api GET /assistants/v1/tools/<id>`,
  },
  {
    typed: 'tool delete|rm|remove|destroy',
    message: 'the service’s interface has no way to delete a tool',
    hint: 'where your service can, ask it: callwright api DELETE /assistants/v1/tools/<id>',
  },
  {
    typed: 'tool edit|set|patch|push|apply',
    message: 'a tool is changed by a file of the fields to change',
    hint: 'callwright tool update <id> <file>; in a project: callwright apply',
  },
  {
    typed: 'tool add|new',
    message: 'a tool is created from a file',
    hint: 'callwright tool create <file>; a whole project: callwright init',
  },
  {
    typed: 'tool test|try|run|call|exec',
    message: 'a tool runs when an assistant calls it',
    hint: 'hold such a call in text: callwright call chat <file of the assistant>',
  },
  {
    typed: 'faq list|ls|pull|get|show|read|export|download|fetch|sync|search|ask',
    message: 'the service’s interface has no way to read FAQ entries',
    hint: 'the file is the source: callwright faq push <file> sends it; callwright call chat <file> asks it',
  },
  {
    typed: 'faq delete|rm|remove|clear',
    message: 'the service’s interface has no way to delete FAQ entries',
    hint: 'change an answer in the file and send it: callwright faq push <file>',
  },
  {
    typed: 'faq add|create|insert|new|update|edit|upload|import|apply',
    message: 'FAQ entries are added and changed in a file',
    hint: 'edit the file, then callwright faq push <file>; in a project: callwright apply',
  },
  {
    typed: 'call list|ls|get|show|read|log|logs|history|status|stat|inspect|view|search|export',
    message: noCallLog,
    hint: watchCalls,
  },
  {
    typed: 'call stop|end|hangup|cancel|kill|delete|rm|remove',
    message: 'the service’s interface has no way to end a call',
    hint: 'in the sandbox, a call’s control URL takes { "type": "hangup" }: callwright help sandbox',
  },
  {
    typed: 'call create|new|place|make|dial|ring|phone|add|outbound|run',
    message: 'a call is placed by its numbers, or by the id of a phone number',
    hint: 'callwright call start --from <number> --to <number>; callwright call connect --phone-number-id <id> --to <number>',
  },
  {
    typed: 'call follow|watch|tail|listen|monitor|stream',
    message: 'a call is followed from its start',
    hint: 'callwright call start --follow shows one call, callwright webhook tail all of them',
  },
  {
    typed: 'call say|talk|text|test|try',
    message: 'a call is held in text on a sandbox inside the command',
    hint: 'callwright call chat <file>',
  },
  {
    typed:
      'webhook listen|watch|start|serve|run|receive|stream|follow|logs|log|dev|monitor|forward|record|ui',
    message: 'one command receives webhook events, and records, forwards or shows them',
    hint: 'callwright webhook tail; with --record <file>, --forward <url>, --ui',
  },
  {
    typed: 'webhook list|ls|create|add|new|delete|rm|remove|update|set|get|register',
    message: 'the service keeps no list of webhooks: each assistant names its receiver',
    hint: 'set assistantServer.url in the assistant’s file; callwright webhook tail receives what is sent there',
  },
  {
    typed: 'webhook send|test|simulate|mock|post|emit|fire|try|resend|retry|redeliver|play',
    message: 'events are made up by one command, and sent again by another',
    hint: 'callwright webhook trigger call --to <url>; callwright webhook replay <file> --to <url>',
  },
  {
    typed: 'sandbox stat|stop|end|kill|quit|shutdown|down|restart|status|list|ls|logs|log|reset',
    message: 'a sandbox runs in its terminal: it prints its log there, and ends there',
    hint: 'press Ctrl-C where callwright sandbox start runs; start it with --memory for one without records',
  },
  {
    typed: 'sandbox run|serve|up|listen|dev|open|create|new|init|launch',
    message: 'a sandbox is started, and saves itself as a profile',
    hint: 'callwright sandbox start',
  },
  {
    typed: 'profile rm|delete|forget|clear|logout',
    message: 'a profile and its key are removed from this machine alone',
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
  { typed: 'login|logout|signin|signout|auth|authenticate|register|signup', ...noSignIn },
  {
    typed: 'whoami|me|account|status|info|env|context',
    message: 'whom a request comes from is what the profile says',
    hint: 'callwright profile show',
  },
  {
    typed: 'config|configure|settings|set|get|setup|key|keys',
    message: 'settings are in callwright.yaml, in profiles and in environment variables',
    hint: 'callwright profile show says which are in use; callwright help environment says what wins',
  },
  {
    typed: 'listen|receive|watch|follow|monitor|stream|forward|record|tunnel|ui|events|hook|hooks|proxy',
    message: 'one command receives what the service sends during calls',
    hint: 'callwright webhook tail; with --forward <url>, --record <file>, --tunnel, --ui',
  },
  {
    typed: 'chat|talk|say|speak|converse',
    message: 'a conversation with an assistant is a call, held in text',
    hint: 'callwright call chat <file>',
  },
  {
    typed: 'logs|log|history|transcript|transcripts|conversations|recordings',
    message: noCallLog,
    hint: watchCalls,
  },
  {
    typed: 'play|rerun|resend|redeliver',
    message: 'recorded events are printed or sent again by one command',
    hint: 'callwright webhook replay <file>; with --to <url> it sends them',
  },
  {
    typed: 'dial|ring|phone',
    message: 'a call is placed by its numbers',
    hint: 'callwright call start --from <number> --to <number>',
  },
  {
    typed: 'serve|server|dev|up|run|local|mock|emulator|emulators|simulate|simulator',
    message: 'the service runs on this machine as a sandbox',
    hint: 'callwright sandbox start; to see it all at once: callwright demo',
  },
  {
    typed: 'stop|down|kill|exit|quit',
    message: 'no command runs in the background',
    hint: 'press Ctrl-C where callwright sandbox start or callwright webhook tail runs',
  },
  {
    typed: 'push|deploy|publish|release|sync|up|upload|save',
    message: 'a project is sent to the service by one command',
    hint: 'callwright plan shows what would change, callwright apply does it; FAQ alone: callwright faq push <file>',
  },
  {
    typed: 'pull|fetch|import|export|download|clone',
    message: 'the service’s interface has no way to read assistants, tools or FAQ entries',
    hint: 'the files of the project are the source: callwright plan, callwright apply',
  },
  {
    typed: 'diff|changes|preview',
    message: 'what would change is shown by plan',
    hint: 'callwright plan',
  },
  {
    typed: 'ls|list|search|find',
    message: 'the service’s interface has no way to list what it holds',
    hint: `${lockfile}; callwright profile list shows profiles`,
  },
  {
    typed: 'rm|remove|delete|destroy|prune',
    message: 'the service’s interface has no way to delete anything',
    hint: 'to forget a resource: callwright help projects; to remove a profile: callwright profile remove <name>',
  },
  {
    typed: 'new|generate|scaffold|bootstrap|example|examples|template',
    message: 'a new project is written by init',
    hint: 'callwright init <folder>',
  },
  {
    typed: 'lint|check|verify|validation|fmt|format|test|tests',
    message: 'files are checked offline by validate, conversations tried by call chat',
    hint: 'callwright validate .; callwright call chat <file>',
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
