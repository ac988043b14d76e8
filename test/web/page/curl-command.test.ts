import { execa } from 'execa'
import fc from 'fast-check'
import { parse } from 'shell-quote'
import { expect, test } from 'vitest'
import { curlCommand } from '../../../src/web/page/curl-command.ts'
import { harmless } from '../../events/transcript/hostile-calls.ts'

const hostileJson = fc.tuple(
  fc.jsonValue(),
  fc.string({
    unit: fc.constantFrom("'", '"', '\\', '$', '`', '!', '\u009b', '\u202e', '\u2028', '\n', 'a', '😀'),
  }),
)

test('is a command of harmless characters whose JSON is the same value', () => {
  fc.assert(
    fc.property(hostileJson, fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
      // What JSON.stringify would escape no service has to.
      const body = JSON.stringify(value, null, indent)
      const command = curlCommand({ url: "http://127.0.0.1:1/it's", contentType: 'application/json', body })
      expect(command).toMatch(harmless)
      expect(command).not.toMatch(/[\t\r]/)
      const quoted = command.slice(command.indexOf('--data-binary ') + '--data-binary '.length)
      const json = quoted.slice(1, -1).replaceAll("'\\''", "'")
      expect(JSON.parse(json)).toEqual(JSON.parse(body))
      expect(quoted.slice(1, -1).replaceAll("'\\''", '')).not.toContain("'")
    }),
  )
})

test.each([10, 300_000])(
  'a real shell hands curl what it should, with a body of %i characters',
  async length => {
    const body = JSON.stringify({ text: `it's $HOME \`id\` ${'x'.repeat(length)}` })
    const url = "http://127.0.0.1:1/$(id)?a='b'"
    const command = curlCommand({ url, contentType: "text/x'; id; '", body })
    const script = `curl() { printf '%s\\n' "$@"; cat; }\n${command} </dev/null\n`
    const { stdout } = await execa('sh', [], {
      input: length < 1000 ? script : script.replace(' </dev/null', ''),
    })
    const lines = stdout.split('\n')
    expect(lines.slice(0, 6)).toEqual([
      '-X',
      'POST',
      url,
      '-H',
      "content-type: text/x'; id; '",
      '--data-binary',
    ])
    expect(lines.slice(6)).toEqual(length < 1000 ? [body] : ['@-', body])
  },
)

test('a short command consists of shell words only', () => {
  const command = curlCommand({ url: 'http://[::1]:1/', contentType: 'a/b', body: '{"a": "b"}' })
  expect(parse(command.replaceAll('\\\n', ''))).toEqual([
    'curl',
    '-X',
    'POST',
    '--globoff',
    'http://[::1]:1/',
    '-H',
    'content-type: a/b',
    '--data-binary',
    '{"a": "b"}',
  ])
})
