import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import assistant from '../../starter/assistants/front-desk.yaml'
import project from '../../starter/callwright.yaml'
import knowledgeBase from '../../starter/knowledge-bases/workshop.yaml'
import tool from '../../starter/tools/book-appointment.yaml'

/** The starter project, path → content. It travels inside the bundle. */
const starterFiles = {
  'callwright.yaml': project,
  'assistants/front-desk.yaml': assistant,
  'tools/book-appointment.yaml': tool,
  'knowledge-bases/workshop.yaml': knowledgeBase,
} as const

/** Writes the starter project into a folder that is known to be empty. */
export async function writeStarterFiles(folder: string): Promise<void> {
  for (const [path, content] of Object.entries(starterFiles)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content, { flag: 'wx' })
  }
}
