import type { Context } from '../../cli/context.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { openProjectForSandbox, type SandboxProject } from '../../library/apply-project.ts'
import { agreeToAccess } from '../project/agree-to-access.ts'
import { warnOf } from '../project/in-project.ts'

/** A project that a sandbox begins with. Shows its warnings; a person agrees to what its files use. */
export async function readProject(
  folder: string,
  vocabulary: Vocabulary,
  context: Context,
): Promise<SandboxProject> {
  const project = await openProjectForSandbox(folder, { ...context.files, vocabulary })
  warnOf(project.warnings, context)
  for (const file of project.files) context.willSend(file)
  // The sandbox calls the servers that the files name.
  await agreeToAccess(context, { service: false })
  return project
}
