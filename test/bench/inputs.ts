import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface ProjectSize {
  readonly assistants: number
  readonly tools: number
  readonly knowledgeBases: number
  /** Entries of each knowledge base, without ids because they are new. */
  readonly entries: number
}

/** A project: each assistant refers to one of the tools and one of the knowledge bases, where there are any. */
export async function writeProject(folder: string, size: ProjectSize): Promise<void> {
  const { assistants, tools, knowledgeBases, entries } = size
  const files = new Map([['callyard.yaml', '{}\n']])
  for (let index = 0; index < tools; index++) files.set(`tools/tool-${index}.yaml`, toolText(index))
  for (let index = 0; index < knowledgeBases; index++)
    files.set(`knowledge-bases/kb-${index}.yaml`, knowledgeBaseText(`kb-${index}`, entries))
  for (let index = 0; index < assistants; index++) {
    files.set(
      `assistants/assistant-${index}.yaml`,
      assistantText(index) +
        (tools === 0 ? '' : `assistantToolIds: ["\${tool:tool-${index % tools}}"]\n`) +
        (knowledgeBases === 0 ? '' : `assistantKnowledgeBaseIds: ["\${kb:kb-${index % knowledgeBases}}"]\n`),
    )
  }
  for (const [name, text] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

/** 100,000 entries are 16 MB. With ids, which a push has written, they are known to the service. */
export function knowledgeBaseText(id: string, entries: number, { withIds = false } = {}): string {
  const lines = Array.from({ length: entries }, (_, entry) => {
    const known = withIds ? `id: known-${id}-${entry}\n    ` : ''
    return `  - ${known}question: When is the workshop open on day ${entry}, and who is there?\n    answer: On day ${entry} it is open from nine to six; the front desk knows who is there.\n`
  })
  return `knowledgeBaseId: ${id}\nfaq:\n${lines.join('')}`
}

function toolText(index: number): string {
  return `# Books an appointment.
type: function
function:
  name: tool-${index}
  description: Books an appointment for the caller, and says when it is.
  parameters:
    type: object
    properties:
      day: { type: string, description: The day as YYYY-MM-DD }
      time: { type: string, description: The time as HH:MM }
    required: [day, time]
server: { url: https://tools.example.com/${index}, timeoutSeconds: 10 }
messages:
  - type: request-start
    content: One moment, please.
`
}

function assistantText(index: number): string {
  return `name: assistant-${index}
welcomeMessage: Hello, this is desk ${index}. How can I help?
assistantSystemPrompt: |
  You are the front desk of a bicycle workshop, number ${index}.
  Answer in one or two short sentences. Never promise a price.
idleTimeout: 20
assistantPredefinedTools: { knowledgeBase: true, endCall: true }
endCallPhrases: [goodbye, that is all]
assistantServer: { url: https://hooks.example.com/${index} }
`
}

/** A recording of 1,000 concurrent calls: 100,000 events, 89 MB. Half of them are growing updates. */
export async function writeRecording(
  file: string,
  { calls = 1000, eventsPerCall = 100, withTimes = false } = {},
): Promise<void> {
  const output = createWriteStream(file)
  const headers = { 'content-type': 'application/json' }
  for (let event = 0; event < eventsPerCall; event++) {
    const lines = Array.from({ length: calls }, (_, call) => {
      const at = new Date(Date.UTC(2026, 2, 1, 10) + event * 1000 + call).toISOString()
      const body = eventText(call, event, eventsPerCall, { withTimes })
      return `${JSON.stringify({ kind: 'recorded', version: 1, at, headers, body })}\n`
    })
    if (!output.write(lines.join(''))) await once(output, 'drain')
  }
  output.end()
  await once(output, 'close')
}

/** The body of an event of a call: growing updates and, in turn, a type that callyard does not know. The last one is the end. */
export function eventText(
  call: number,
  event: number,
  eventsPerCall: number,
  { withTimes = false } = {},
): string {
  const isEnd = event === eventsPerCall - 1
  const type = isEnd ? 'status-update' : event % 2 === 0 ? 'conversation-update' : 'speech-update'
  const messages = Array.from({ length: 1 + Math.floor(event / 10) }, (_, index) => ({
    messageId: `m-${call}-${index}`,
    role: index % 2 === 0 ? 'assistant' : 'user',
    text: `Line ${index} of call ${call}: we are open from nine to six.`,
    ...(withTimes && { timestamp: new Date(Date.UTC(2026, 2, 1, 10) + index * 6000 + call).toISOString() }),
  }))
  const words = { spoken: `Words ${event} of call ${call}: `.repeat(28) }
  return JSON.stringify({
    message: {
      type,
      call: {
        id: `CC-${String(call).padStart(8, '0')}`,
        direction: 'outbound',
        status: isEnd ? 'finished' : 'ongoing',
      },
      ...(type === 'conversation-update' ? { messages } : words),
    },
  })
}
