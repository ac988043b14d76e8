import { expect, test } from 'vitest'
import type { Section } from '../../src/lockfile/index.ts'
import { readState, readVersions } from '../../src/plan/index.ts'
import { readSeeds } from '../../src/resources/index.ts'
import { writeFiles } from '../helpers/folders.ts'
import { appliedSection, planOf, withRecorded } from '../project/applied.ts'
import { folderOf, projectIn } from '../project/project-on-disk.ts'

const files = {
  'tools/book.yaml':
    'type: function\nasync: true\nfunction: {name: book}\nserver: {url: "https://a.example.com"}\n',
  'knowledge-bases/faq.yaml':
    'knowledgeBaseId: k\nfaq:\n- {id: e1, question: Open?, answer: Nine to six}\n- {id: e2, question: Where?, answer: Canal Street}\n',
  'prompts/desk.md': 'Be short.\nBe kind.\n',
  'assistants/desk.yaml':
    'name: Desk\nwelcomeMessage: Hi {{name}} from ${env:CITY:-here}\nassistantSystemPrompt: ${file:../prompts/desk.md}\nassistantToolIds: ["${tool:book}"]\nidleTimeout: 20\n',
}

const texts = {
  e1: { question: 'Open?', answer: 'Nine to six' },
  e2: { question: 'Where?', answer: 'Canal Street' },
}

async function versionsOf(
  after: Record<string, string>,
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
  await writeFiles(folder, after)
  const project = await projectIn(folder, { env })
  const plan = planOf(project, section)
  const state = readState({ targets: { test: section } }, section, 'test')
  return { before: built, now: build(readSeeds(project)), ...readVersions(project, state, plan) }
}

/** Resources by address, with references as `<address>`. The entries of a knowledge base count, not the list of its file. */
function build(seeds: ReturnType<typeof readSeeds>) {
  return seeds.map(({ address, build }) => {
    const { body, entries } = build(other => `<${other}>`)
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
  const { before, now, changes, withChanges, unknown, assistants } = await versionsOf({
    'knowledge-bases/faq.yaml':
      'knowledgeBaseId: k\nfaq:\n- {id: e1, question: Open?, answer: Ten to six}\n- {id: e2, question: Where?, answer: Canal Street}\n- {question: New?, answer: Yes}\n',
    'prompts/desk.md': 'Be short.\nBe brave.\n',
    'assistants/desk.yaml': files['assistants/desk.yaml']
      .replace('Hi', 'Hello')
      .replace('idleTimeout: 20\n', 'maxCallDuration: 5\n'),
  })
  expect(build(withChanges(none))).toEqual(before)
  expect(build(withChanges(all))).toEqual(now)
  expect(unknown).toEqual([])
  expect(assistants).toEqual(['assistant/desk'])
  expect(
    changes.map(({ file, path, position, question }) => [file, path.join('.'), position?.line, question]),
  ).toEqual([
    ['knowledge-bases/faq.yaml', 'faq.0.answer', 3, 'Open?'],
    ['knowledge-bases/faq.yaml', 'faq.2', 5, 'New?'],
    ['assistants/desk.yaml', 'welcomeMessage', 2, undefined],
    ['prompts/desk.md', 'assistantSystemPrompt', 2, undefined],
    ['assistants/desk.yaml', 'maxCallDuration', 5, undefined],
    ['assistants/desk.yaml', 'idleTimeout', 1, undefined],
  ])
  const [hours] = changes
  expect(build(withChanges(change => change === hours))[1]?.[1].entries).toMatchObject([
    { answer: 'Ten to six' },
    { answer: 'Canal Street' },
  ])
})

test('keeps removed entries and tools, which an apply leaves at the service', async () => {
  const { withChanges, changes } = await versionsOf({
    'knowledge-bases/faq.yaml':
      'knowledgeBaseId: k\nfaq:\n- {id: e1, question: Open?, answer: Nine to six}\n',
  })
  expect(changes).toEqual([])
  for (const isIncluded of [none, all])
    expect(build(withChanges(isIncluded))[1]?.[1].entries).toEqual([texts.e1, texts.e2])
})

test('reports values that the lockfile does not contain, and uses those of the files for them', async () => {
  const { unknown, withChanges } = await versionsOf(
    {
      'knowledge-bases/faq.yaml':
        'knowledgeBaseId: k\nfaq:\n- {id: e1, question: Open?, answer: Ten to six}\n- {id: e2, question: Where?, answer: Canal Street}\n',
    },
    {
      was: { CITY: 'Ghent' },
      env: { CITY: 'Lille' },
      edit: section => withRecorded(section, 'kb/faq', ({ texts: _, ...recorded }) => recorded),
    },
  )
  expect(unknown).toEqual([
    { code: 'entries', address: 'kb/faq', count: 1 },
    { code: 'variable', address: 'assistant/desk', name: 'CITY' },
  ])
  const seeds = Object.fromEntries(build(withChanges(none)))
  expect(seeds['kb/faq']?.entries[0]).toMatchObject({ answer: 'Ten to six' })
  expect(seeds['assistant/desk']?.body).toMatchObject({ welcomeMessage: 'Hi {{name}} from Lille' })
})
