import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { encodeAs } from '../../../helpers/encode-as.ts'
import { assistantText } from '../../../helpers/resources.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const table = 'Frage;Antwort;Stand;;\r\n"Wann ""offen""?";Täglich;2026;;\r\n;;;;\r\nParken?;Ja, hinten;;;\r\n'
const faq = [
  { question: 'Wann "offen"?', answer: 'Täglich' },
  { question: 'Parken?', answer: 'Ja, hinten' },
]

describe('faq import', () => {
  test('writes a knowledge base that validate accepts, and overwrites nothing', async () => {
    const cli = await testCli({ 'FAQ.CSV': `\ufeff${table}` })
    const argv = ['faq', 'import', 'FAQ.CSV', '--kb', 'kb-1', '--out', 'kb.yaml'] as const
    const first = await cli.run(...argv)
    expect(first).toMatchObject({ exitCode: 0, stdout: 'Wrote kb.yaml: 2 entries of FAQ.CSV\n' })
    expect(first.stderr).toContain('column Stand is not used')
    const written = await readFile(join(cli.folder, 'kb.yaml'), 'utf8')
    expect(parse(written)).toEqual({ knowledgeBaseId: 'kb-1', faq })
    expect((await cli.run('validate', '--kind', 'knowledge-base', 'kb.yaml')).exitCode).toBe(0)
    expect(await cli.run(...argv)).toMatchObject({ exitCode: 2 })
    expect(await readFile(join(cli.folder, 'kb.yaml'), 'utf8')).toBe(written)
    expect(cli.requests).toEqual([])
  })

  test('prints YAML, and with --json the entries', async () => {
    const cli = await testCli({ 'questions.txt': Buffer.from(table, 'latin1') })
    const { stdout } = await cli.run('faq', 'import', 'questions.txt')
    expect(parse(stdout)).toEqual({ faq })
    const json = await cli.run('faq', 'import', 'questions.txt', '--json')
    expect(JSON.parse(json.stdout)).toEqual({ file: 'questions.txt', faq })
  })

  test('takes the column of a field by name', async () => {
    const cli = await testCli({ 'a.csv': 'Topic,Text,Answer\nHours?,Nine,x\n' })
    const result = await cli.run(
      'faq',
      'import',
      'a.csv',
      '--column',
      'question=topic',
      '--column',
      'answer=Text',
    )
    expect(parse(result.stdout)).toEqual({ faq: [{ question: 'Hours?', answer: 'Nine' }] })
    for (const [columns, exitCode, message] of [
      [['answr=Text'], 2, 'an entry has no field answr'],
      [['question=Topics', 'answer=Text'], 3, 'a.csv:1:1: error: column Topics not found [no-such-column]'],
      [['question=Topics', 'answer=Text'], 3, '1 error in 1 file'],
      [[], 3, 'missing column question'],
    ] as const) {
      const flags = columns.flatMap(column => ['--column', column])
      const failed = await cli.run('faq', 'import', 'a.csv', ...flags)
      expect(failed).toMatchObject({ exitCode, stdout: '' })
      expect(failed.stderr).toContain(message)
    }
  })

  test('reports a row that cannot be read, and writes nothing', async () => {
    const cli = await testCli({ 'a.csv': 'question,answer\n"Hours?,Nine\nOpen?,Yes\n' })
    const result = await cli.run('faq', 'import', 'a.csv')
    expect(result).toMatchObject({ exitCode: 3, stdout: '' })
    expect(result.stderr).toContain('a.csv:2:1')
    expect(result.stderr).toContain('nothing was written')
  })
})

