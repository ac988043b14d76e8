import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../helpers/folders.ts'
import { testCli } from '../../../../helpers/test-cli.ts'
import { assistant, desk, project } from './chat-project.ts'

describe('the assistant that replies', () => {
  const entry = (record: object) => `${JSON.stringify({ kind: 'assistant', record })}\n`
  const journal = [
    '{"kind":"team","version":1,"teamId":"t","apiKey":"key-of-the-sandbox"}\n',
    entry({ _id: 'a1', name: 'First', welcomeMessage: 'This is the first.' }),
    entry({ _id: 'a2', name: 'Second', welcomeMessage: 'This is the second.' }),
    '{"kind":"tool","record":{"_id":"t1","type":"function","function":{"name":"look"}}}\n',
  ].join('')
  const records = ['--data', 'records.ndjson']

  test('without anything the newest assistant of the records', async () => {
    const cli = await testCli({ 'records.ndjson': journal })
    const result = await cli.run('call', 'chat', ...records)
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('This is the second.') })
    expect(await cli.read('records.ndjson')).toBe(journal)
  })

  test('--assistant-id one of them; an unknown one is wrong usage', async () => {
    const cli = await testCli({ 'records.ndjson': journal })
    const result = await cli.run('call', 'chat', ...records, '--assistant-id', 'a1')
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('This is the first.') })
    const unknown = await cli.run('call', 'chat', ...records, '--assistant-id', 'b1')
    expect(unknown).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('did you mean a1?'),
    })
  })

  test('omits a tool that the records lack, with a warning', async () => {
    const cli = await testCli({
      'records.ndjson': journal,
      'a.yaml': 'welcomeMessage: hi\nassistantToolIds: [t1, t2]\n',
    })
    const result = await cli.run('call', 'chat', 'a.yaml', ...records)
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('hi') })
    expect(result.stderr).toContain('the tool t2 is in no file')
    expect(result.stderr).not.toContain('the tool t1')
  })

  test('reports a missing knowledge base', async () => {
    const cli = await testCli({ 'assistants/desk.yaml': assistant })
    const result = await cli.run(...desk)
    expect(result).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('the knowledge base workshop'),
    })
  })

  test.each([
    [[], 'no assistant given'],
    [['assistants/desk.yaml', '--assistant-id', 'a1'], 'cannot be used together'],
    [['assistants/desk.yaml', '--llm-model', 'small'], '--llm-url'],
  ])('%j is wrong usage', async (argv, words) => {
    const cli = await testCli(project)
    const result = await cli.run('call', 'chat', ...argv)
    expect(result).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(words) })
  })
})

