import type { TopicName } from '../../cli/help-topics.ts'
import agents from './topics/agents.txt'
import batches from './topics/batches.txt'
import callLog from './topics/call-log.txt'
import chat from './topics/chat.txt'
import environment from './topics/environment.txt'
import exec from './topics/exec.txt'
import exitCodes from './topics/exit-codes.txt'
import faqPush from './topics/faq-push.txt'
import files from './topics/files.txt'
import filters from './topics/filters.txt'
import flags from './topics/flags.txt'
import follow from './topics/follow.txt'
import forwarding from './topics/forwarding.txt'
import guards from './topics/guards.txt'
import metrics from './topics/metrics.txt'
import oddEvents from './topics/odd-events.txt'
import projects from './topics/projects.txt'
import recording from './topics/recording.txt'
import relay from './topics/relay.txt'
import replay from './topics/replay.txt'
import sandbox from './topics/sandbox.txt'
import sandboxControl from './topics/sandbox-control.txt'
import sandboxExec from './topics/sandbox-exec.txt'
import sandboxFaults from './topics/sandbox-faults.txt'
import sandboxFields from './topics/sandbox-fields.txt'
import sandboxRecords from './topics/sandbox-records.txt'
import sandboxReplies from './topics/sandbox-replies.txt'
import shells from './topics/shells.txt'
import testing from './topics/testing.txt'
import testingModels from './topics/testing-models.txt'
import transcripts from './topics/transcripts.txt'
import trigger from './topics/trigger.txt'
import tunnels from './topics/tunnels.txt'

/** The text of every topic: at most 60 lines of 80 columns. */
export const topicTexts = {
  flags,
  'exit-codes': exitCodes,
  environment,
  files,
  projects,
  testing,
  'testing-models': testingModels,
  'faq-push': faqPush,
  shells,
  chat,
  follow,
  'call-log': callLog,
  batches,
  agents,
  tunnels,
  filters,
  recording,
  forwarding,
  exec,
  guards,
  replay,
  trigger,
  'odd-events': oddEvents,
  relay,
  transcripts,
  metrics,
  sandbox,
  'sandbox-control': sandboxControl,
  'sandbox-exec': sandboxExec,
  'sandbox-records': sandboxRecords,
  'sandbox-replies': sandboxReplies,
  'sandbox-fields': sandboxFields,
  'sandbox-faults': sandboxFaults,
} as const satisfies Record<TopicName, string>
