/** Help topics in the order of `help topics`. commands/help/topics/<name>.txt has the text, or the sections of a guide that are the text. */
export const topics = {
  flags: 'Flags accepted by every command',
  'exit-codes': 'Exit codes and retried requests',
  environment: 'Environment variables and precedence of settings',
  files: 'Resource files, references and the vocabulary',
  projects: 'Plan, apply, the lockfile and targets',
  rollback: 'Going back to earlier files, and older lockfiles',
  testing: 'Selecting tests, failures, watch mode and CI',
  'testing-models': 'Judge, simulated caller and live tests',
  'faq-push': 'Recovering a batch whose response was lost',
  shells: 'Completion in bash, zsh, fish and PowerShell',
  chat: 'Commands, scripts and transcripts of call chat',
  follow: 'Requirements, output and exit codes of --follow',
  'call-log': 'Listing, showing and controlling placed calls',
  batches: 'Calling a list of people',
  agents: 'Coding agents, approvals and limits of calls',
  tunnels: 'Public URLs and tunnels',
  filters: 'Selecting and formatting events',
  recording: 'Recording events and watching them in a browser',
  forwarding: 'Forwarding events to your server',
  exec: 'Running a command for each message',
  guards: 'Rules and alerts of --guard',
  replay: 'Selecting, pacing and resending recorded events',
  trigger: 'Sending and changing sample events',
  'odd-events': 'Irregular events sent by webhook trigger odd',
  relay: 'Publishing events for a team to NATS JetStream',
  transcripts: 'Transcripts and JSON of webhook show',
  metrics: 'Metrics and conditions of report',
  sandbox: 'Calls, callers, time, webhooks and phones',
  'sandbox-exec': 'Running a command with a temporary sandbox',
  'sandbox-records': 'Records, snapshots and remote access',
  'sandbox-replies': 'Replies, tools and analysis',
  'sandbox-fields': 'Support for other assistant fields',
  'sandbox-faults': 'Injecting faults into webhooks and requests',
  'sandbox-control': 'Control API: requests, clock and faults',
} as const

export type TopicName = keyof typeof topics

export const topicNames = Object.keys(topics).filter(isTopic)

/** True if a help topic has this name. */
export function isTopic(name: string): name is TopicName {
  return Object.hasOwn(topics, name)
}
