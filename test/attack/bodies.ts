import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { execa } from 'execa'
import { recordedBytes } from '../../src/events/recordings/index.ts'
import { type OddBody, oddBodies } from '../events/receive/odd-bodies.ts'
import type { Attack } from './attack.ts'

const events = 2000
const bombs = 50
const lateMs = 2000
const bombBytes = 256 * 1024 ** 2

/**
 * Sends events whose bodies have every odd form, and decompression bombs among them. Each event must be acknowledged, printed once
 * and recorded byte by byte; each bomb must be refused, and must not delay the events.
 */
export const bodies: Attack = {
  about: 'bodies in odd encodings, and decompression bombs',
  async run({ bin, folder, onEnd }) {
    const cwd = await folder()
    const argv = ['webhook', 'tail', '--port', '0', '--json', '--quiet', '--record', 'calls.ndjson']
    const child = execa(process.execPath, [bin, ...argv], {
      cwd,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, CALLYARD_CONFIG_DIR: await folder() },
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
      buffer: false,
    })
    onEnd(() => child.kill('SIGKILL'))
    const printed = new Map<string, number>()
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', line => {
        const event = JSON.parse(line)
        if (event.kind === 'ready') resolve(event.url)
        if (event.kind === 'message') printed.set(event.text, (printed.get(event.text) ?? 0) + 1)
      })
      child.on('exit', () => reject(new Error('the tail ended')))
    })
    const spaces = Buffer.alloc(bombBytes, ' ')
    const [gzip, brotli] = [gzipSync(spaces), brotliCompressSync(spaces)]
    const kinds = [
      { headers: { 'content-encoding': 'gzip' }, body: gzip },
      { headers: { 'content-encoding': 'br' }, body: brotli },
      { headers: { 'content-encoding': 'gzip, gzip' }, body: gzipSync(gzip) },
      { headers: {}, body: Buffer.from(`[${'{},'.repeat(3_000_000)}{}]`) },
    ]
    const sent: { readonly text: string; readonly body: Buffer }[] = []
    let rejected = 0
    let accepted = 0
    let late = 0
    for (let number = 0; number < events; number++) {
      const text = `event-${number} Grüße`
      const odd = oddBody(number, text)
      const started = performance.now()
      if ((await post(url, odd)) === 200) sent.push({ text, body: odd.body })
      else rejected++
      if (performance.now() - started > lateMs) late++
      if (number % (events / bombs) > 0) continue
      const bomb = kinds[sent.length % kinds.length]
      if (bomb !== undefined && (await post(url, bomb)) === 200) accepted++
    }
    child.kill('SIGINT')
    await child
    const recorded = new Map<string, number>()
    for (const line of (await readFile(join(cwd, 'calls.ndjson'), 'utf8')).trimEnd().split('\n')) {
      const bytes = recordedBytes(JSON.parse(line)).toString('base64')
      recorded.set(bytes, (recorded.get(bytes) ?? 0) + 1)
    }
    const missing = sent.filter(
      ({ text, body }) => !printed.has(text) || !recorded.has(body.toString('base64')),
    )
    const twice = [...printed.values(), ...recorded.values()].filter(count => count > 1)
    return [
      {
        what: 'bodies in odd encodings',
        attacks: events,
        lost: rejected + missing.length,
        doubled: twice.length,
        late,
        detail: `${bombs} bombs between them, ${accepted} accepted; late: more than ${lateMs} ms`,
      },
    ]
  },
}

function oddBody(number: number, text: string): OddBody {
  const messages = [{ messageId: `m-${number}`, role: 'user', text }]
  const event = { message: { type: 'conversation-update', call: { id: `CC-${number % 7}` }, messages } }
  const all = oddBodies(event)
  return all[number % all.length] as OddBody
}

function post(
  url: string,
  { headers, body }: Pick<OddBody, 'headers' | 'body'>,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: 'POST', headers }, response => {
      response.resume()
      resolve(response.statusCode)
    })
    sending.on('error', reject).end(body)
  })
}
