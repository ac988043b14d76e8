import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { collectNumbers } from '../../../src/calls/batch/do-not-call.ts'
import { readList } from '../../../src/calls/batch/read-list.ts'
import { phoneNumberReader } from '../../../src/calls/place/index.ts'
import { readSnapshotFile } from '../../../src/cli/commands/sandbox/snapshot-file.ts'
import { createDeliveryReader } from '../../../src/events/conversation/index.ts'
import { readSource } from '../../../src/files/source/index.ts'
import { createTextDecoder, encodeText } from '../../../src/files/text/index.ts'
import { createOpenAiModel, ModelFailure } from '../../../src/sandbox/model/index.ts'
import { readProfiles } from '../../../src/service/profile/index.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { type TestCli, testCli } from '../../helpers/test-cli.ts'
import { testContext } from '../../helpers/test-context.ts'
import { startTestSandbox } from '../../helpers/test-sandbox.ts'

const name = 'Jörg ’ Łukasz'
const object = JSON.stringify({ name })

/** The name that a reader found, and whether it reported anything. */
interface Found {
  readonly name: unknown
  readonly isReported: boolean
}

interface Reader {
  readonly content: string
  read(bytes: Buffer): Promise<Found>
}

async function fileOf(file: string, bytes: Buffer): Promise<string> {
  const folder = await temporaryFolder()
  await writeFile(join(folder, file), bytes)
  return folder
}

/** The service has no answer, so the command fails after a request too. */
const isRefused = ({ requests }: TestCli, stderr: string) => requests.length === 0 && stderr.includes('error')

const fieldOf = (value: unknown) => (value as { name?: unknown } | undefined)?.name

