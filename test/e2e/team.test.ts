import { describe, expect, onTestFinished, test } from 'vitest'
import { runTeam } from '../attack/team/run-team.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { bin } from '../helpers/run-bin.ts'

describe('a team', { tags: 'nats-server' }, () => {
  test('loses and reorders nothing while a relay, a tail and the broker are killed', async () => {
    const outcome = await runTeam(
      {
        ...{ events: 800, calls: 80, brokers: 1, relays: 2, tails: 2, perSecond: 200 },
        schedule: [
          { at: 0.1, kind: 'relay' },
          { at: 0.3, kind: 'all-brokers' },
          { at: 0.6, kind: 'tail' },
        ],
        downMs: { tail: 500, broker: 500 },
      },
      {
        bin,
        folder: temporaryFolder,
        onEnd: work => onTestFinished(async () => void (await work())),
        note() {},
      },
    )
    expect(outcome).toMatchObject({
      counts: { relay: 1, 'all-brokers': 1, tail: 1 },
      stream: { lost: 0, doubled: 0 },
      messages: { lost: 0, disordered: 0 },
      recorded: { lost: 0, disordered: 0 },
      exitCodes: [0, 0, 0, 0],
    })
  })
})
