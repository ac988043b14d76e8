import type { Core } from '../core.ts'

export const callEngine: Core = {
  about: 'who speaks when in a simulated call',
  sources: ['src/sandbox/engine/{call-engine,call-state,turn-taking,floor,speaking,phone-outcome}.ts'],
  tests: ['test/sandbox/engine/{call-course,turn-taking,phone-outcome}.test.ts'],
  equivalent: [
    {
      file: 'call-engine.ts',
      becomes: [
        '? step({ ...queueUtterance(state, "", plan.idle.message), idleMessages: state.idleMessages + 1 })',
        '? queueUtterance(withFloor(state), "", event.text)',
        ': { ...queueUtterance(quiet, "", filler), acknowledged: quiet.acknowledged + 1 },',
      ],
      why: 'Only welcomes, replies and closing words are treated in a way of their own.',
    },
    {
      file: 'call-state.ts',
      becomes: ['welcomed: true,', 'thinkAgain: true,'],
      why: 'Both are set before they are read: the one when the call is picked up, the other when a reply is asked for.',
    },
    {
      file: 'floor.ts',
      becomes: ['const silences = state.silences - 1'],
      why: 'The numbers of silences need only differ.',
    },
  ],
}
