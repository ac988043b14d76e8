import type { Project as ProjectSettings } from '../../../src/files/formats/project.ts'
import type { Section } from '../../../src/project/lockfile/index.ts'
import type { Plan } from '../../../src/project/plan/index.ts'
import { writeFiles } from '../../helpers/folders.ts'
import { appliedSection, planOf } from './applied.ts'
import { folderOf, projectIn } from './project-on-disk.ts'

/** A tool, a knowledge base, and two assistants of which one refers to the tool and the other to it. */
export const starter = {
  'tools/book.yaml':
    'type: function\nasync: true\nfunction: {name: book}\nserver: {url: "https://a.example.com"}\n',
  'knowledge-bases/faq.yaml': 'knowledgeBaseId: k\nfaq:\n- {id: e1, question: Q, answer: A}\n',
  'assistants/desk.yaml':
    'name: Desk\nwelcomeMessage: Hi\nassistantSystemPrompt: Be short\nassistantToolIds: ["${tool:book}"]\n',
  'assistants/sales.yaml': 'name: Sales\nassistantSystemPrompt: Ask ${assistant:desk}\n',
}
/** The same action for all of them. */
export const allOf = (action: string) =>
  Object.fromEntries(
    ['tool/book', 'kb/faq', 'assistant/desk', 'assistant/sales'].map(address => [address, action]),
  )

/** A project that was applied, and what is planned once its files are these. */
export async function replan(
  files: Record<string, string>,
  settings: ProjectSettings = {},
  { edit = section => section }: { edit?: (section: Section) => Section } = {},
): Promise<Plan> {
  const folder = await folderOf(starter)
  const section = appliedSection(await projectIn(folder))
  await writeFiles(folder, files)
  return planOf(await projectIn(folder, { settings }), edit(section))
}

/** Another text of the tool, without its type. */
export function tool(fields: string): Record<string, string> {
  return { 'tools/book.yaml': `type: function\n${fields}` }
}
