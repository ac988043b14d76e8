import { expectTypeOf, test } from 'vitest'
import type { CallObservation } from '../../../src/files/formats/call-observation.ts'
import type {
  ActiveFault,
  CallView,
  FaqRecord,
  RequestRecord,
  RequestSummary,
  ShownClock,
  StoredRecord,
} from '../../../src/files/formats/control-api.ts'
import type { WorldEvent } from '../../../src/sandbox/events.ts'
import type { shownClock } from '../../../src/sandbox/http/control-worlds.ts'
import type { World } from '../../../src/sandbox/index.ts'

/** The value after a round trip through JSON: undefined members are omitted. */
type AsJson<Value> = { [Key in keyof Value]: AsJson<Exclude<Value[Key], undefined>> }

type Listed<List extends (...given: never[]) => Iterable<unknown>> =
  ReturnType<List> extends Iterable<infer Item> ? AsJson<Item> : never

/** The data of an event of the stream, by its name. */
type DataOf<Kind extends WorldEvent['kind']> = AsJson<Omit<Extract<WorldEvent, { kind: Kind }>, 'kind'>>

test('the sandbox page reads the control API’s response about a world', () => {
  expectTypeOf<Listed<World['calls']['list']>>().toExtend<CallView>()
  expectTypeOf<Listed<World['requests']['list']>>().toExtend<RequestRecord>()
  expectTypeOf<Listed<World['faults']['list']>>().toExtend<ActiveFault>()
  expectTypeOf<Listed<World['store']['tools']>>().toExtend<StoredRecord>()
  expectTypeOf<AsJson<FaqRecord>>().toExtend<FaqRecord>()
  expectTypeOf<AsJson<ReturnType<typeof shownClock>>>().toExtend<ShownClock>()
  expectTypeOf<DataOf<'call'>>().toExtend<{ observation: CallObservation }>()
  expectTypeOf<DataOf<'request'>>().toExtend<{ request: RequestSummary }>()
})
