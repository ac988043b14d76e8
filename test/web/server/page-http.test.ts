import { expect, test } from 'vitest'
import { refusePageRequest } from '../../../src/web/server/page-http.ts'
import { openTailWithPage } from './tail-with-page.ts'

const routes = [
  '',
  'page.js',
  'page.css',
  'search?q=a',
  'body?call=1&event=1',
  'address?target=1',
  'events',
  'resend',
  'nothing',
]

test('serves the page, its script and its style separately with a policy for only these', async () => {
  const { tailPage, ask } = await openTailWithPage()
  for (const [name, type, body] of [
    ['', 'text/html; charset=utf-8', /^<!doctype html>/],
    ['page.js', 'text/javascript; charset=utf-8', /document/],
    ['page.css', 'text/css; charset=utf-8', /body \{/],
  ] as const) {
    expect(await ask(tailPage.path + name)).toMatchObject({
      ...{ status: 200, body: expect.stringMatching(body) },
      headers: { 'content-type': type },
    })
    expect(await ask(tailPage.path + name, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
  }
})

test('sends the policy with every response, including rejections', async () => {
  const { tailPage, ask } = await openTailWithPage()
  for (const name of routes.filter(route => route !== 'events')) {
    for (const host of [undefined, 'evil.example.test']) {
      const { headers } = await ask(tailPage.path + name, host === undefined ? {} : { headers: { host } })
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      })
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'/,
      )
      expect(headers['content-security-policy']).not.toContain('unsafe')
      expect(Object.keys(headers).filter(header => header.startsWith('access-control'))).toEqual([])
    }
  }
})

test('responds to a wrong path as to any other path', async () => {
  const { tailPage, ask } = await openTailWithPage()
  const elsewhere = await ask('/elsewhere')
  const shape = ({ status, body, headers }: Awaited<ReturnType<typeof ask>>) => ({
    status,
    body,
    headers: { ...headers, date: '' },
  })
  for (const path of [
    `/ui-${'A'.repeat(31)}/`,
    `/ui-${'A'.repeat(33)}/`,
    tailPage.path.slice(0, -1),
    `${tailPage.path.toUpperCase()}`,
    `/x${tailPage.path}`,
    '/ui-/',
    '/favicon.ico',
  ])
    expect(shape(await ask(path))).toEqual(shape(elsewhere))
  expect(tailPage.path).toMatch(/^\/ui-[\w-]{32}\/$/)
  expect((await openTailWithPage()).tailPage.path).not.toBe(tailPage.path)
})

test('the path of another run shows the page without events, to local browsers only', async () => {
  const { tailPage, ask, origin } = await openTailWithPage()
  const last = tailPage.path.at(-2) === 'A' ? 'B' : 'A'
  const shape = ({ status, body }: Awaited<ReturnType<typeof ask>>) => ({ status, body })
  for (const path of [`/ui-${'A'.repeat(32)}/`, `${tailPage.path.slice(0, -2)}${last}/`]) {
    expect(await ask(path)).toMatchObject({ status: 200, body: expect.stringContaining('<!doctype html>') })
    expect(await ask(`${path}page.js`)).toMatchObject({ status: 200 })
    for (const name of ['events', 'search?q=a', 'body?call=1&event=1', 'address?target=1', 'resend'])
      expect(await ask(path + name)).toMatchObject({ status: 404 })
    for (const headers of [{ 'x-forwarded-for': '192.0.2.1' }, { host: 'evil.example.test' }])
      expect(shape(await ask(path, { headers }))).toEqual(shape(await ask('/elsewhere', { headers })))
    const post = { method: 'POST', headers: { origin, 'content-type': 'application/json' }, body: '{}' }
    expect(shape(await ask(path, post))).toEqual(shape(await ask('/elsewhere', post)))
  }
})

test('serves nothing else below the path', async () => {
  const { tailPage, ask } = await openTailWithPage()
  for (const name of ['x', 'page.js/', '../', '%2e%2e/', 'constructor', '__proto__', 'Page.js'])
    expect(await ask(tailPage.path + name)).toMatchObject({ status: 404 })
})

