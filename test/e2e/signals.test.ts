import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { gone } from '../helpers/alive.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { listenOnLoopback } from '../helpers/loopback.ts'
import { startBin } from '../helpers/run-bin.ts'
import { startInTerminal } from '../helpers/terminal.ts'

const body = z.object({ faq: z.array(z.object({ question: z.string(), answer: z.string() })) })

/** Stores requests, and responds to each batch once `mayAnswer` resolves for it. */
async function slowKnowledgeBase(mayAnswer: (batch: number) => Promise<void>) {
  const stored: string[] = []
  let batches = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    batches += 1
    const { faq } = body.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')))
    stored.push(...faq.map(({ question }) => question))
    await mayAnswer(batches)
    response.end(JSON.stringify({ faq: faq.map(entry => ({ ...entry, id: `id-of-${entry.question}` })) }))
  })
  return { stored, baseUrl: (await listenOnLoopback(server)).origin }
}

const question = (index: number) => `q${index}`

async function pushInterrupted(signal: NodeJS.Signals, { entries = 9, atBatch = 2 } = {}) {
  const folder = await temporaryFolder()
  const questions = Array.from({ length: entries }, (_, index) => question(index))
  await writeFile(
    join(folder, 'faq.yaml'),
    `knowledgeBaseId: kb\nfaq:\n${questions.map(each => `  - question: ${each}\n    answer: a\n`).join('')}`,
  )
  let onHeard = () => {}
  const heard = new Promise<void>(resolve => {
    onHeard = resolve
  })
  const service = await slowKnowledgeBase(async batch => {
    if (batch !== atBatch) return
    push.kill(signal)
    await heard
  })
  const push = startBin(['faq', 'push', 'faq.yaml', '--batch-size', '3'], {
    cwd: folder,
    env: {
      CALLYARD_CONFIG_DIR: folder,
      CALLYARD_BASE_URL: service.baseUrl,
      CALLYARD_API_KEY: 'key-of-the-test',
    },
  })
  let said = ''
  push.stderr?.on('data', chunk => {
    said += chunk
    if (said.includes('finishing the current batch')) onHeard()
  })
  const { exitCode, stderr } = await push
  return { exitCode, stderr, stored: service.stored, file: await readFile(join(folder, 'faq.yaml'), 'utf8') }
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s in faq push finishes the current batch, writes its ids and sends no other batch',
  async signal => {
    const { exitCode, stderr, stored, file } = await pushInterrupted(signal)
    expect(exitCode, stderr).toBe(130)
    expect(stderr).toContain('6 of 9 entries were pushed')
    expect(stored).toHaveLength(6)
    expect([...file.matchAll(/- id: id-of-(\S+)/g)].map(([, each]) => each)).toEqual(stored)
  },
)

test('Ctrl-C in the last batch of faq push completes it and stops a script at &&', async () => {
  const { exitCode, stored, file } = await pushInterrupted('SIGINT', { entries: 3, atBatch: 1 })
  expect(exitCode).toBe(130)
  expect([...file.matchAll(/- id: id-of-(\S+)/g)].map(([, each]) => each)).toEqual(stored)
})

/** A tail in a terminal, and the process id of a program of its --exec that ignores SIGTERM. */
async function tailWithProgram() {
  const folder = await temporaryFolder()
  let onStarted = (_pid: number) => {}
  const started = new Promise<number>(resolve => {
    onStarted = resolve
  })
  const home = await listenOnLoopback(
    createServer((request, response) => {
      onStarted(Number(request.url?.slice(1)))
      response.end()
    }),
  )
  const program = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); fetch('${home.origin}/' + process.pid)`
  const tail = startInTerminal(
    ['webhook', 'tail', '--port', '0', '--exec', `${process.execPath} -e "${program}"`],
    { cwd: folder, env: { CALLYARD_CONFIG_DIR: folder } },
  )
  await tail.shows(/http:\/\/127\.0\.0\.1:\d+/)
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(tail.screen)?.[1])
  const messages = [{ messageId: 'm-1', role: 'user', text: 'hello' }]
  const event = { message: { type: 'conversation-update', call: { id: 'CC-1' }, messages } }
  await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(event) })
  return { tail, program: await started }
}

test('closing the terminal ends a tail and its programs', async () => {
  const { tail, program } = await tailWithProgram()
  tail.close()
  await gone(tail.pid)
  await gone(program)
})

test('Ctrl-\\ ends a tail and its programs', async () => {
  const { tail, program } = await tailWithProgram()
  tail.type('\u001c')
  await tail.exitCode
  await gone(program)
})