describe('in a project, files take precedence', () => {
  const faq = (id: string, answer: string) =>
    `knowledgeBaseId: workshop\nfaq:\n  - { id: ${id}, question: When are you open?, answer: ${answer} }\n`
  const booking = (url: string) => `type: function\nfunction: { name: book }\nserver: { url: "${url}" }\n`
  const files = {
    'callyard.yaml': '',
    'assistants/desk.yaml': `
name: Front desk
welcomeMessage: Hello.
assistantToolIds: ['\${tool:book}']
assistantPredefinedTools: { knowledgeBase: true }
assistantKnowledgeBaseIds: ['\${kb:workshop}']
`,
    'tools/book.yaml': booking('https://calendar.example.com/'),
    'knowledge-bases/workshop.yaml': faq('f1', 'From nine.'),
    // As apply and sandbox start leave them behind.
    'callyard.lock.yaml': `
version: 1
targets:
  default:
    baseUrl: http://127.0.0.1:4010/
    salt: '00'
    resources:
      tool/book: { id: t1, body: {} }
      assistant/desk: { id: a1, body: {} }
`,
  }
  const records = [
    { kind: 'team', version: 1, teamId: 't', apiKey: 'k' },
    { kind: 'tool', record: { _id: 't1', type: 'function', function: { name: 'old' } } },
    {
      kind: 'faq',
      knowledgeBaseId: 'workshop',
      entries: [
        { id: 'f1', question: 'When are you open?', answer: 'From eight.' },
        { id: 'f2', question: 'Where is the workshop?', answer: 'It moved.' },
      ],
    },
    {
      kind: 'assistant',
      record: {
        _id: 'a1',
        name: 'Deployed',
        welcomeMessage: 'Deployed.',
        assistantPredefinedTools: { knowledgeBase: true },
        assistantKnowledgeBaseIds: ['workshop'],
      },
    },
  ]
    .map(entry => `${JSON.stringify(entry)}\n`)
    .join('')
  const asked = 'When are you open?\nWhere is the workshop?\n'

  /** With a sandbox's records where `sandbox start` keeps them. */
  async function deployed(more: Record<string, string> = {}) {
    const config = await temporaryFolder()
    const data = join(config, 'sandbox.ndjson')
    await writeFile(data, records)
    const cli = await testCli(
      { ...files, ...more },
      { env: { CALLYARD_CONFIG_DIR: config, CALLYARD_BASE_URL: 'http://127.0.0.1:4010' } },
    )
    return Object.assign(cli, { data })
  }

  test('over what a sandbox keeps, and one line says where each part is from', async () => {
    const cli = await deployed()
    for (const argv of [['assistants/desk.yaml'], []]) {
      const result = await cli.runWith({ input: asked }, 'call', 'chat', ...argv)
      expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('From nine.') })
      expect(result.stdout).not.toMatch(/From eight|It moved|Deployed/)
      expect(result.stderr).toBe(
        'Assistant: assistants/desk.yaml · tools: tools/book.yaml · knowledge: knowledge-bases/workshop.yaml\n',
      )
    }
  })

  test('even for an assistant given by name or by its deployed id', async () => {
    const cli = await deployed()
    for (const asked of ['desk', 'assistant/desk', 'a1']) {
      const result = await cli.runWith({ input: 'When are you open?\n' }, 'call', 'chat', asked)
      expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('From nine.') })
      expect(result.stdout).toContain('Hello.')
    }
    const wrong = await cli.run('call', 'chat', 'dsk')
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('did you mean') })
  })

  test('a variable that none of their texts uses is reported', async () => {
    const cli = await deployed()
    const { stderr } = await cli.run('call', 'chat', '--var', 'nmae=Ada')
    expect(stderr).toContain('--var nmae has no effect')
  })

  test('are the same after /restart', async () => {
    const cli = await deployed()
    const edit = async function* () {
      yield 'When are you open?\n'
      await heard
      await writeFile(join(cli.folder, 'knowledge-bases/workshop.yaml'), faq('f1', 'From ten.'))
      yield '/restart\nWhen are you open?\n'
    }
    let hear = () => {}
    const heard = new Promise<void>(resolve => {
      hear = resolve
    })
    const result = await cli.runWith(
      { input: edit(), printed: text => text.includes('From nine') && hear() },
      'call',
      'chat',
    )
    expect(result.stdout).toMatch(/From nine\.[\s\S]*From ten\./)
  })

  test('--data and --assistant-id ask the records', async () => {
    const cli = await deployed()
    const data = ['--data', cli.data]
    const withFile = await cli.runWith({ input: asked }, 'call', 'chat', 'assistants/desk.yaml', ...data)
    expect(withFile.stdout).toMatch(/Hello\.[\s\S]*From eight\.[\s\S]*It moved/)
    expect(withFile.stderr.replaceAll('\n', ' ')).toMatch(
      /tools: tools\/book\.yaml · knowledge: \S*sandbox\.ndjson/,
    )
    const byId = await cli.runWith({ input: asked }, 'call', 'chat', '--assistant-id', 'a1', ...data)
    expect(byId.stdout).toMatch(/Deployed\.[\s\S]*From eight/)
    expect(byId.stderr.replaceAll('\n', ' ')).toMatch(/Assistant: Deployed in \S*sandbox\.ndjson · knowledge/)
  })

  test('entries of one knowledge base in several files are all known', async () => {
    const more =
      'knowledgeBaseId: workshop\nfaq:\n  - { question: Where is the workshop?, answer: At the bridge. }\n'
    const cli = await deployed({ 'knowledge-bases/deep/more.yaml': more })
    const { stdout } = await cli.runWith({ input: asked }, 'call', 'chat')
    expect(stdout).toMatch(/From nine\.[\s\S]*At the bridge/)
  })

  test('prompts for one of several assistants; a script gets their names', async () => {
    const cli = await deployed({ 'assistants/sales.yaml': 'name: Sales\nwelcomeMessage: This is sales.\n' })
    const unasked = await cli.run('call', 'chat')
    expect(unasked).toMatchObject({ exitCode: 2, stdout: '' })
    expect(unasked.stderr).toContain('assistants/desk.yaml, assistants/sales.yaml')
    cli.type('assistants/sales.yaml')
    expect((await cli.run('call', 'chat')).stdout).toContain('This is sales.')
  })

  test('reports a project without assistants without searching elsewhere', async () => {
    const cli = await testCli({ 'callyard.yaml': '' })
    const result = await cli.run('call', 'chat')
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('has no assistant') })
  })
})

