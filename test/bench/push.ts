import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { knowledgeBaseText } from './inputs.ts'
import { startInstantService } from './instant-service.ts'
import { megabytesOf, runNode, secondsOf } from './processes.ts'
import { interleaved } from './rounds.ts'
import { atMost, defineBench } from './table.ts'

/** Pushes entries to a service that responds immediately; each run has a new file. */
export const pushBench = defineBench({
  name: 'push',
  rows: {
    some: { work: '`faq push` of 10,000 new entries', unit: 's', goal: atMost(2) },
    many: {
      work: '`faq push` of 100,000 new entries',
      unit: 's',
      floor: '1 s for 1,000 requests',
      goal: atMost(12),
    },
    manyMemory: { work: '`faq push` of 100,000 new entries: peak memory', unit: 'MB', goal: atMost(500) },
    entryMemory: {
      work: '`faq push` of 100,000 new entries: memory for each, above that of 1 entry',
      unit: 'KB',
      goal: atMost(1.5),
    },
    unchanged: { work: '`faq push` of 10,000 entries, unchanged', unit: 's', goal: atMost(0.4) },
  },
  async measure({ bin, folder, rounds }) {
    const service = await startInstantService()
    const pushed = async (entries: number) => {
      const cwd = await mkdtemp(join(folder, 'push-'))
      await writeFile(join(cwd, 'kb.yaml'), knowledgeBaseText('kb', entries))
      const push = () =>
        runNode([bin, 'faq', 'push', 'kb.yaml'], { cwd, env: service.env, timeoutSeconds: 60 })
      return { first: await push(), push }
    }
    const { push } = await pushed(10_000)
    try {
      const samples = await interleaved(rounds(3), {
        some: async () => (await pushed(10_000)).first,
        many: async () => (await pushed(100_000)).first,
        one: async () => (await pushed(1)).first,
        unchanged: push,
      })
      const manyMemory = megabytesOf(samples.many)
      const base = megabytesOf(samples.one)
      return {
        some: secondsOf(samples.some),
        many: secondsOf(samples.many),
        manyMemory,
        entryMemory: { value: ((manyMemory.value - base.value) * 1024) / 100_000 },
        unchanged: secondsOf(samples.unchanged),
      }
    } finally {
      service.close()
    }
  },
})