test('accepts only local names with the listener’s port', async () => {
  const { tailPage, ask, tail } = await openTailWithPage()
  for (const name of ['127.0.0.1', '127.0.0.2', '127.255.1.9', 'localhost', 'LocalHost', '[::1]'])
    expect(await ask(tailPage.path, { headers: { host: `${name}:${tail.port}` } })).toMatchObject({
      status: 200,
    })
  for (const host of [
    `evil.example.test:${tail.port}`,
    'localhost',
    `localhost:${tail.port + 1}`,
    `localhost.evil.example.test:${tail.port}`,
    `127.0.0.1.evil.example.test:${tail.port}`,
    `0.0.0.0:${tail.port}`,
    `localhost.:${tail.port}`,
    // Some browsers ask a name server for it.
    `a.localhost:${tail.port}`,
    `128.0.0.1:${tail.port}`,
    `user@localhost:${tail.port}`,
  ])
    for (const name of routes)
      expect(await ask(tailPage.path + name, { headers: { host } })).toMatchObject({ status: 403 })
})

test('rejects another Origin and requests caused by another site', async () => {
  const { tailPage, ask, tail, origin } = await openTailWithPage()
  expect(await ask(tailPage.path, { headers: { origin } })).toMatchObject({ status: 200 })
  for (const other of [
    'null',
    'https://evil.example.test',
    `https://127.0.0.1:${tail.port}`,
    `http://localhost:${tail.port}`,
    `http://127.0.0.1:${tail.port + 1}`,
    `${origin}.evil.example.test`,
  ])
    expect(await ask(tailPage.path, { headers: { origin: other } })).toMatchObject({ status: 403 })
  for (const site of ['same-origin', 'none'])
    expect(await ask(tailPage.path, { headers: { 'sec-fetch-site': site } })).toMatchObject({ status: 200 })
  for (const site of ['cross-site', 'same-site', 'unheard-of'])
    expect(await ask(tailPage.path, { headers: { 'sec-fetch-site': site } })).toMatchObject({ status: 403 })
})

test.each([
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'cf-connecting-ip',
  'cf-ray',
  'true-client-ip',
  'via',
])('rejects what came through a proxy with %s', async name => {
  const { tailPage, ask } = await openTailWithPage()
  for (const route of routes)
    expect(await ask(tailPage.path + route, { headers: { [name]: '192.0.2.1' } })).toMatchObject({
      status: 403,
    })
})

test('only resend accepts a POST, which must be JSON and come from the page', async () => {
  const { tailPage, ask, origin } = await openTailWithPage()
  const path = `${tailPage.path}resend?call=1&event=1`
  const json = { 'content-type': 'application/json' }
  const body = '{}'
  expect(await ask(path, { method: 'POST', headers: json, body })).toMatchObject({ status: 403 })
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])
    expect(
      await ask(path, { method: 'POST', headers: { origin, 'content-type': type }, body }),
    ).toMatchObject({ status: 415 })
  expect(await ask(path, { method: 'POST', headers: { origin }, body })).toMatchObject({ status: 415 })
  for (const query of ['', '?', '?x', '?call=1', '?call=x&event=1', '?call=1&event=-1', '?call=1&event=1'])
    expect(
      await ask(`${tailPage.path}resend${query}`, { method: 'POST', headers: { origin, ...json }, body }),
    ).toMatchObject({ status: 404 })
  expect(await ask(path)).toMatchObject({ status: 405, headers: { allow: 'POST' } })
  expect(await ask(tailPage.path, { method: 'POST', headers: { origin, ...json }, body })).toMatchObject({
    status: 405,
  })
  for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'])
    expect(await ask(tailPage.path, { method })).toMatchObject({ status: 405 })
})

test('rejects another machine with any headers', () => {
  const judge = (remoteAddress: string | undefined) =>
    refusePageRequest({
      method: 'GET',
      headers: { host: 'localhost:4011' },
      socket: { remoteAddress, localPort: 4011 },
    })?.status
  for (const address of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])
    expect(judge(address)).toBe(undefined)
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '::', '2001:db8::1', '1.127.0.0.1', '', undefined])
    expect(judge(address)).toBe(403)
})

test('rejects a request without Host', () => {
  const socket = { remoteAddress: '127.0.0.1', localPort: 4011 }
  for (const headers of [{}, { host: '' }, { host: '', origin: 'http://' }])
    expect(refusePageRequest({ method: 'GET', headers, socket })).toMatchObject({ status: 403 })
})

test('rejections of the page do not count as bad requests of the tail', async () => {
  const { tailPage, ask, tail } = await openTailWithPage()
  await ask(tailPage.path, { headers: { 'x-forwarded-for': '192.0.2.1' } })
  await ask(`${tailPage.path}nothing`)
  await tail.close()
  const events = []
  for await (const event of tail.events) events.push(event)
  expect(events.at(-1)).toMatchObject({ kind: 'summary', badRequests: 0 })
})
