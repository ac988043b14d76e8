import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import type { AttackResult, AttackTools } from './attack.ts'

const calls = 5

/**
 * Kills `webhook tail --record --forward` while events come, and starts it again with --resume. Every event that it has
 * acknowledged must be in the recording once, and must reach the server; a delivery that a kill cut off may arrive twice.
 */
export async function killTails(kills: number, tools: AttackTools): Promise<AttackResult[]> {
  const cwd = await tools.folder()
  const config = await tools.folder()
  const arrived: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    arrived.push(...tokensIn(Buffer.concat(chunks).toString('utf8')))
    response.end('{}')
  }).on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  tools.onEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const target = `http://127.0.0.1:${port}/hook`
  const acknowledged: string[] = []
  let sent = 0

  async function tail(work: (url: string, kill: () => void) => Promise<void>): Promise<void> {
    const flags = ['--port', '0', '--record', 'calls.ndjson', '--forward', target, '--resume']
    const child = execa(process.execPath, [tools.bin, 'webhook', 'tail', ...flags], {
      cwd,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, CALLYARD_CONFIG_DIR: config },
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    })
    tools.onEnd(() => child.kill('SIGKILL'))
    let said = ''
    const url = await new Promise<string>((resolve, reject) => {
      const look = (chunk: Buffer) => {
        said += chunk
        const found = /Listening until Ctrl-C on\s+(http:\/\/127\.0\.0\.1:\d+\/)/.exec(said)?.[1]
        if (found !== undefined) resolve(found)
      }
      child.stdout.on('data', look)
      child.stderr.on('data', look)
      child.on('exit', () => reject(new Error(`the tail ended: ${said}`)))
    })
    await work(url, () => child.kill('SIGKILL'))
    child.kill('SIGINT')
    await child
  }

  async function post(url: string, call: number): Promise<boolean> {
    sent += 1
    const token = `event-${sent}-end`
    const messages = [{ messageId: token, role: 'user', text: 'one two '.repeat(100) }]
    const event = { message: { type: 'conversation-update', call: { id: `CC-${call}` }, messages } }
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(event) }).catch(() => undefined)
    if (answer?.status === 200) acknowledged.push(token)
    return answer !== undefined
  }

  for (let killed = 0; killed < kills; killed += 1) {
    await tail(async (url, kill) => {
      setTimeout(kill, 5 + Math.random() * 200)
      const one = async (call: number) => {
        while (await post(url, call));
      }
      await Promise.all(Array.from({ length: calls }, (_, call) => one(call)))
    })
  }
  await tail(async () => undefined)

  const recorded = tokensIn(await readFile(join(cwd, 'calls.ndjson'), 'utf8'))
  const row = (name: string, found: readonly string[]) => ({
    what: `kill ${name}`,
    attacks: kills,
    lost: missing(acknowledged, found),
    doubled: found.length - new Set(found).size,
    late: 0,
    detail: `${acknowledged.length} events acknowledged`,
  })
  return [
    row('webhook tail --record', recorded),
    { ...row('webhook tail --forward', arrived), allowedDoubled: kills * calls },
  ]
}

function tokensIn(text: string): string[] {
  return text.match(/event-\d+-end/g) ?? []
}

function missing(wanted: readonly string[], found: readonly string[]): number {
  const there = new Set(found)
  return wanted.filter(each => !there.has(each)).length
}
