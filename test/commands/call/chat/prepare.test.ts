import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testCli } from '../../../helpers/test-cli.ts'
import { assistant, desk, project } from './chat-project.ts'

describe('who answers', () => {
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

  test('a tool that the records do not hold is left out, and that is told', async () => {
    const cli = await testCli({
      'records.ndjson': journal,
      'a.yaml': 'welcomeMessage: hi\nassistantToolIds: [t1, t2]\n',
    })
    const result = await cli.run('call', 'chat', 'a.yaml', ...records)
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('hi') })
    expect(result.stderr).toContain('the tool t2 is not in the sandbox’s records')
    expect(result.stderr).not.toContain('t1')
  })

  test('a knowledge base that is nowhere is told', async () => {
    const cli = await testCli({ 'assistants/desk.yaml': assistant })
    const result = await cli.run(...desk)
    expect(result).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('the knowledge base workshop'),
    })
  })

  test.each([
    [[], 'no assistant is given'],
    [['assistants/desk.yaml', '--assistant-id', 'a1'], 'both given'],
    [['--data', 'nowhere.ndjson'], 'nowhere.ndjson'],
    [['assistants/desk.yaml', '--llm-model', 'small'], '--llm-url'],
  ])('%j is wrong usage', async (argv, words) => {
    const cli = await testCli(project)
    const result = await cli.run('call', 'chat', ...argv)
    expect(result).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(words) })
  })
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
    const result = await cli.run(...desk, ...flags, '--save', 'saved.txt')
    expect(result).toMatchObject({ exitCode: 3, stdout: '', stderr: expect.stringContaining(place) })
    await expect(stat(join(cli.folder, 'saved.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
