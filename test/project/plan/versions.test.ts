import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Section, TargetState } from '../../../src/project/lockfile/index.ts'
import { readVersions } from '../../../src/project/plan/index.ts'
import { readSeeds } from '../../../src/project/resources/index.ts'
import { writeFiles } from '../../helpers/folders.ts'
import { appliedSection, planOf, withRecorded } from '../apply/applied.ts'
import { folderOf, projectIn } from '../apply/project-on-disk.ts'

const files = {
  'tools/book.yaml':
    'type: function\nasync: true\nfunction: {name: book}\nserver: {url: "https://a.example.com"}\n',
  'knowledge-bases/faq.yaml':
    'knowledgeBaseId: k\nfaq:\n- {id: e1, question: Open?, answer: Nine to six}\n- {id: e2, question: Where?, answer: "Call ${tool:book}"}\n',
  'prompts/desk.md': 'Be short.\nBe kind.\n',
  'assistants/desk.yaml':
    'name: Desk\nwelcomeMessage: Hi {{name}} from ${env:CITY:-here}\nassistantSystemPrompt: ${file:../prompts/desk.md}\nassistantToolIds: ["${tool:book}"]\nidleTimeout: 20\n',
}

const texts = {
  e1: { question: 'Open?', answer: 'Nine to six' },
  e2: { question: 'Where?', answer: 'Call ${tool:book}' },
}

async function versionsOf(
  after: Record<string, string | undefined>,
  {
    env = {},
    was = env,
    edit = section => section,
  }: {
    env?: Record<string, string>
    was?: Record<string, string>
    edit?: (section: Section) => Section
  } = {},
) {
  const folder = await folderOf(files)
  const before = await projectIn(folder, { env: was })
  const section = edit(withRecorded(appliedSection(before), 'kb/faq', recorded => ({ ...recorded, texts })))
  const built = build(readSeeds(before))
  for (const [name, text] of Object.entries(after))
    await (text === undefined ? rm(join(folder, name)) : writeFiles(folder, { [name]: text }))
  const project = await projectIn(folder, { env })
  const plan = planOf(project, section)
  const state = new TargetState({ targets: { test: section } }, 'test', section)
  return { before: built, now: build(readSeeds(project)), ...readVersions(project, state, plan) }
}

/** Resources by address, with references as `<address>`. The entries of a knowledge base count, not the list of its file. */
function build(seeds: ReturnType<typeof readSeeds>) {
  return seeds.map(({ address, build }) => {
    const { body, entries } = build(other => (other === 'tool/gone' ? '' : `<${other}>`))
    return [address, { body: { ...body, faq: undefined }, entries }] as const
  })
}

const none = () => false
const all = () => true

test('unchanged files have no changes, and one version', async () => {
  const { changes, withChanges, unknown, before } = await versionsOf({})
  expect({ changes, unknown }).toEqual({ changes: [], unknown: [] })
  expect(build(withChanges(none))).toEqual(before)
})

test('restores the deployed fields, entries and included files, and includes single changes', async () => {
  const env = { CITY: 'Ghent' }
  const after = {
    'tools/book.yaml': files['tools/book.yaml'].replace('"}', '", key: other}'),
    'knowledge-bases/faq.yaml':
      'knowledgeBaseId: k\nfaq:\n- {id: e1, question: Open?, answer: Ten to six}\n- {id: e2, question: Where?, answer: "Call ${tool:book}"}\n- {question: New?, answer: Yes}\n',
    'prompts/desk.md': 'Be short.\nBe brave.\n',
    'assistants/desk.yaml': files['assistants/desk.yaml']
      .replace('Hi', 'Hello')
      .replace('idleTimeout: 20\n', 'maxCallDuration: 5\n'),
  }
  // The target of the entry's file has its own id for it.
  const edit = (section: Section) =>
    withRecorded(section, 'kb/faq', ({ entries = {}, ...recorded }) => ({
      ...recorded,
      entries: { ...entries, e1: { id: 'm1', hash: String(entries.e1) } },
    }))
  const { before, now, changes, withChanges, unknown, assistants } = await versionsOf(after, { env, edit })
  expect(build(withChanges(none))).toStrictEqual(before)
  expect(build(withChanges(all))).toStrictEqual(now)
  expect(unknown).toEqual([])
  expect(assistants).toEqual(['assistant/desk'])
  expect(
    changes.map(({ file, path, position, question }) => [
      file,
      path.join('.'),
      `${position?.line}:${position?.column}`,
      question,
    ]),
  ).toEqual([
    ['tools/book.yaml', 'server.key', '4:40', undefined],
    ['knowledge-bases/faq.yaml', 'faq.0.answer', '3:37', 'Open?'],
    ['knowledge-bases/faq.yaml', 'faq.2', '5:3', 'New?'],
    ['assistants/desk.yaml', 'welcomeMessage', '2:1', undefined],
    ['prompts/desk.md', 'assistantSystemPrompt', '2:1', undefined],
    ['assistants/desk.yaml', 'maxCallDuration', '5:1', undefined],
    ['assistants/desk.yaml', 'idleTimeout', '1:1', undefined],
  ])
  const [, hours, , welcome] = changes
  expect(build(withChanges(change => change === hours))[1]?.[1].entries).toMatchObject([
    { answer: 'Ten to six' },
    { answer: 'Call <tool/book>' },
  ])
  expect(build(withChanges(change => change === welcome))[2]?.[1].body).toStrictEqual({
    ...before[2]?.[1].body,
    welcomeMessage: 'Hello {{name}} from Ghent',
  })
})

