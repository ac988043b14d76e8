import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeRecording } from './inputs.ts'
import { megabytesOf, runNode, secondsOf } from './processes.ts'
import { interleaved } from './rounds.ts'
import { atMost, defineBench } from './table.ts'

/** Printing every call of a recording of 100,000 events, against replaying it; and one call, or what all lack, of a million. */
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
    last: { work: '`webhook show --last` of 1,000,000 events: peak memory', unit: 'MB', goal: atMost(250) },
    test: { work: '`test record --last` of 1,000,000 events: peak memory', unit: 'MB', goal: atMost(250) },
    report: { work: '`report` of 100,000 events', unit: 's', goal: atMost(2) },
    reportMemory: { work: '`report` of 100,000 events: peak memory', unit: 'MB', goal: atMost(200) },
    reportPerEvent: {
      work: '`report`: time of an event at 1,000,000, against at 100,000',
      unit: 'times',
      goal: atMost(1.3),
    },
    reportOfMany: { work: '`report` of 1,000,000 events: peak memory', unit: 'MB' },
    gaps: { work: '`test gaps` of 1,000,000 events: peak memory', unit: 'MB', goal: atMost(250) },
  },
  async measure({ bin, folder, rounds }) {
    await writeRecording(join(folder, 'calls.ndjson'))
    const samples = await interleaved(rounds(3), {
      show: () => runNode([bin, 'webhook', 'show', 'calls.ndjson', '--all'], { cwd: folder }),
      replay: () => runNode([bin, 'webhook', 'replay', 'calls.ndjson'], { cwd: folder }),
    })
    const report = (file: string) => runNode([bin, 'report', file], { cwd: folder, timeoutSeconds: 600 })
    await writeRecording(join(folder, 'timed.ndjson'), { withTimes: true })
    const reports = await interleaved(rounds(3), { some: () => report('timed.ndjson') })
    await writeRecording(join(folder, 'timed.ndjson'), { calls: 10_000, withTimes: true })
    const manyReports = await interleaved(1, { some: () => report('timed.ndjson') })
    await rm(join(folder, 'timed.ndjson'))
    await writeRecording(join(folder, 'many.ndjson'), { calls: 10_000 })
    const ofMany = (...argv: string[]) => runNode([bin, ...argv], { cwd: folder, timeoutSeconds: 600 })
    const many = await interleaved(1, {
      last: () => ofMany('webhook', 'show', 'many.ndjson', '--last'),
      test: () => ofMany('test', 'record', 'many.ndjson', '--last'),
      gaps: () => ofMany('test', 'gaps', 'many.ndjson'),
    })
    return {
      last: megabytesOf(many.last),
      test: megabytesOf(many.test),
      report: secondsOf(reports.some),
      reportMemory: megabytesOf(reports.some),
      reportPerEvent: { value: secondsOf(manyReports.some).value / secondsOf(reports.some).value / 10 },
      reportOfMany: megabytesOf(manyReports.some),
      gaps: megabytesOf(many.gaps),
      show: { ...secondsOf(samples.show), floor: secondsOf(samples.replay).value },
      memory: { ...megabytesOf(samples.show), floor: megabytesOf(samples.replay).value },
    }
  },
})
