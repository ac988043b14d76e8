/** Calls: built from files and flags, placed at the service, and followed to their end. Nothing here prints or asks. */
export { accessByPlace, accessOfProject, unconfirmedAccess } from './access.ts'
export { type ChosenAssistant, chooseAssistant, notFollowable, resolveId } from './assistant.ts'
export { type CalledService, calledService } from './called-service.ts'
export type { CallDeps, Warning } from './deps.ts'
export { type CallOutcome, followCall, sendEventsTo } from './follow.ts'
export { type ParsedNumber, phoneNumberParser } from './phone-number.ts'
export { type CallRequest, connectRequest, type PlacedCall, placeCall, startRequest } from './place.ts'
export { type CallParamsOptions, callParams, findUnusedVariables } from './request.ts'