test.each([
  ['an included file that is shorter', { 'prompts/desk.md': 'Be short.' }, 'prompts/desk.md', 1],
  [
    'the text beside an included file',
    { 'assistants/desk.yaml': files['assistants/desk.yaml'].replace('desk.md}', 'desk.md} Be kind.') },
    'assistants/desk.yaml',
    3,
  ],
  [
    'a field that a file has now',
    {
      'tools/book.yaml': files['tools/book.yaml'].replace('name: book', 'name: "${file:../prompts/desk.md}"'),
    },
    'prompts/desk.md',
    1,
  ],
  [
    'a field that another file has now',
    {
      'assistants/desk.yaml': files['assistants/desk.yaml'].replace('desk.md', 'other.md'),
      'prompts/other.md': 'Be brief.',
    },
    'prompts/other.md',
    1,
  ],
])('a change of %s is located', async (_, after, file, line) => {
  const { changes } = await versionsOf(after)
  expect(changes).toMatchObject([{ file, position: { line } }])
})

test('restores the deployed entries of a knowledge base whose file was renamed', async () => {
  const before = files['knowledge-bases/faq.yaml']
  const { withChanges, before: built } = await versionsOf({
    'knowledge-bases/faq.yaml': undefined,
    'knowledge-bases/hours.yaml': before.replace('Nine', 'Ten'),
  })
  const addresses = ['tool/book', 'kb/hours', 'assistant/desk']
  const seeds = build(withChanges(none))
  expect(seeds.map(([address]) => address)).toEqual(addresses)
  expect(seeds[1]?.[1]).toEqual(built[1]?.[1])
})

test('keeps tools and knowledge bases without a file, with what the lockfile has of them', async () => {
  const name = '${env:CITY:-here}, ${env:NONE:-there}${env:NONE}, ${file:a.md}, ${kb:faq}, ${odd}'
  const question = '${env:CITY} ${kb:faq} ${tool:gone}'
  const edit = (section: Section): Section => ({
    ...section,
    resources: {
      ...section.resources,
      'tool/old': {
        ...{ id: 't', body: { type: 'function', function: { name } } },
        ...{ env: { CITY: 'hash' }, files: { 'a.md': { hash: 'hash', text: 'note' } } },
      },
      'kb/old': {
        body: { knowledgeBaseId: 'o' },
        entries: { o1: 'h', o2: 'h' },
        texts: { o1: { question } },
      },
      'kb/older': { body: { knowledgeBaseId: 'p' } },
      'assistant/old': { id: 'a', body: { name: 'Old' } },
    },
  })
  const { withChanges, unknown, assistants } = await versionsOf(
    { 'assistants/new.yaml': 'name: New\n' },
    { env: { CITY: 'Ghent' }, edit },
  )
  expect(assistants).toEqual(['assistant/desk'])
  expect(unknown).toEqual([{ code: 'variable', address: 'tool/old', name: 'CITY' }])
  const faq = undefined
  expect(build(withChanges(none)).slice(0, 3)).toEqual([
    [
      'kb/old',
      {
        body: { knowledgeBaseId: 'o', faq },
        entries: [{ question: '${env:CITY} <kb/faq> ${tool:gone}', answer: '' }],
      },
    ],
    ['kb/older', { body: { knowledgeBaseId: 'p', faq }, entries: [] }],
    [
      'tool/old',
      {
        body: { type: 'function', function: { name: 'here, there, note, <kb/faq>, ${odd}' }, faq },
        entries: [],
      },
    ],
  ])
})

test('a variable that was unset has its default in the deployed version', async () => {
  const { withChanges, unknown } = await versionsOf({}, { was: {}, env: { CITY: 'Ghent' } })
  const seeds = Object.fromEntries(build(withChanges(none)))
  expect(seeds['assistant/desk']?.body).toMatchObject({ welcomeMessage: 'Hi {{name}} from here' })
  expect(unknown).toEqual([])
})

test('keeps removed entries, which an apply leaves at the service, with variables as they are now', async () => {
  const removed = { question: 'From ${env:CITY}, ${env:GONE}, $${env:CITY}?', answer: 'Yes' }
  const { withChanges, changes } = await versionsOf(
    {
      'knowledge-bases/faq.yaml':
        'knowledgeBaseId: k\nfaq:\n- {id: e1, question: Open?, answer: Nine to six}\n- {question: "${env:CITY}", answer: New}\n',
    },
    {
      env: { CITY: 'Ghent' },
      edit: section =>
        withRecorded(section, 'kb/faq', recorded => ({ ...recorded, texts: { ...texts, e2: removed } })),
    },
  )
  expect(changes).toMatchObject([{ path: ['faq', 1], question: '${env:CITY}' }])
  expect(build(withChanges(none))[1]?.[1].entries).toEqual([
    texts.e1,
    { question: 'From Ghent, ${env:GONE}, ${env:CITY}?', answer: 'Yes' },
  ])
})

test('reports values that the lockfile does not contain, and uses those of the files for them', async () => {
  const { unknown, withChanges } = await versionsOf(
    {
      'knowledge-bases/faq.yaml':
        'knowledgeBaseId: k\nfaq:\n- {id: e1, question: Open?, answer: Ten to six}\n',
    },
    {
      was: { CITY: 'Ghent' },
      env: { CITY: 'Lille' },
      edit: section => withRecorded(section, 'kb/faq', ({ texts: _, ...recorded }) => recorded),
    },
  )
  expect(unknown).toEqual([
    { code: 'entries', address: 'kb/faq', count: 2 },
    { code: 'variable', address: 'assistant/desk', name: 'CITY' },
  ])
  const seeds = Object.fromEntries(build(withChanges(none)))
  expect(seeds['kb/faq']?.entries).toMatchObject([{ answer: 'Ten to six' }])
  expect(seeds['assistant/desk']?.body).toMatchObject({ welcomeMessage: 'Hi {{name}} from Lille' })
})
