import { expectTypeOf, test } from 'vitest'
import type { CallView } from '../../src/sandbox/call/calls.ts'
import type { CallObservation, WorldEvent } from '../../src/sandbox/events.ts'
import type { ActiveFault } from '../../src/sandbox/faults/fault-rules.ts'
import type { shownClock } from '../../src/sandbox/http/control-worlds.ts'
import type { RequestRecord } from '../../src/sandbox/records/request-journal.ts'
import type { FaqRecord } from '../../src/sandbox/records/store.ts'
import type {
  CallAsHeld,
  Observation,
  PageClock,
  PageFaqEntry,
  PageFault,
  PageRequest,
  WorldEvents,
} from '../../src/watch/sandbox-wire.ts'

/** What arrives of a value that is sent as JSON: a member that is undefined is left out. */
type AsJson<Value> = { [Key in keyof Value]: AsJson<Exclude<Value[Key], undefined>> }

/** Without the signature of an open object: a name that the sandbox does not have is no member of it. */
type NameIn<Value> = keyof { [Key in keyof Value as string extends Key ? never : Key]: Value[Key] }

/** The data of an event of the stream, by its name. */
type DataOf<Kind extends WorldEvent['kind']> = AsJson<Omit<Extract<WorldEvent, { kind: Kind }>, 'kind'>>

test('what the control API answers is what the page of the sandbox reads', () => {
  expectTypeOf<AsJson<CallView>>().toExtend<CallAsHeld>()
  expectTypeOf<keyof CallAsHeld>().toExtend<NameIn<CallView>>()
  expectTypeOf<AsJson<CallObservation>>().toExtend<Observation>()
  expectTypeOf<Observation['kind']>().toEqualTypeOf<CallObservation['kind']>()
  expectTypeOf<AsJson<RequestRecord>>().toExtend<PageRequest>()
  expectTypeOf<keyof PageRequest>().toEqualTypeOf<keyof RequestRecord>()
  expectTypeOf<AsJson<ActiveFault>>().toExtend<PageFault>()
  expectTypeOf<ReturnType<typeof shownClock>>().toExtend<PageClock>()
  expectTypeOf<AsJson<FaqRecord>>().toExtend<PageFaqEntry>()
  expectTypeOf<DataOf<'call'>>().toExtend<WorldEvents['call']>()
  expectTypeOf<DataOf<'request'>>().toExtend<WorldEvents['request']>()
})
