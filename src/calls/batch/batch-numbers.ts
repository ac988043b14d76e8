import type { BatchFile } from '../../files/formats/batch.ts'
import type { Diagnostic } from '../../files/source/index.ts'
import { isCountry, phoneNumberReader } from '../place/index.ts'
import { batchFinding } from './findings.ts'

/**
 * Reads the numbers of a batch itself: those that calls come from, in E.164 form, and the country of numbers without a country code.
 * `file` is the place of findings.
 */
export async function readBatchNumbers({ from, defaultCountry }: BatchFile, file: string) {
  const readSender = await phoneNumberReader()
  const problems: Diagnostic[] = []
  if (defaultCountry !== undefined && !(await isCountry(defaultCountry))) {
    const location = { file, position: undefined, path: ['defaultCountry'] }
    problems.push(batchFinding(location, 'unknown-country', { country: defaultCountry }))
  }
  const read = (written: string) => {
    const sender = readSender(written)
    if ('number' in sender) return sender.number
    const { problem, readings } = sender
    problems.push(
      batchFinding({ file, position: undefined, path: ['from'] }, 'invalid-sender', {
        ...{ written, readings },
        problem,
      }),
    )
    return written
  }
  const senders = [from]
    .flat()
    .map(sender => (typeof sender === 'string' ? read(sender) : { ...sender, number: read(sender.number) }))
  return { from: senders, readNumber: await phoneNumberReader(defaultCountry), problems }
}
