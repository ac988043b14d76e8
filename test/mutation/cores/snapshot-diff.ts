import type { Core } from '../core.ts'

export const snapshotDiff: Core = {
  about: 'what differs from what was last sent',
  sources: ['src/project/plan/diff.ts'],
  tests: ['test/project/plan/diff.test.ts'],
  equivalent: [
    {
      file: 'diff.ts',
      becomes: ['const merged: Piece[] = ["Stryker was here"]'],
      why: 'both sides begin with the same text then',
    },
    {
      file: 'diff.ts',
      becomes: ['return true ? (files?.[segment.path]?.text ?? segment.written) : segment.written'],
      why: 'what is no file has no path, and no file is on record without one',
    },
    {
      file: 'diff.ts',
      becomes: [
        'if (true) segmentsByText.set(segment.written, segment)',
        'if (segment.kind !== "") segmentsByText.set(segment.written, segment)',
      ],
      why: 'a text among the references has no note: only variables and resources have',
    },
  ],
}
