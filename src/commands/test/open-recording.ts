import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Context } from '../../cli/context.ts'
import { assertWritable } from '../../cli/private-file.ts'
import { cannotWrite } from '../../lib/fs/replace-file.ts'
import {
  type CallCourse,
  type RecordedCall,
  readRecordedCalls,
  redactCourses,
} from '../../scenario/record/index.ts'
import { type CallChoice, readRecording, selectCalls } from '../../webhook/index.ts'
import { doubtText } from '../webhook/print-events.ts'
import { warnOfSkipped } from '../webhook/show-recording.ts'
import type { RedactOptions } from './record.ts'

/**
 * The calls of a recording; `-` is stdin. Warns of what is left out. Of a file only the chosen calls are kept, where the choice is
 * clear.
 */
export async function openRecording(
  file: string,
  context: Context,
  choice: CallChoice = {},
): Promise<readonly RecordedCall[]> {
  const isStdin = file === '-'
  const source = isStdin ? { name: 'stdin', lines: (await context.readLines()).lines } : context.resolve(file)
  const only = isStdin ? undefined : await selectCalls(readRecording(source), choice)
  const recording = await readRecordedCalls(readRecording(source), only)
  warnOfSkipped(recording, context)
  if (recording.isDoubtful) context.output.warn(...doubtText)
  return recording.calls
}

export function isRedacted({ redact, redactAlso }: RedactOptions): boolean {
  return redact === true || redactAlso !== undefined
}

export function redactedCourses(
  courses: readonly CallCourse[],
  options: RedactOptions,
): readonly CallCourse[] {
  return isRedacted(options) ? redactCourses(courses, options.redactAlso) : courses
}

/** Before a person is asked. The folder of the file is made. */
export async function assertNew(
  file: string,
  options: { readonly force: boolean },
  context: Context,
): Promise<void> {
  await mkdir(dirname(context.resolve(file)), { recursive: true }).catch(error => {
    throw cannotWrite(file, error)
  })
  await assertWritable(file, options, context)
}
