import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as joinPath, resolve } from 'node:path'
import { openTail, receiveOverHttp, type Tail } from '../../events/receive/index.ts'
import { createTranscriptPrinter, renderTailEvent } from '../../events/transcript/index.ts'
import { projectFileName } from '../../files/source/index.ts'
import { removeUnusedFolders } from '../../lib/fs/unused-folders.ts'
import { bold, dim, text, whole } from '../../lib/text/text.ts'
import { type Sandbox, startSandbox } from '../../sandbox/index.ts'
import { defineCommand } from '../shell/cli-command.ts'
import type { Context, Output } from '../shell/context.ts'
import { openClient } from '../shell/create-context.ts'
import { parsePace } from '../shell/flags/option-parsers.ts'
import { nextSteps, ownCommand } from '../shell/render/next-steps.ts'
import { apply } from './apply.ts'
import { startCall } from './call/start.ts'
import { plan } from './plan.ts'
import { starterProject } from './starter-project.ts'
import { throwTemporaryUnusable } from './temporary-files.ts'
import { writeProject } from './write-project.ts'

export const demoCommand = defineCommand({
  description: 'Watch an assistant take a call in a local sandbox',
  examples: ['callyard demo', 'callyard demo --pace 0 --json'],
  topics: ['sandbox'],
  effect: 'none',
  flags: command =>
    command.option('--pace <factor>', 'Speed factor; 1 is real time, 0 does not wait', parsePace, 4),
  async result({ z, eventSchema, objectList, required }) {
    const { changeSchemas } = await import('../../events/conversation/change-schemas.ts')
    const { summarySchema } = await import('../../events/receive/event-schemas.ts')
    return {
      event: z.union([
        eventSchema('step', {
          command: required(z.string(), 'Command line that was run'),
          result: required(z.unknown(), 'Its result'),
        }),
        ...changeSchemas,
        summarySchema,
        eventSchema('next', { commands: objectList({ command: z.string(), why: z.string() }) }),
      ]),
    }
  },
  /**
   * The whole story in one process: sandbox, project, plan, apply, call, live transcript, analysis. Everything is made by the
   * public commands' own code; only where they talk to is the demo's. `pace`: 1 is real time; 0 does not wait.
   */
  async run({ pace }, context) {
    const { clock, output, signal } = context
    const { uid } = context.files
    removeUnusedFolders(tmpdir(), { named: /^callyard-demo-\w{6}$/, before: clock.now() - keptDemoMs, uid })
    const folder = await mkdtemp(resolve(tmpdir(), 'callyard-demo-')).catch(throwTemporaryUnusable)
    await writeProject(folder, starterProject())
    const sandbox = await startSandbox({ port: 0, pace, clock })
    try {
      const source = receiveOverHttp({ host: '127.0.0.1', port: 0, path: '/', clock })
      const tail = await openTail({ source })
      try {
        output.note(text`The sandbox is running at\n  ${sandbox.baseUrl}\nIts files are in\n  ${folder}\n`)
        await placeCall(insideSandbox(context, sandbox, { folder, webhookUrl: tail.source.address }))
        await showCall(tail, output, signal)
      } finally {
        await tail.close()
      }
    } finally {
      await sandbox.close()
    }
    signal.throwIfAborted()
    showNextSteps(context, folder)
  },
  handlesSignal: () => true,
})

/** A week, because people may keep working in a demo project. */
const keptDemoMs = 7 * 24 * 60 * 60 * 1000

const numbers = { from: '+12025550100', to: '+12025550123' }
const caller = ['When are you open on Saturday?', 'And where is the workshop?', 'Thank you, goodbye.']

/** Creates everything that a call needs, and places it. */
async function placeCall(context: Context): Promise<void> {
  const { output } = context
  /** Shows a command line, runs it, and shows its result. */
  const step = async (commandLine: string, run: (context: Context) => Promise<void>) => {
    const command = `callyard ${commandLine}`
    const print: Output['result'] = (result, human) =>
      output.event(
        { kind: 'step', command, result },
        () => text`${whole(dim('$'), ' ', bold(command))}\n${human()}`,
      )
    // Only the command line and its result are shown; notes of apply would come before both.
    await run(context.with({ output: output.with({ result: print, note() {} }) }))
  }
  await step('plan', to => plan({}, to))
  await step('apply --yes', to => apply({ yes: true }, to))
  const options = { ...numbers, assistant: 'front-desk', var: { name: 'Ada' }, metadata: { caller } }
  await step(
    `call start --from ${numbers.from} --to ${numbers.to} --assistant ${options.assistant} --var name=Ada`,
    to => startCall({ ...options, timestamps: 'none', log: false }, to),
  )
  output.note('')
}

/** The context of a person in the demo's folder, whose profile is the demo's sandbox. */
function insideSandbox(
  outer: Context,
  { baseUrl, apiKey }: Sandbox,
  { folder, webhookUrl }: { readonly folder: string; readonly webhookUrl: string },
): Context {
  const api = openClient(async () => ({ baseUrl, apiKey }), outer.with({ env: {} }))
  const env = { WEBHOOK_URL: webhookUrl }
  return outer.with({
    // The demo wrote these files itself, and no phone rings: there is nothing that a person would have to allow.
    prompts: { ...outer.prompts, available: false, confirms: false },
    cwd: folder,
    env,
    options: { ...outer.options, baseUrl },
    settings: async () => ({
      profile: { value: 'sandbox', from: 'flag' },
      baseUrl: { value: baseUrl, from: 'profile' },
      apiKey: { value: apiKey, from: 'flag' },
      vocabulary: { value: {}, from: 'none' },
      project: { file: joinPath(folder, projectFileName), settings: {} },
    }),
    api: () => api,
  })
}

async function showCall(tail: Tail, output: Output, signal: AbortSignal): Promise<void> {
  const close = () => void tail.close()
  signal.addEventListener('abort', close, { once: true })
  const view = createTranscriptPrinter(output)
  for await (const event of tail.events) {
    if (event.kind !== 'ready' && event.kind !== 'ended' && event.kind !== 'doubt')
      output.event(event, () => renderTailEvent(event, view))
    if (event.kind === 'status' && event.ended === true) close()
  }
  signal.removeEventListener('abort', close)
}

/** Prints the next commands as this person can type them. */
function showNextSteps(context: Context, folder: string): void {
  const command = (words: string) => ownCommand(words, context)
  const next = [
    { command: command(`validate ${folder}`), why: 'check the demo’s files' },
    { command: command(`call chat ${folder}/assistants/front-desk.yaml`), why: 'be the caller' },
    { command: command('init desk'), why: 'a project of your own' },
    { command: command('sandbox start'), why: 'keep the service running' },
    { command: command('webhook tail'), why: 'receive what is said' },
    { command: command('help exit-codes'), why: 'what a script sees' },
  ]
  context.output.event({ kind: 'next', commands: next }, () => text`\n${nextSteps(next)}`)
}
