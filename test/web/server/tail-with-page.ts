import { type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { openPage } from '../../../src/web/index.ts'
import { openHttpTail } from '../../helpers/http-tail.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { pageFigures } from '../page-figures.ts'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface AskOptions {
  readonly method?: string
  /** Host among them: what a browser lets no page choose. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A tail with a page, asked by hand. */
export async function openTailWithPage(options: Partial<Parameters<typeof openPage>[0]> = {}) {
  const tailPage = await openPage({
    clock: realClock,
    targets: [],
    hints: { forward: '', trigger: '', pageCommand: '' },
    figures: pageFigures,
    ...options,
  })
  const tail = await openHttpTail({
    host: '127.0.0.1',
    port: 0,
    path: '/',
    clock: realClock,
    watcher: tailPage,
  })
  onTestFinished(async () => {
    tailPage.close()
    await tail.close()
  })
  const ask = (path: string, options?: AskOptions) => askPort(tail.port, path, options)
  const post = (event: unknown) =>
    ask('/', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(event) })
  const origin = `http://127.0.0.1:${tail.port}`
  return { tailPage, tail, ask, post, origin }
}

/** Sends a request to a port of this machine, with any headers. */
export function askPort(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body }: AskOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const clientRequest = request({ host: '127.0.0.1', port, path, method, headers }, async answer =>
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) }),
    )
    clientRequest.on('error', reject)
    clientRequest.end(body)
  })
}