test('outside of a project a file beside the assistant wins too, and records have what no file has', async () => {
  const entry = (knowledgeBaseId: string) => ({
    kind: 'faq',
    knowledgeBaseId,
    entries: [
      { id: 'f1', question: 'When are you open?', answer: 'From eight.' },
      { id: 'f2', question: 'Do you sell tea?', answer: 'In the shop.' },
    ],
  })
  const config = await temporaryFolder()
  const team = { kind: 'team', version: 1, teamId: 't', apiKey: 'k' }
  await writeFile(
    join(config, 'sandbox.ndjson'),
    [team, entry('workshop'), entry('shop')].map(each => `${JSON.stringify(each)}\n`).join(''),
  )
  const both = assistant.replace('[workshop]', '[workshop, shop]')
  const cli = await testCli({ ...project, 'both.yaml': both }, { env: { CALLYARD_CONFIG_DIR: config } })
  const input = 'When are you open?\nDo you sell tea?\n'
  const own = await cli.runWith({ input }, ...desk)
  expect(own.stdout).toContain('From nine to six.')
  expect(own.stdout).not.toMatch(/From eight|In the shop/)
  const shared = await cli.runWith({ input }, 'call', 'chat', 'both.yaml')
  expect(shared.stdout).toContain('In the shop.')
  expect(shared.stderr).toMatch(/knowledge-bases\/workshop\.yaml,\s+\S*sandbox\.ndjson/)
})

describe('files that do not pass end it before anything starts', () => {
  test.each([
    ['the assistant', { ...project, 'assistants/desk.yaml': 'welcomeMessge: hi\n' }, 'desk.yaml:1:1'],
    [
      'its knowledge base',
      {
        ...project,
        'knowledge-bases/workshop.yaml': 'knowledgeBaseId: workshop\nfaq:\n  - { question: Why? }\n',
      },
      'workshop.yaml:3:5',
    ],
    ['the overrides', { ...project, 'o.yaml': 'recordingEnabled: perhaps\n' }, 'o.yaml:1:19'],
    ['the script', { ...project, 'c.txt': 'Hello\n/say-nothing long\n' }, 'c.txt:2:'],
  ])('%s', async (_what, files, place) => {
    const cli = await testCli(files)
    const flags = ['o.yaml', 'c.txt'].flatMap(name =>
      name in files ? [name === 'o.yaml' ? '--overrides' : '--caller', name] : [],
    )
    const result = await cli.run(...desk, ...flags, '--out', 'saved.txt')
    expect(result).toMatchObject({ exitCode: 3, stdout: '', stderr: expect.stringContaining(place) })
    await expect(stat(join(cli.folder, 'saved.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