describe('a table in another encoding', () => {
  const languages = [
    ['gbk', '问题,答案', '几点开门？', '九点'],
    ['big5', '問題,答案', '幾點開門？', '九點'],
    ['shift_jis', '質問,回答', '髙橋さんは？', '九時から'],
    ['euc-kr', '질문,답변', '언제 열어요?', '아홉 시'],
    ['iso-8859-2', 'Pytanie,Odpowiedź', 'Kiedy czynne?', 'Źródło'],
  ] as const

  test.each(languages)('%s is imported if it is named', async (encoding, header, question, answer) => {
    const cli = await testCli({ 'a.csv': encodeAs(`${header}\r\n${question},${answer}\r\n`, encoding) })
    const { stdout, stderr } = await cli.run('faq', 'import', 'a.csv', '--encoding', encoding)
    expect(stderr).toBe('')
    expect(parse(stdout)).toEqual({ faq: [{ question, answer }] })
    expect(await cli.run('faq', 'import', 'a.csv', '--encoding', 'latin-0')).toMatchObject({ exitCode: 2 })
  })

  test.each(languages)(
    '%s gets its ids in a knowledge base that names it',
    async (encoding, header, ...cells) => {
      const text = `${header}\r\n${cells.join(',')}\r\n`
      const cli = await testCli({
        'kb.yaml': `knowledgeBaseId: kb-1\nentries: a.csv\nencoding: ${encoding}\n`,
        'a.csv': encodeAs(text, encoding),
      })
      cli.answer('POST', '/kb/v1/knowledge-bases/kb-1/faq-template', {
        json: { faq: [{ id: 'f1', question: cells[0], answer: cells[1] }] },
      })
      const { stderr, exitCode } = await cli.run('faq', 'push', 'kb.yaml')
      expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
      const withIds = text.replace('\r\n', ',id\r\n').replace(/\r\n$/, ',f1\r\n')
      expect(await readFile(join(cli.folder, 'a.csv'))).toEqual(encodeAs(withIds, encoding))
    },
  )

  test.each([
    [['faq', 'import', 'a.csv'], 'pass --encoding, such as --encoding windows-1252, or'],
    [
      ['faq', 'push', 'a.csv', '--kb', 'kb-1', '--dry-run'],
      'under entries of a knowledge base, with its encoding',
    ],
    [
      ['validate', 'a.csv', '--kind', 'knowledge-base'],
      'under entries of a knowledge base, with its encoding',
    ],
    [['faq', 'ask', 'Hours?', 'a.csv'], 'under entries of a knowledge base, with its encoding'],
    [['faq', 'push', 'kb.yaml', '--kb', 'kb-1', '--dry-run'], 'set encoding next to entries'],
  ])('%j names the setting for a guessed encoding', async (argv, hint) => {
    const cli = await testCli({
      'kb.yaml': 'entries: a.csv\n',
      'a.csv': encodeAs('question,answer\nHours?,Łódź Żak Świątek\n', 'windows-1250'),
    })
    const { stdout, stderr } = await cli.run(...argv)
    expect(stdout + stderr).toContain('read as windows-1250')
    expect((stdout + stderr).replaceAll(/\s+/g, ' ')).toContain(hint)
  })
})

