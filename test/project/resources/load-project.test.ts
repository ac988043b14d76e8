import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { knowledgeBaseText } from '../../helpers/resources.ts'
import { findingsOf, folderOf, projectIn, projectOf, resourceAt } from '../apply/project-on-disk.ts'

const tool = 'type: function\n'

function assistant(...references: string[]): string {
  const tools = JSON.stringify(references)
  return `name: A\nassistantToolIds: ${tools}\n`
}

describe('a project that passes', () => {
  test('contains its resources after their dependencies, by kind and name', async () => {
    const { resources, warnings } = await projectOf({
      'assistants/z.yaml': assistant('${tool:b}', '${tool:a}', '${tool:b}'),
      'assistants/a.yaml': 'name: A\nassistantSystemPrompt: forward to ${assistant:z}, ask ${kb:faq}\n',
      'tools/b.yaml': tool,
      'tools/sub/a.json': '{"type":"function"}',
      'tools/a.yml': `${tool}server: { url: "\${tool:sub/a}" }\n`,
      'knowledge-bases/faq.yaml': knowledgeBaseText('k'),
      'README.md': 'no resource',
      'other/x.yaml': 'no: resource',
    })
    expect(resources.map(({ address, needs }) => [address, needs])).toEqual([
      ['tool/sub/a', []],
      ['tool/a', ['tool/sub/a']],
      ['tool/b', []],
      ['kb/faq', []],
      ['assistant/z', ['tool/b', 'tool/a']],
      ['assistant/a', ['assistant/z', 'kb/faq']],
    ])
    expect(warnings).toEqual([])
  })

  test('may be empty', async () => {
    expect(await projectOf({})).toMatchObject({ resources: [], warnings: [] })
  })

  test('may have any file names', async () => {
    const names = ['my tool (old)', 'v1.2', 'größe', '工具', 'a=b', '-dash', 'constructor', 'sub folder/x.y']
    const { resources, warnings } = await projectOf({
      ...Object.fromEntries(names.map(name => [`tools/${name}.yaml`, tool])),
      'assistants/a.yaml': assistant(...names.map(name => `\${tool:${name}}`)),
    })
    expect(warnings).toEqual([])
    expect(resources.at(-1)?.needs).toEqual(names.map(name => `tool/${name}`))
    expect(new Set(resources.map(({ address }) => address)).size).toBe(names.length + 1)
  })
})

describe('unused resources', () => {
  test('is reported as a warning, with how to refer to it', async () => {
    const { warnings } = await projectOf({
      'tools/my tool.yaml': tool,
      'tools/used.yaml': tool,
      'knowledge-bases/faq.yaml': knowledgeBaseText('k'),
      'assistants/a.yaml': assistant('${tool:used}'),
    })
    expect(warnings).toMatchObject([
      {
        code: 'unused',
        severity: 'warning',
        file: join('tools', 'my tool.yaml'),
        message: 'no file refers to tool/my tool',
        hint: 'use it in an assistant: ${tool:my tool}',
      },
      { code: 'unused', message: 'no file refers to kb/faq' },
    ])
  })

  test('uses a knowledge base by the id in an assistant', async () => {
    const { warnings } = await projectOf({
      'knowledge-bases/faq.yaml': knowledgeBaseText('k1'),
      'assistants/a.yaml':
        'name: A\nassistantPredefinedTools: { knowledgeBase: true }\nassistantKnowledgeBaseIds: [k1]\n',
    })
    expect(warnings).toEqual([])
  })
})