/** Readers of bytes that come from people, spreadsheets, editors and other programs. */
const readers: Readonly<Record<string, Reader>> = {
  'a file of a project': {
    content: object,
    async read(bytes) {
      const { value, diagnostics } = await readSource('a.yaml', { cwd: await fileOf('a.yaml', bytes) })
      return { name: fieldOf(value), isReported: diagnostics.length > 0 }
    },
  },
  'an included text': {
    content: name,
    async read(bytes) {
      const cli = await testCli({ 'a.yaml': 'name: ${file:a.md}\n', 'a.md': bytes })
      const { stderr } = await cli.run('assistant', 'create', 'a.yaml')
      return { name: fieldOf(cli.requests[0]?.body), isReported: isRefused(cli, stderr) }
    },
  },
  'a list of people': {
    content: `phone,name\n+12025550100,${name}\n`,
    async read(bytes) {
      const { table, diagnostics } = await readList('a.csv', { cwd: await fileOf('a.csv', bytes) })
      return { name: table?.rows.at(0)?.cells[1], isReported: diagnostics.length > 0 }
    },
  },
  'a list of numbers that are not called': {
    content: `number,words\n+12025550100,${name}\n`,
    async read(bytes) {
      const list = await readList('a.csv', { cwd: await fileOf('a.csv', bytes) })
      const { numbers, problems } = collectNumbers([list], await phoneNumberReader())
      return { name: numbers.has('+12025550100') ? name : undefined, isReported: problems.length > 0 }
    },
  },
  'a table of questions and answers': {
    content: `question,answer\nq,${name}\n`,
    async read(bytes) {
      const { value, diagnostics } = await readSource('a.csv', { cwd: await fileOf('a.csv', bytes) })
      const { faq } = (value ?? { faq: [] }) as { faq: { answer?: unknown }[] }
      return { name: faq[0]?.answer, isReported: diagnostics.length > 0 }
    },
  },
  'rows of tests': {
    content: `name\n${name}\n`,
    async read(bytes) {
      const cwd = await fileOf('a.csv', bytes)
      const { value, diagnostics } = await readSource('a.csv', { cwd, usedColumns: ['name'] })
      return { name: fieldOf((value as unknown[] | undefined)?.[0]), isReported: diagnostics.length > 0 }
    },
  },
  'a response of the service': {
    content: JSON.stringify({ _id: name }),
    async read(bytes) {
      const cli = await testCli({ 'a.yaml': 'name: Desk\n' })
      cli.answer('POST', '/assistants/v1/assistants', { body: bytes })
      const { exitCode, stdout } = await cli.run('assistant', 'create', 'a.yaml', '--json')
      const { _id } = JSON.parse(stdout)
      return { name: _id, isReported: exitCode !== 0 }
    },
  },
  '--body': {
    content: object,
    async read(bytes) {
      const cli = await testCli({ 'a.json': bytes })
      const { stderr } = await cli.run('api', 'POST', '/x', '--body', '@a.json')
      return { name: fieldOf(cli.requests[0]?.body), isReported: isRefused(cli, stderr) }
    },
  },
  '--env-file': {
    content: `NAME=${name}\n`,
    async read(bytes) {
      const cli = await testCli({ 'a.yaml': 'name: ${env:NAME}\n', '.env': bytes })
      const { stderr } = await cli.run('assistant', 'create', 'a.yaml', '--env-file', '.env')
      return { name: fieldOf(cli.requests[0]?.body), isReported: isRefused(cli, stderr) }
    },
  },
  settings: {
    content: JSON.stringify({ current: name, profiles: {} }),
    async read(bytes) {
      const folder = await fileOf('config.json', bytes)
      const { current, warnings } = await readProfiles({ CALLYARD_CONFIG_DIR: folder })
      return { name: current, isReported: warnings.length > 0 }
    },
  },
  'a snapshot': {
    content: object,
    async read(bytes) {
      const cwd = await fileOf('a.json', bytes)
      const read = readSnapshotFile('a.json', testContext({ cwd }))
      return read.then(
        snapshot => ({ name: fieldOf(snapshot), isReported: false }),
        () => ({ name: undefined, isReported: true }),
      )
    },
  },
  'the lines of a chat': {
    content: `${name}\n`,
    async read(bytes) {
      const cli = await testCli({ 'a.yaml': 'name: Desk\n', 'a.txt': bytes })
      const { exitCode, stdout } = await cli.run('call', 'chat', 'a.yaml', '--caller', 'a.txt', '--json')
      const lines = stdout.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line)]))
      const said = lines.find(({ kind, role }) => kind === 'message' && role === 'user')
      return { name: said?.text, isReported: exitCode !== 0 }
    },
  },
  'a stream of a model': {
    content: `data: ${JSON.stringify({ choices: [{ delta: { content: name }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
    async read(bytes) {
      const { origin } = await listenOnLoopback(createServer((_, response) => void response.end(bytes)))
      const options = { model: 'm', apiKey: '', timeout: 50_000, clock: realClock }
      const model = createOpenAiModel({ baseUrl: origin, ...options })
      const request = { messages: [], tools: [], temperature: 0, maxTokens: 9 }
      let text = ''
      try {
        for await (const delta of model.complete(request, new AbortController().signal))
          text += delta.type === 'text' ? delta.text : ''
      } catch (error) {
        expect(error).toBeInstanceOf(ModelFailure)
        return { name: text, isReported: true }
      }
      return { name: text, isReported: false }
    },
  },
  'a request to the sandbox': {
    content: JSON.stringify({ name, welcomeMessage: 'Hi' }),
    async read(bytes) {
      const sandbox = await startTestSandbox()
      const response = await fetch(`${sandbox.baseUrl}/assistants/v1/assistants`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
        body: bytes,
      })
      return { name: fieldOf(await response.json()), isReported: !response.ok }
    },
  },
  'a webhook': {
    content: JSON.stringify({ message: { type: name } }),
    async read(bytes) {
      const body = createDeliveryReader()({ body: bytes, headers: {} })
      if ('status' in body) return { name: undefined, isReported: true }
      return { name: body.events[0]?.type, isReported: body.forms.length > 0 }
    },
  },
}

const damages: Readonly<Record<string, (content: string) => Buffer>> = {
  'UTF-8': content => Buffer.from(content),
  'a byte order mark': content => Buffer.from(`\ufeff${content}`),
  'UTF-16': content => encodeText(`\ufeff${content}`, 'utf-16le'),
  'UTF-16 with the most significant byte first': content => encodeText(`\ufeff${content}`, 'utf-16be'),
  'UTF-16 without a mark': content => encodeText(content, 'utf-16le'),
  'Windows-1252': content => Buffer.from(content.replace('’', '\x92').replace('Ł', 'L'), 'latin1'),
  'an invalid byte': content => Buffer.concat([Buffer.from(content), Buffer.of(0xff)]),
  'a zero byte': content => Buffer.from(content.replace('Jörg', 'J\0rg')),
  'half a character': content => encodeText(`\ufeff${content}`, 'utf-16le').subarray(0, -1),
}

describe.each(Object.entries(readers))('%s', (_, { content, read }) => {
  test.each(Object.entries(damages))('with %s is read, or reported', async (_, damage) => {
    const found = await read(damage(content))
    if (!found.isReported) expect(found.name).toBe(name)
  })
})

test('Windows-1252 is not Latin-1, whatever Node.js says', () => {
  expect(createTextDecoder('iso-8859-1').decode(Buffer.of(0x80, 0x92, 0xe9))).toBe('€’é')
})
