import { type RecordedCalls, readRecordedCalls, readRecording } from '../../../src/events/recordings/index.ts'
import { callEvents, type SampleCall } from '../../helpers/events.ts'
import { recordingFile } from '../../helpers/recordings.ts'

export async function readBodies(bodies: readonly unknown[]): Promise<RecordedCalls> {
  const bytes = (async function* () {
    yield Buffer.from(recordingFile(...bodies))
  })()
  return readRecordedCalls(readRecording({ name: 'stdin', bytes }))
}

export async function readCall(sample: SampleCall) {
  const { calls } = await readBodies(callEvents(sample))
  const [call] = calls
  if (call === undefined) throw new Error('there is no call')
  return call
}