describe('a project that does not pass', () => {
  test('reports an unknown reference at its position with suggestions', async () => {
    const findings = await findingsOf({
      'tools/book.yaml': tool,
      'knowledge-bases/faq.yaml': knowledgeBaseText('k'),
      'assistants/a.yaml': 'name: A\nassistantToolIds:\n  - ${tool:book}\n  - ${tool:boook}\n',
    })
    expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([
      {
        code: 'unknown-reference',
        file: join('assistants', 'a.yaml'),
        position: { line: 4, column: 5 },
        message: 'assistantToolIds[1] refers to ${tool:boook}, but tools/ has no such file',
        hint: 'did you mean ${tool:book}?',
      },
    ])
  })

  test.each([
    ['${kb:book}', 'did you mean ${tool:book}?'],
    ['${tool:zzzzzzzz}', 'available: ${tool:book}, ${tool:cancel}'],
    ['${kb:zzzzzzzz}', 'knowledge-bases/ is empty'],
    ['${tool:BOOK}', 'did you mean ${tool:book}?'],
  ])('%s: %s', async (reference, hint) => {
    const findings = await findingsOf({
      'tools/book.yaml': tool,
      'tools/cancel.yaml': tool,
      'assistants/a.yaml': assistant(reference),
    })
    expect(findings.find(({ code }) => code === 'unknown-reference')).toMatchObject({ hint })
  })

  test('reports a cycle once, at its first reference', async () => {
    const prompt = (name: string) => `name: A\nassistantSystemPrompt: "\${assistant:${name}}"\n`
    const findings = await findingsOf({
      'assistants/a.yaml': prompt('b'),
      'assistants/b.yaml': prompt('c'),
      'assistants/c.yaml': prompt('a'),
    })
    expect(findings).toMatchObject([
      {
        code: 'circle',
        file: join('assistants', 'a.yaml'),
        position: { line: 2, column: 24 },
        message: 'circular reference: assistant/a → assistant/b → assistant/c → assistant/a',
      },
    ])
  })

  test('a file that refers to itself', async () => {
    const findings = await findingsOf({ 'assistants/a.yaml': assistant('${assistant:a}') })
    expect(findings).toMatchObject([
      { code: 'circle', message: 'assistant/a refers to itself, but has no id before it is created' },
    ])
  })

  test('two files with the same name', async () => {
    const findings = await findingsOf({ 'tools/a.json': '{"type":"function"}', 'tools/a.yaml': tool })
    expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([
      {
        code: 'duplicate',
        file: join('tools', 'a.yaml'),
        message: expect.stringContaining(`${join('tools', 'a.json')} is already tool/a`),
      },
    ])
  })

  test('folder of another kind’s name', async () => {
    const findings = await findingsOf({ 'tools/assistants/a.yaml': tool })
    expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([
      {
        code: 'unclear-kind',
        message: 'this file is in tools/, but in a subfolder for assistant files',
        hint: expect.stringContaining('rename the folder assistants/'),
      },
    ])
  })

  test('a knowledge base without an id', async () => {
    const findings = await findingsOf({ 'knowledge-bases/a.yaml': 'faq: []\n' })
    expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'missing', file: join('knowledge-bases', 'a.yaml'), position: { line: 1, column: 1 } },
    ])
  })

  test('CSV entries have no room for the id', async () => {
    const findings = await findingsOf({ 'knowledge-bases/a.csv': 'question,answer\nQ,A\n' })
    expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([
      {
        code: 'missing',
        message: expect.stringContaining('CSV'),
        hint: 'add its id to callyard.yaml: knowledgeBases: { a: <id> }',
      },
    ])
  })

  test('a tool as CSV', async () => {
    const findings = await findingsOf({ 'tools/a.csv': 'question,answer\nQ,A\n' })
    expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([{ code: 'wrong-format' }])
  })

  test('the findings of all files are shown, and that nothing was sent', async () => {
    const folder = await folderOf({
      'tools/a.yaml': 'type: nonsense\n',
      'tools/empty.yaml': '',
      'assistants/b.yaml': 'name: 1\n',
      'assistants/broken.yaml': 'name: [\n',
    })
    await expect(projectIn(folder)).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/in 4 files; nothing was sent$/),
    })
  })

  test('does not report unused resources next to errors', async () => {
    const findings = await findingsOf({ 'tools/a.yaml': tool, 'assistants/b.yaml': 'name: 1\n' })
    expect(findings.map(({ severity }) => severity)).toEqual(['error'])
  })
})

test('an unknown key passes where it is allowed', async () => {
  const files = { 'assistants/a.yaml': 'name: A\nnew: 1\n' }
  expect(await findingsOf(files)).toMatchObject([{ code: 'unknown-key' }])
  const project = await projectOf(files, { allowUnknown: true })
  expect(resourceAt(project, 'assistant/a').checked.body).toEqual({ name: 'A', new: 1 })
})
