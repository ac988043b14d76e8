import type { StoredCall } from '../../files/formats/control-api.ts'
import { endpoints } from '../../interface/endpoints.ts'
import { isObject } from '../../lib/json.ts'
import { startCallBody } from '../call/calls.ts'
import { invalidBody } from '../records/problem.ts'
import { checkAssistant } from '../records/resources.ts'
import type { World } from '../world.ts'
import { checkBody } from './request-body.ts'
import type { RequestFields } from './route-table.ts'

/** Create call (interface.md 4.1) inside of this process, without the HTTP server. @throws Problem as over HTTP */
export async function placeCheckedCall(world: World, call: unknown): Promise<StoredCall> {
  const body = checkBody(call, endpoints.startCall.body(world.vocabulary))
  return world.calls.start(startCallBody().parse(withCheckedAssistant(body, world)))
}

/** @throws Problem 422 for an inline assistant that has what no schema can check */
export function withCheckedAssistant(body: RequestFields, { store }: World): RequestFields {
  const findings = isObject(body.assistant) ? checkAssistant(body.assistant, store, ['assistant']) : []
  if (findings.length > 0) throw invalidBody(findings)
  return body
}
