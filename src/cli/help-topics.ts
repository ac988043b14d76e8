/** What `callwright help <topic>` has, in the order of `help topics`. The texts stand in topics/<name>.txt. */
export const topics = {
  flags: 'Flags that every command takes',
  'exit-codes': 'What a script sees when a command ends',
  environment: 'Environment variables, and what wins over what',
  files: 'Resource files, references, the vocabulary',
  projects: 'Plan, apply, the lockfile, targets',
  testing: 'Which tests run, failures, watching, CI',
  'testing-models': 'Judge, simulated caller, live tests',
  'faq-push': 'A batch whose answer was lost, and its ids',
  shells: 'Completions in bash, zsh, fish and PowerShell',
  chat: 'Commands, scripts and saved transcripts of call chat',
  follow: 'What --follow needs, prints and ends with',
  tunnels: 'How the service reaches a listener here',
  filters: 'Which events are shown, and how',
  recording: 'What --record and --ui keep and show',
  forwarding: 'How --forward passes events on',
  exec: 'How --exec runs a program for each message',
  replay: 'How a recording is read, paced and sent',
  trigger: 'How events are made up, and what is printed',
  'odd-events': 'The events that webhook trigger odd sends',
  transcripts: 'What webhook show prints, and its JSON',
  sandbox: 'Calls, the caller, time, webhooks, records',
  'sandbox-exec': 'A program with a sandbox of its own',
  'sandbox-records': 'Snapshots, and a sandbox beyond this machine',
  'sandbox-replies': 'Who answers, tools and analysis',
  'sandbox-fields': 'What the other fields of an assistant do',
  'sandbox-faults': 'Faults that the sandbox makes on request',
  'sandbox-control': 'Requests, clock, faults, snapshots over HTTP',
} as const

export type TopicName = keyof typeof topics

export const topicNames = Object.keys(topics).filter(isTopic)

/** Whether there is a help topic of this name. */
export function isTopic(name: string): name is TopicName {
  return Object.hasOwn(topics, name)
}
