import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { Command } from '@commander-js/extra-typings'
import { expect, onTestFinished, test } from 'vitest'
import { openTailPage } from '../../../../src/cli/commands/webhook/open-sinks.ts'
import { withTailFlags } from '../../../../src/cli/commands/webhook/tail-flags.ts'
import { statusUpdate } from '../../../helpers/events.ts'
import { openHttpTail } from '../../../helpers/http-tail.ts'
import { listenOnLoopback } from '../../../helpers/loopback.ts'
import { testContext } from '../../../helpers/test-context.ts'

function open(
  host: string,
  {
    ui = true,
    context = testContext({ env: { CALLYARD_CONFIG_DIR: tmpdir() } }),
    targets = [] as string[],
  } = {},
) {
  const flags = withTailFlags(new Command()).parse([], { from: 'user' }).opts()
  return openTailPage(
    {
      ...flags,
      ...{ ui, host, path: '/hook', isSecretPath: false },
      requireHeader: undefined,
      targets: targets.map(url => ({ url, type: undefined, headers: {} })),
    },
    context.with({ options: { timeout: 50 } }),
  )
}

test('there is no page without --ui', async () => {
  expect(await open('192.0.2.1', { ui: false })).toBe(undefined)
})

test.each(['192.0.2.1', 'example.test', '2001:db8::1', '127.0.0.1.example.test', 'a.localhost'])(
  'rejects --host %s, which no local browser can reach by a local name',
  async host => {
    await expect(open(host)).rejects.toMatchObject({ kind: 'usage' })
  },
)

test.each(['127.0.0.1', '127.0.0.2', 'localhost', '::1', '0.0.0.0', '::'])(
  'with --host %s the page has its own address',
  async host => {
    const tailPage = await open(host)
    expect(tailPage?.path).toMatch(/^\/ui-[\w-]{32}\/$/)
    tailPage?.close()
  },
)

test.each(['127.0.0.1', '127.0.0.2', 'localhost', '0.0.0.0'])('with --host %s the page opens', async host => {
  const { page } = await listen(host)
  const answer = await fetch(page)
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('<title>callyard</title>')
})

test('a resent event gets the time of --timeout', async () => {
  const silent = await listenOnLoopback(createServer(() => {}))
  const { page, url } = await listen('127.0.0.1', [`${silent.origin}/hook`])
  await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(statusUpdate('c1', 'ongoing')),
  })
  // By hand: fetch chooses its own Origin.
  const answer = await new Promise<string>((resolve, reject) => {
    const asked = request(
      new URL('resend?call=1&event=1', page),
      {
        method: 'POST',
        headers: { origin: new URL(page).origin, 'content-type': 'application/json' },
      },
      async response => resolve(await text(response)),
    )
    asked.on('error', reject)
    asked.end()
  })
  expect(JSON.parse(answer)).toMatchObject({
    results: [{ url: `${silent.origin}/hook`, outcome: { reason: 'no response within 50 ms' } }],
  })
})

async function listen(host: string, targets: string[] = []) {
  const context = testContext({ env: { CALLYARD_CONFIG_DIR: tmpdir() } })
  const tailPage = await open(host, { context, targets })
  const tail = await openHttpTail({ host, port: 0, path: '/hook', clock: context.clock, watcher: tailPage })
  onTestFinished(async () => {
    tailPage?.close()
    await tail.close()
  })
  return { url: tail.url, page: new URL(tailPage?.path ?? '', tail.url).href }
}
