import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { seededRandom } from '../../src/lib/deterministic.ts'

/**
 * Writes a project of the size that people have: 40 assistants, 60 tools, 12 knowledge bases of 300 entries and 200 tests of conversations,
 * which pass; `times` as many of all of them but the entries of a knowledge base. The same files in every run.
 */
export async function writeTypicalProject(folder: string, times = 1): Promise<void> {
  for (const [name, text] of Object.entries(typicalProject(times))) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

/** One test of each assistant of such a project. */
export function oneTestEach(): string[] {
  return desks(1).map(desk => testFile(desk, subjects[0] ?? ''))
}

const cities = ['boston', 'denver', 'austin', 'seattle', 'chicago', 'portland', 'madison', 'oakland']
const roles = ['front-desk', 'workshop', 'rentals', 'billing', 'after-hours']
const verbs = ['book', 'move', 'cancel', 'check', 'confirm', 'find', 'order', 'send', 'report', 'request']
const nouns = ['appointment', 'delivery', 'invoice', 'repair', 'rental', 'quote']
const subjects = ['brakes', 'rental', 'prices', 'delivery', 'goodbye']
/** One for each knowledge base. */
const products = [
  ...['cargo bike', 'road bike', 'mountain bike', 'folding bike', 'tandem', 'recumbent'],
  ...['trailer', 'child seat', 'unicycle', 'scooter', 'gravel bike', 'commuter bike'],
]
const parts = [
  ...[
    'brakes',
    'chain',
    'saddle',
    'pedals',
    'headlight',
    'rear wheel',
    'front wheel',
    'gears',
    'lock',
    'bell',
  ],
  ...['basket', 'tires', 'handlebar', 'fork', 'battery', 'display', 'charger', 'mudguards', 'rack', 'stand'],
]
const questions: readonly (readonly [ask: (part: string, product: string) => string, category: string])[] = [
  [(part, product) => `How much does it cost to replace the ${part} of a ${product}?`, 'prices'],
  [(part, product) => `How long does a repair of the ${part} of a ${product} take?`, 'repairs'],
  [(part, product) => `Do you have the ${part} for a ${product} in stock?`, 'stock'],
  [(part, product) => `Is the ${part} of a new ${product} under warranty?`, 'warranty'],
  [(part, product) => `Which brands of ${part} fit a ${product}?`, 'stock'],
  [(part, product) => `Can I bring my own ${part} for my ${product}?`, 'repairs'],
  [(part, product) => `How often should the ${part} of a ${product} be serviced?`, 'service'],
  [(part, product) => `What should I do if the ${part} of my ${product} makes a noise?`, 'service'],
  [(part, product) => `Can you upgrade the ${part} of a used ${product}?`, 'upgrades'],
  [(part, product) => `How do I clean the ${part} of a ${product}?`, 'service'],
  [(part, product) => `Where can I return the ${part} of a ${product}?`, 'returns'],
  [(part, product) => `Does the ${part} of a ${product} come with a manual?`, 'sales'],
  [(part, product) => `Are spare screws for the ${part} of a ${product} free?`, 'prices'],
  [(part, product) => `Who made the ${part} of the ${product} in your window?`, 'sales'],
  [(part, product) => `May I try another ${part} on a rented ${product}?`, 'rentals'],
]
const random = seededRandom(52)

interface Desk {
  readonly index: number
  readonly city: string
  readonly role: string
}

function desks(times: number): Desk[] {
  return Array.from({ length: 40 * times }, (_, index) => {
    const branch = Math.floor(index / roles.length)
    const city = numbered(cities[branch % cities.length] ?? '', Math.floor(branch / cities.length))
    return { index, city, role: roles[index % roles.length] ?? '' }
  })
}

/** `boston`, then `boston-2`. */
function numbered(name: string, index: number): string {
  return index === 0 ? name : `${name}-${index + 1}`
}

function typicalProject(times: number): Record<string, string> {
  const size = { tools: 60 * times, bases: products.length * times }
  const indexes = (length: number) => Array.from({ length }, (_, index) => index)
  return Object.fromEntries([
    ['callyard.yaml', projectText],
    ['prompts/style.md', styleText],
    ...indexes(size.tools).map(index => [`tools/${toolName(index)}.yaml`, toolText(index)]),
    ...indexes(size.bases).map(index => [`knowledge-bases/${baseName(index)}.yaml`, baseText(index)]),
    ...desks(times).flatMap(desk => [
      [`assistants/${desk.city}/${desk.role}.yaml`, assistantText(desk, size)],
      ...subjects.map((subject, number) => [testFile(desk, subject), testText(desk, subject, number, size)]),
    ]),
  ])
}

interface Size {
  readonly tools: number
  readonly bases: number
}

/** Indexes of the tools and knowledge bases of a desk. */
function toolsOf({ index }: Desk, { tools }: Size): number[] {
  return [index * 3, index * 3 + 1, index * 3 + 2].map(tool => tool % tools)
}

function basesOf({ index }: Desk, { bases }: Size): number[] {
  return [index, index + 5].map(base => base % bases)
}

const projectText = `# Settings of the project. Deployed by the pipeline of the main branch.
assistants: replace
`

const styleText = `Speak in short sentences. Be friendly, but do not chat.
If you do not know something, say so, and offer a call back.
Never promise a price that is not in the knowledge base.
If somebody asks, say that you are an AI assistant.
`

function toolName(index: number): string {
  const word = index % 60
  return numbered(
    `${verbs[word % verbs.length]}-${nouns[Math.floor(word / verbs.length)]}`,
    Math.floor(index / 60),
  )
}

function functionName(tool: string): string {
  return tool.replaceAll('-', '_')
}

function baseName(index: number): string {
  const product = (products[index % products.length] ?? '').replaceAll(' ', '-')
  return numbered(product, Math.floor(index / products.length))
}

function toolText(index: number): string {
  const name = toolName(index)
  const [verb, noun] = name.split('-')
  return `# Called by the assistants of all branches. The server is in the repository "calendar".
type: function
async: ${random('async', index) < 0.2}
function:
  name: ${functionName(name)}
  description: Used when the caller wants to ${verb} the ${noun}
  parameters:
    type: object
    properties:
      day:
        type: string
        format: date
        description: Day of the ${noun}
      customerNumber:
        type: string
        description: Number on the card of the customer
    required: [day]
messages:
  - type: request-start
    content: One moment, I am looking at the ${noun}.
  - type: request-failed
    content: I cannot reach our calendar at the moment.
server:
  url: https://calendar.example.com/v2/${name}
  timeoutSeconds: ${5 + Math.floor(random('timeout', index) * 15)}
`
}

function question(base: number, entry: number): string {
  const [ask] = questions[Math.floor(entry / parts.length)] ?? []
  const product = numbered(products[base % products.length] ?? '', Math.floor(base / products.length))
  return ask?.(parts[entry % parts.length] ?? '', product) ?? ''
}

/** Begins the answer, and is in no other. */
function answerStart(base: number, entry: number): string {
  const price = Math.floor(random('price', base, entry) * 90) + 10
  return `Note ${base * 300 + entry + 1}: ask for item ${price}`
}

function baseText(index: number): string {
  const entries = Array.from({ length: questions.length * parts.length }, (_, entry) => {
    const days = 1 + Math.floor(random('days', index, entry) * 9)
    const [, category] = questions[Math.floor(entry / parts.length)] ?? []
    return `  - question: ${question(index, entry)}
    answer: "${answerStart(index, entry)}. We usually need ${days} days, and we send a message when it is ready. Please bring it before noon, with the number on your card, so that we can begin on the same day. You do not need an appointment for this."
    category: ${category}
`
  })
  return `# Kept by the shop: questions from the counter and from the phone.
knowledgeBaseId: ${baseName(index)}
faq:
${entries.join('')}`
}

function assistantText(desk: Desk, size: Size): string {
  const list = (kind: string, names: readonly string[]) =>
    names.map(name => `  - \${${kind}:${name}}\n`).join('')
  const { index, city, role } = desk
  return `# ${city}: ${role}
name: ${city} ${role}
welcomeMessage: Hello {{name}}, this is the AI ${role} of Spoke and Chain in ${city}. How can I help?
assistantSystemPrompt: |
  You are the ${role} of a bicycle shop in ${city}, which sells, rents and repairs.
  Answer in one or two short sentences.

  - Ask for the number on the customer's card before you use a tool.
  - The shop is open Monday to Friday from nine to six, and on Saturday until one.
  - Offer a call back after ${2 + (index % 3)} questions without an answer.
assistantToolIds:
${list('tool', toolsOf(desk, size).map(toolName))}assistantPredefinedTools:
  knowledgeBase: true
  endCall: true
assistantKnowledgeBaseIds:
${list('kb', basesOf(desk, size).map(baseName))}idleTimeout: ${15 + (index % 3) * 5}
maxCallDuration: 10
endCallPhrases: [goodbye, that is all]
endCallMessage: Thank you for calling. Goodbye!
assistantAnalysis:
  summary: { enabled: true }
  successEvaluation: { enabled: true, rubric: NumericScale }
assistantServer:
  url: \${env:WEBHOOK_URL:-https://hooks.example.com/${city}}
  messages: [status-update, conversation-update, tool-started, tool-ended]
assistantOverrides:
  dynamicVariables:
    name: there
    style: \${file:../../prompts/style.md}
`
}

function testFile({ city, role }: Desk, subject: string): string {
  return `tests/${city}/${role}/${subject}.test.yaml`
}

function testText(desk: Desk, subject: string, number: number, size: Size): string {
  const { index, city, role } = desk
  const base = basesOf(desk, size)[number % 2] ?? 0
  const entries = [0, 1].map(turn => Math.floor(random('entry', index, number, turn) * 300))
  const tool = toolName(toolsOf(desk, size)[number % 3] ?? 0)
  const [verb, noun] = tool.split('-')
  return `# ${city}, ${role}: ${subject}
name: ${subject} at the ${role} in ${city}
assistant: ${city}/${role}
tags: [${role}]
variables: { name: Ada }
tools:
  ${tool}: { returns: { ok: true, time: "10:40" }, after: 1s }
turns:
  - expect: { says: Hello Ada }
${entries
  .map(
    entry => `  - user: ${question(base, entry)}
    expect:
      says: "${answerStart(base, entry)}"
      knows: ${question(base, entry)}
      within: 2s
      words: "<= 60"
`,
  )
  .join('')}  - user: Please ${verb} the ${noun} for Friday
    expect:
      says: looking at the ${noun}
      calls: { ${tool}: { day: 2026-01-02 } }
  - user: That is all
    expect: { ends: assistant }
expect: { calls: [${tool}], duration: "<= 2m", interruptions: 0 }
`
}
