import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { encodeText } from '../../../../src/files/text/index.ts'
import { listenOnLoopback } from '../../../helpers/loopback.ts'
import { misbehavingServer } from '../../../helpers/misbehaving-server.ts'
import { testCli } from '../../../helpers/test-cli.ts'

describe('api', () => {
  test('prints the response of a GET, indented', async () => {
    const cli = await testCli()
    cli.answer('GET', '/assistants/v1/assistants/a', { body: '{"_id":"a","n":12345678901234567890}' })
    expect(await cli.run('api', 'get', 'assistants/v1/assistants/a')).toEqual({
      exitCode: 0,
      stdout: '{\n  "_id": "a",\n  "n": 12345678901234567890\n}\n',
      stderr: '',
    })
  })

  test('--json prints the document unchanged and safe for a terminal', async () => {
    const cli = await testCli()
    cli.answer('GET', '/x', { body: '{ "n": 1.0e400,"t":"\u202eabc\u009b" }' })
    expect((await cli.run('api', 'GET', '/x', '--json')).stdout).toBe(
      '{ "n": 1.0e400,"t":"\\u202eabc\\u009b" }\n',
    )
  })

  test.each([{}, { GITHUB_ACTIONS: 'true' }, { TF_BUILD: 'True' }])(
    '--json prints no workflow commands into a runner’s log: %o',
    async env => {
      const cli = await testCli()
      const hostile = { t: '##vso[task.setvariable]x ##teamcity[buildStop]' }
      for (const [json, flags] of [
        [hostile, []],
        [{ status: 200, body: hostile }, ['--include']],
      ] as const) {
        cli.answer('GET', '/x', { json: hostile })
        const { stdout } = await cli.runWith({ env }, 'api', 'GET', '/x', '--json', ...flags)
        expect(stdout).not.toMatch(/##(vso|teamcity)/)
        expect(JSON.parse(stdout)).toMatchObject(json)
      }
    },
  )

  test('sends --body byte for byte: literal, file, stdin', async () => {
    const server = await misbehavingServer()
    const cli = await testCli(
      {
        'tool.json': '{"n": 12345678901234567890}',
        'utf16.json': encodeText('\ufeff{"n": "ö"}', 'utf-16le'),
      },
      { env: { CALLYARD_BASE_URL: server.baseUrl } },
    )
    await cli.run('api', 'PATCH', '/t', '--body', '{"a":1.0}')
    await cli.run('api', 'PATCH', '/t', '--body', '@tool.json')
    await cli.runWith({ input: '[true]' }, 'api', 'PATCH', '/t', '--body', '@-')
    await cli.run('api', 'PATCH', '/t', '--body', '@utf16.json')
    expect(server.requests.map(({ body }) => body)).toEqual([
      '{"a":1.0}',
      '{"n": 12345678901234567890}',
      '[true]',
      '{"n": "ö"}',
    ])
    await server.close()
  })

  test('shows the body of a refusal and exits by its status', async () => {
    const cli = await testCli()
    cli.answer('DELETE', '/x', { status: 404, json: { message: 'no such thing' } })
    const result = await cli.run('api', 'DELETE', '/x', '--include')
    expect(result.exitCode).toBe(5)
    expect(result.stdout).toMatch(
      /^HTTP 404\n[\s\S]*content-type: [\s\S]*\n\n\{\n {2}"message": "no such thing"\n\}\n$/,
    )
    expect(result.stderr).toContain('(404): no such thing')
  })

  test('--json prints one document for any response', async () => {
    const cli = await testCli()
    cli.answer('GET', '/html', {
      status: 500,
      body: '<p>\u001b[2J</p>',
      headers: { 'content-type': 'text/html' },
    })
    cli.answer('GET', '/html', { status: 500, body: '<p>\u001b[2J</p>' })
    cli.answer('GET', '/html', { status: 500, body: '<p>\u001b[2J</p>' })
    const failed = await cli.run('api', 'GET', '/html', '--json', '--include')
    expect(failed.exitCode).toBe(6)
    expect(JSON.parse(failed.stdout)).toMatchObject({ status: 500, body: '<p>\u001b[2J</p>' })
    expect(failed.stdout).not.toContain('\u001b')
    expect(cli.sleeps).toEqual([1000, 2000])
    cli.answer('DELETE', '/x', { status: 204, body: '' })
    expect(await cli.run('api', 'DELETE', '/x', '--json')).toMatchObject({ exitCode: 0, stdout: 'null\n' })
    cli.answer('DELETE', '/x', { status: 204, body: '' })
    expect(await cli.run('api', 'DELETE', '/x')).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  })

  test.each([
    [['api', 'GTE', '/x'], 'unsupported method'],
    [['api', 'CONNECT', '/x'], 'unsupported method'],
    [['api', 'GET', '/x', '--body', '{}'], 'cannot have --body'],
    [['api', 'POST', '/x', '--body', '{'], '--body is not JSON'],
    [['api', 'GET', 'https://elsewhere.example.com/x'], 'is not below the base URL'],
    [['api', 'GET', 'javascript:alert(1)'], 'is not below the base URL'],
  ])('%j is wrong usage', async (argv, message) => {
    const cli = await testCli()
    const result = await cli.run(...argv)
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toContain(message)
    expect(cli.requests).toEqual([])
  })

  test('a path outside the base URL is a usage error', async () => {
    const server = await misbehavingServer()
    const cli = await testCli({}, { env: { CALLYARD_BASE_URL: `${server.baseUrl}/prefix` } })
    const result = await cli.run('api', 'GET', '/a b/../../%2e?x=é')
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toContain('is outside the base URL')
    expect(server.requests).toEqual([])
    await server.close()
  })

  test('a data file that cannot be used sends nothing', async () => {
    const cli = await testCli({ 'broken.json': '{', 'latin.json': Buffer.from('"\xe9"', 'latin1') })
    for (const [file, finding] of [
      [
        '@broken.json',
        'broken.json:1:2: error: not JSON: unexpected end of file [broken-json]\n    hint: check',
      ],
      ['@latin.json', 'latin.json:1:2: error: the file is not UTF-8'],
      ['@missing.json', 'missing.json: error: no such file [missing-file]\n    hint: check the path'],
      ['@.', '.: error: this is a folder, not a file [is-a-folder]\n    hint: name a file in it'],
    ] as const) {
      const result = await cli.run('api', 'POST', '/x', '--body', file)
      expect(result).toMatchObject({ exitCode: 3, stdout: '' })
      expect(result.stderr).toContain(finding)
    }
    expect(cli.requests).toEqual([])
  })

  test('an address below the base URL is as good as its path', async () => {
    const cli = await testCli()
    cli.answer('GET', '/x', { body: '{}' })
    expect(await cli.run('api', 'GET', `${cli.baseUrl}/x`)).toMatchObject({ exitCode: 0 })
    // A path that looks like a host stays a path.
    cli.answer('GET', '//elsewhere.example.com/x', { body: '{}' })
    expect(await cli.run('api', 'GET', '//elsewhere.example.com/x')).toMatchObject({ exitCode: 0 })
  })

  describe('a response that is not JSON', () => {
    /** A command at a service that sends these bytes. */
    async function cliAt(body: Buffer, type: string) {
      const server = createServer((_, response) =>
        response.writeHead(200, { 'content-type': type }).end(body),
      )
      const { origin } = await listenOnLoopback(server)
      return testCli({}, { env: { CALLYARD_BASE_URL: origin } })
    }
    const binary = Buffer.from([0xff, 0xfb, 0x00, 0x0a, 0x1b, 0x80, 0xc3])

    test.each([
      ['bytes', binary],
      ['text without a newline at its end', Buffer.from('one\r\ntwo')],
      ['text with a byte order mark', Buffer.from('\ufeffone\n')],
    ])('is written unchanged to a file or a pipe: %s', async (_, body) => {
      const cli = await cliAt(body, 'audio/mpeg')
      expect(await cli.run('api', 'GET', '/x')).toMatchObject({ exitCode: 0, bytes: body, stderr: '' })
    })

    test('is harmless on a terminal: text is escaped, and bytes are counted', async () => {
      const text = await cliAt(Buffer.from('one \u001b[2J'), 'text/plain')
      const shown = await text.runWith({ terminal: true }, 'api', 'GET', '/x')
      expect(shown.stdout).toMatch(/^one \S+\[2J\n$/)
      expect(shown.stdout).not.toContain('\u001b')
      const bytes = await cliAt(binary, 'audio/mpeg')
      const counted = await bytes.runWith({ terminal: true }, 'api', 'GET', '/x')
      expect(counted.stdout).toContain('7 bytes of audio/mpeg, not shown')
      expect(counted.bytes).toBeUndefined()
    })

    test('is Base64 with --json', async () => {
      const cli = await cliAt(binary, 'audio/mpeg')
      const { stdout } = await cli.run('api', 'GET', '/x', '--json')
      expect(JSON.parse(stdout)).toEqual({ base64: binary.toString('base64') })
    })

    const commands = 'é ##vso[x] ##teamcity[x] ##[x]'
    const escaped = 'é #\\u0023vso[x] #\\u0023teamcity[x] #\\u0023[x]'
    test.each([
      [{ GITHUB_ACTIONS: 'true' }, `\\u003a:error::x ${escaped}`],
      [{ CI: 'true' }, `::error::x ${escaped}`],
      [{}, `::error::x ${commands}`],
    ])('prints no workflow commands into a runner’s log: %o', async (env, expected) => {
      const cli = await cliAt(Buffer.from(`::error::x ${commands}`), 'text/plain')
      const { stdout, bytes } = await cli.runWith({ env }, 'api', 'GET', '/x')
      expect(bytes?.toString() ?? stdout).toBe(expected)
    })

    test('that is not UTF-8 keeps its bytes without workflow commands', async () => {
      const cli = await cliAt(Buffer.from('\xe9 ##vso[x]', 'latin1'), 'text/plain')
      const { bytes } = await cli.runWith({ env: { TF_BUILD: 'True' } }, 'api', 'GET', '/x')
      expect(Buffer.from(bytes ?? '').toString('latin1')).toBe('\xe9 #\\u0023vso[x]')
    })
  })

  test('an echoed key and hostile text reach neither stream', async () => {
    const server = await misbehavingServer('echo the key', 'hostile', 'redirect elsewhere')
    const cli = await testCli({}, { env: { CALLYARD_BASE_URL: server.baseUrl } })
    for (const expected of [5, 5, 5]) {
      const { exitCode, stdout, stderr } = await cli.run('api', 'POST', '/x', '--include', '--debug')
      expect(exitCode).toBe(expected)
      expect(stdout + stderr).not.toContain('key-of-the-test')
      expect(stdout + stderr).not.toMatch(/[\u001b\u0007\u202e]/)
    }
    await server.close()
  })
})
