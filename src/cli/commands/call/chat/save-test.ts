import { dirname, join } from 'node:path'
import { nameOf } from '../../../../files/formats/address.ts'
import { displayName } from '../../../../files/source/index.ts'
import { CallyardError } from '../../../../lib/error.ts'
import { makeFolder } from '../../../../lib/fs/make-folder.ts'
import { writePrivateFile } from '../../../../lib/fs/private-file.ts'
import { cannotWrite } from '../../../../lib/fs/replace-file.ts'
import { isObject } from '../../../../lib/json.ts'
import { count } from '../../../../lib/text/count.ts'
import { advice, bold, text } from '../../../../lib/text/text.ts'
import { resourceInProject } from '../../../../project/resources/index.ts'
import type { CallRecorder } from '../../../../scenario/record/call-recorder.ts'
import {
  draftTest,
  expectationKinds,
  readProjectNames,
  renderTest,
  selectActive,
} from '../../../../scenario/record/index.ts'
import { suggest } from '../../../shell/advice.ts'
import type { Context } from '../../../shell/context.ts'
import { draftNotes } from '../../../shell/render/draft-notes.ts'
import { withModeline } from '../../project-schemas.ts'
import type { PreparedCall } from './prepare.ts'

/**
 * Writes the test of a chat to tests/ of the project. Without a model it expects the same replies. A model replies differently each time,
 * so its replies are only proposed in comments.
 * @throws CallyardError `usage` outside a project, and if the file exists
 */
export async function saveTest(
  name: string,
  { observed, prepared, llm }: { observed: CallRecorder; prepared: PreparedCall; llm: unknown },
  context: Context,
): Promise<void> {
  const { output, cwd } = context
  const assistant = await resourceInProject(prepared.sources.assistant, context.files)
  const { project } = await context.settings()
  const folder = assistant?.folder ?? (project === undefined ? undefined : dirname(project.file))
  if (folder === undefined) {
    throw new CallyardError('usage', 'the test was not saved: not in a project', {
      ...suggest`create one: ${['init']}`,
    })
  }
  const names = await readProjectNames(folder, cwd)
  const assistantName = assistant === undefined ? undefined : nameOf(assistant.address)
  const course = observed.toReplayableCall({ id: undefined, name: assistantName }, prepared.variables.set)
  const draft = draftTest(course, names)
  if (draft.turns.length === 0)
    throw new CallyardError('usage', 'the test was not saved: nothing was said yet')
  const active = selectActive(draft, asksModel(prepared, llm) ? ['ends', 'calls'] : expectationKinds)
  const withOthers = active.size < draft.proposals.length
  const notes = draftNotes(draft, { callId: undefined, hasOthers: withOthers })
  const path = join(folder, 'tests', `${name}.test.yaml`)
  const file = displayName(path, cwd)
  await makeFolder(dirname(path)).catch(error => {
    throw cannotWrite(file, error)
  })
  const test = renderTest(draft, { active, withOthers, notes })
  const content = await withModeline(test, path, 'test', context)
  await writePrivateFile(file, content, { force: false }, context)
  const saved = { file, turns: draft.turns.length, expectations: active.size }
  output.event({ kind: 'test-saved', ...saved }, () => {
    const size = `${count(saved.turns, 'turn')}, ${count(saved.expectations, 'expectation')}`
    return text`Wrote ${bold(file)}: ${size}; ${advice(`callyard test ${file}`)}`
  })
}

/** True if a model replies in this call. */
function asksModel({ body }: PreparedCall, llm: unknown): boolean {
  const { assistant } = body
  return llm !== undefined || (isObject(assistant) && assistant.assistantProvider === 'custom-llm')
}