describe('a table of entries in a project', () => {
  const more = 'assistantPredefinedTools: { knowledgeBase: true }\n'
  const assistant = assistantText('Desk', { knowledgeBases: ['practice'], more })
  const baseUrl = 'baseUrl: https://api.example.test\n'

  test.each([
    ['with its id in callyard.yaml', { 'callyard.yaml': `${baseUrl}knowledgeBases: { practice: kb-1 }\n` }],
    [
      'that a knowledge base names',
      {
        'callyard.yaml': baseUrl,
        'knowledge-bases/practice.yaml': 'knowledgeBaseId: kb-1\nentries: practice.csv\n',
      },
    ],
  ])('%s is planned, searched and pushed', async (_, files) => {
    const cli = await testCli({
      ...files,
      'assistants/desk.yaml': assistant,
      'knowledge-bases/practice.csv': table,
    })
    expect(await cli.run('validate', '.')).toMatchObject({ exitCode: 0 })
    const plan = JSON.parse((await cli.run('plan', '--json')).stdout)
    expect(plan.actions.map(({ address }: { address: string }) => address)).toEqual([
      'kb/practice',
      'assistant/desk',
    ])
    expect((await cli.run('faq', 'ask', 'Parken?')).stdout).toContain('practice.csv:4')
    const [name = ''] = Object.keys(files).filter(file => file.startsWith('knowledge-bases/'))
    const preview = await cli.run(
      'faq',
      'push',
      name === '' ? 'knowledge-bases/practice.csv' : name,
      '--dry-run',
      '--json',
    )
    expect(JSON.parse(preview.stdout)).toMatchObject({
      ...{ knowledgeBaseId: 'kb-1', file: 'knowledge-bases/practice.csv' },
      insert: [{ line: 2 }, { line: 4 }],
    })
  })

  test('that names no knowledge base is reported at the file without the id', async () => {
    const cli = await testCli({
      'callyard.yaml': baseUrl,
      'knowledge-bases/practice.yaml': 'entries: practice.csv\n',
      'knowledge-bases/practice.csv': table,
      'kb.yaml': 'entries: faq.csv\n',
      'faq.csv': table,
    })
    const plan = JSON.parse((await cli.run('plan', '--json')).stdout)
    expect(plan.error.diagnostics).toContainEqual(
      expect.objectContaining({
        ...{ code: 'missing', file: 'knowledge-bases/practice.yaml', position: { line: 1, column: 1 } },
      }),
    )
    const { exitCode, stderr } = await cli.run('faq', 'push', 'kb.yaml')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('kb.yaml does not name its knowledge base')
    expect(stderr).toContain('add knowledgeBaseId: <id> to the file')
  })

  test.each([['kb.yaml'], ['faq.csv', '--kb', 'kb-1']])('is pushed again as it was: %s', async (...push) => {
    const cli = await testCli({ 'kb.yaml': 'knowledgeBaseId: kb-1\nentries: faq.csv\n', 'faq.csv': table })
    cli.answer('POST', '/kb/v1/knowledge-bases/kb-1/faq-template', { body: 'not JSON' })
    const { stderr } = await cli.run('faq', 'push', ...push)
    expect(stderr).toContain('faq.csv:2')
    expect(stderr.replace(/\s+/g, ' ')).toContain(`faq push ${push.join(' ')} --adopt-batch ids.txt`)
  })

  test.each([
    ['entries: gone.csv\n', '1:10', 'gone.csv: no such file'],
    ['entries: other.yaml\n', '1:10', 'entries must name a CSV file'],
    ['entries: ../../outside.csv\n', '1:10', 'outside'],
    ['entries: practice.csv\nfaq: []\n', '1:10', 'cannot be combined'],
    ['knowledgeBaseId: kb-1\n', '1:1', 'faq is missing'],
    ['entries: broken.csv\n', 'broken.csv:2:1', 'unterminated quote'],
    ['faq: []\nencoding: gbk\n', '2:11', 'encoding is that of the table in entries'],
    ['entries: practice.csv\nencoding: gkb\n', '2:11', 'an encoding such as windows-1250, gbk or shift_jis'],
    [
      'entries: latin.csv\nencoding: gbk\n',
      'latin.csv:2:2',
      'set encoding next to entries, or save the table as UTF-8',
    ],
  ])('%j is located and explained', async (content, at, message) => {
    const cli = await testCli({
      'callyard.yaml': '',
      'knowledge-bases/practice.yaml': content,
      'knowledge-bases/practice.csv': table,
      'knowledge-bases/broken.csv': 'question,answer\n"a,b\n',
      'knowledge-bases/latin.csv': Buffer.from('question,answer\na\xff,b\n', 'latin1'),
      'knowledge-bases/other.yaml': 'faq: []\n',
    })
    const { exitCode, stdout } = await cli.run('validate', 'knowledge-bases/practice.yaml')
    expect(exitCode).toBe(3)
    expect(stdout).toContain(at)
    expect(stdout).toContain(message)
  })
})
