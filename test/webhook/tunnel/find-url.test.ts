import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createOutputLines } from '../../../src/lib/process/output-lines.ts'
import { createUrlChoice, findUrls } from '../../../src/webhook/tunnel/tunnel-life.ts'
import { presetNamed } from '../../../src/webhook/tunnel/tunnel-program.ts'

const port = 4011

function urlOf(line: string, pattern?: RegExp): string | undefined {
  const choice = createUrlChoice()
  for (const url of findUrls(line, { port, pattern })) choice.add(url)
  return choice.best
}

test.each([
  ['your url is: https://calm-fox-1.example.test', 'https://calm-fox-1.example.test'],
  ['Forwarding  https://a.example.test -> http://localhost:4011', 'https://a.example.test'],
  ['http://localhost:4011 <- http://a.example.test:8080/x/', 'http://a.example.test:8080/x'],
  ['http://a.example.test and https://a.example.test', 'https://a.example.test'],
  ['http://127.0.0.1:4040 is the inspector of http://a.example.test', 'http://a.example.test'],
  ['(see https://a.example.test/path_(one)).', 'https://a.example.test/path_(one)'],
  ['"https://a.example.test", \'https://b.example.test\'', 'https://b.example.test'],
  ['https://a.example.test,https://b.example.test', 'https://b.example.test'],
  ['HTTPS://A.Example.Test/', 'https://a.example.test'],
  ['https://a.example.test/?token=1#top', 'https://a.example.test'],
  ['│ https://a.example.test │', 'https://a.example.test'],
  ['\x1b[1mhttps://\x1b[32ma.example.test\x1b[0m', 'https://a.example.test'],
  ['Forwarding\x1b[10Chttps://a.example.test\x1b[Khttp://localhost:4011', 'https://a.example.test'],
  ['\x1b]8;;https://a.example.test\x1b\\here\x1b]8;;\x1b\\', 'https://a.example.test'],
  ['\x1b]0;title https://t.example.test\x07https://a.example.test', 'https://a.example.test'],
  ['http://127.0.0.2:4012', 'http://127.0.0.2:4012'],
  ['http://[2001:db8::1]:8080/', 'http://[2001:db8::1]:8080'],
])('in %j', (line, url) => expect(urlOf(line)).toBe(url))

test.each([
  'Listening on http://localhost:4011/',
  'http://127.0.0.1:4011 http://[::1]:4011 http://0.0.0.0:4011',
  'https://user:secret@a.example.test',
  'https://',
  'ws://a.example.test',
  'ready',
])('none in %j', line => expect(urlOf(line)).toBeUndefined())

test('by a pattern: its first group, the whole match, and a host without a scheme', () => {
  const line = 'docs: https://docs.example.test; tunnel a.example.test is up, see http://b.example.test.'
  expect(urlOf(line, /tunnel (\S+)/)).toBe('https://a.example.test')
  expect(urlOf(line, /see \S+/)).toBe('http://b.example.test')
  expect(urlOf(line, /nothing/)).toBeUndefined()
})

test.each([
  [
    'cloudflared',
    [
      '2026-01-05T12:00:00Z INF Thank you for trying Cloudflare Tunnel. (https://www.cloudflare.com/website-terms/)',
      'failed to request quick Tunnel: Post "https://api.trycloudflare.com/tunnel": timeout',
      '2026-01-05T12:00:01Z INF |  https://seasonal-deck-organisms-sf.trycloudflare.com            |',
    ],
    'https://seasonal-deck-organisms-sf.trycloudflare.com',
  ],
  [
    'ngrok',
    [
      't=2026-01-05T12:00:00+0000 lvl=info msg="starting web service" obj=web addr=127.0.0.1:4040',
      't=2026-01-05T12:00:00+0000 lvl=info msg="started tunnel" obj=tunnels name=command_line addr=http://localhost:4011 url=https://8e00-192-0-2-7.ngrok-free.app',
    ],
    'https://8e00-192-0-2-7.ngrok-free.app',
  ],
  ['lt', ['your url is: https://grumpy-cobras-sniff.loca.lt'], 'https://grumpy-cobras-sniff.loca.lt'],
  [
    'devtunnel',
    [
      'Hosting port: 4011',
      'Connect via browser: https://bskw8blx.inc1.devtunnels.ms:4011, https://bskw8blx-4011.inc1.devtunnels.ms',
      'Inspect network activity: https://bskw8blx-4011-inspect.inc1.devtunnels.ms',
    ],
    'https://bskw8blx-4011.inc1.devtunnels.ms',
  ],
  [
    'tailscale',
    ['Available on the internet:', '', 'https://amelie.pango-lin.ts.net/', '|-- proxy http://127.0.0.1:4011'],
    'https://amelie.pango-lin.ts.net',
  ],
])('prints of %s', (name, lines, url) => {
  const pattern = presetNamed(name)?.pattern
  expect(pattern).toBeDefined()
  expect(lines.flatMap(line => urlOf(line, pattern) ?? [])).toEqual([url])
})

test('at any cut of the output, with any colors', () => {
  const color = fc.constantFrom('', '\x1b[0m', '\x1b[1;32m', '\x1b[38;5;200m', '\x1b[K', '\x1b]0;title\x07')
  const noise = fc.constantFrom('', 'ready ', 'é漢🙂 ', 'http://localhost:4011/ ', '| ', 'INF ', '(')
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
  // A name that starts with xn-- is Punycode, which may be invalid: `xn--a` is not a host.
  const name = fc
    .stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/)
    .filter(label => !label.startsWith('xn--'))
  fc.assert(
    fc.property(
      name,
      fc.array(fc.tuple(noise, color, lineEnd), { maxLength: 4 }),
      fc.array(noise, { maxLength: 3 }),
      fc.tuple(color, color, fc.constantFrom('', '.', ')', '",', ' |', '/')),
      fc.array(fc.nat(400), { maxLength: 8 }),
      (label, before, start, [colourBefore, colourBehind, behind], cuts) => {
        const url = `https://${label}.example.test`
        const lines = before.map(line => line.join('')).join('')
        const output = Buffer.from(
          `${lines}${start.join('')}${colourBefore}${url}${colourBehind}${behind}\nhttp://later.example.test\n`,
        )
        expect(readUrl(pieces(output, cuts))).toBe(url)
      },
    ),
    { numRuns: 1000 },
  )
})

function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map(cut => cut % bytes.length), bytes.length].sort((one, other) => one - other)
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

function readUrl(chunks: readonly Buffer[]): string | undefined {
  const choice = createUrlChoice()
  const lines = createOutputLines(16 * 1024, line => {
    for (const url of findUrls(line, { port })) choice.add(url)
  })
  for (const chunk of chunks) lines.push(chunk)
  lines.end()
  return choice.best
}

test('a pattern that backtracks for ever is given up', () => {
  const pattern = /^(a+)+$/
  expect(findUrls(`${'a'.repeat(40)}!`, { port, pattern })).toEqual([])
  expect(findUrls('aaa', { port, pattern })).toEqual([])
})
