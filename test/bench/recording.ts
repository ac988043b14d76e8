import { join } from 'node:path'
import { writeRecording } from './inputs.ts'
import { megabytesOf, runNode, secondsOf } from './processes.ts'
import { interleaved } from './rounds.ts'
import { atMost, defineBench } from './table.ts'

/** Printing every call of a recording of 100,000 events, against replaying it. */
export const recordingBench = defineBench({
  name: 'recording',
  rows: {
    show: {
      work: '`webhook show --all` of 100,000 events, 89 MB',
      unit: 's',
      floor: '`webhook replay` of the same',
      goal: atMost(2),
    },
    memory: {
      work: '`webhook show --all` of 100,000 events: peak memory',
      unit: 'MB',
      floor: '`webhook replay` of the same',
      goal: atMost(200),
    },
  },
  async measure({ bin, folder, rounds }) {
    await writeRecording(join(folder, 'calls.ndjson'))
    const samples = await interleaved(rounds(3), {
      show: () => runNode([bin, 'webhook', 'show', 'calls.ndjson', '--all'], { cwd: folder }),
      replay: () => runNode([bin, 'webhook', 'replay', 'calls.ndjson'], { cwd: folder }),
    })
    return {
      show: { ...secondsOf(samples.show), floor: secondsOf(samples.replay).value },
      memory: { ...megabytesOf(samples.show), floor: megabytesOf(samples.replay).value },
    }
  },
})
