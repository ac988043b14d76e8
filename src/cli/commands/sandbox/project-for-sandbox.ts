import type { Vocabulary } from '../../../interface/vocabulary.ts'
import { openProjectForSandbox, type SandboxProject } from '../../../library/apply-project.ts'
import type { Context } from '../../shell/context.ts'
import { agreeToAccess } from '../consent.ts'
import { printWarnings } from '../warnings.ts'

/** A project that a sandbox begins with. Shows its warnings; a person agrees to what its files use. */
export async function projectForSandbox(
  folder: string,
  vocabulary: Vocabulary,
  context: Context,
): Promise<SandboxProject> {
  const project = await openProjectForSandbox(folder, { ...context.files, vocabulary })
  printWarnings(project.warnings, context)
  for (const file of project.files) context.willSend(file)
  // The sandbox calls the servers that the files name.
  await agreeToAccess(context, { service: false })
  return project
}
