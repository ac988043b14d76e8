import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { Writer } from './kills.ts'
import { startService } from './service.ts'

const entriesAtOnce = 60
const asks = z.object({
  error: z.object({ unknown: z.array(z.object({ question: z.optional(z.string()) })) }),
})

/** `faq push` of a file of no project: ids are spliced into the file, its batches kept beside it. */
export const faqPush: Writer = {
  name: 'faq push',
  async open(tools) {
    const cwd = await tools.folder()
    const service = await startService(tools)
    const file = join(cwd, 'faq.yaml')
    let count = 0
    let asked = 0
    const entriesOf = () =>
      Array.from({ length: entriesAtOnce }, () => {
        count += 1
        return `  - question: "Question ${count}?"\n    answer: a\n`
      }).join('')
    await writeFile(file, `knowledgeBaseId: kb\nfaq:\n${entriesOf()}`)
    const flags: string[] = []
    const withIds = async () =>
      new Map(
        [...(await readFile(file, 'utf8')).matchAll(/- id: (\S+)\n {4}question: "(.*)"/g)].map(
          ([, id = '', question = '']): [string, string] => [question, id],
        ),
      )
    return {
      cwd,
      env: service.env(await tools.folder()),
      // What a person said holds for one run: the next one may be killed with another batch on its way.
      argv: () => ['faq', 'push', 'faq.yaml', '--json', '--batch-size', '6', ...flags.splice(0)],
      async ended({ exitCode, stdout }) {
        if (exitCode === 0) return
        if (exitCode !== 9) throw new Error(`faq push ended ${exitCode}: ${stdout}`)
        asked += 1
        let text = await readFile(file, 'utf8')
        for (const { question = '' } of asks.parse(JSON.parse(stdout)).error.unknown) {
          const id = service.entries.find(entry => entry.question === question)?.id
          if (id !== undefined)
            text = text.replace(
              `- question: ${JSON.stringify(question)}`,
              `- id: ${id}\n    question: ${JSON.stringify(question)}`,
            )
        }
        await writeFile(file, text)
        flags.push('--resend-unknown')
      },
      isDone: async () => (await withIds()).size === count,
      renew: async () => writeFile(file, (await readFile(file, 'utf8')) + entriesOf()),
      async count() {
        const ids = await withIds()
        const stored = new Map(service.entries.map(({ id, question }) => [id, question]))
        return {
          lost: [...ids].filter(([question, id]) => stored.get(id) !== question).length,
          doubled: service.entries.length - new Set(service.entries.map(({ question }) => question)).size,
          late: asked,
          detail: `${count} entries; late: batches that a person settled`,
        }
      },
    }
  },
}
