/** Placing and controlling calls: the request from files and flags, normalized phone numbers, access of files. Nothing here prints or asks. */
export { accessByPath, accessOfProject, unconfirmedAccess } from './access.ts'
export { type ChosenAssistant, chooseAssistant, notFollowable, resolveId } from './assistant.ts'
export { type CalledService, calledService, isOnThisMachine } from './called-service.ts'
export { fetchEvents, recordedEventsOf, sendCallCommand } from './control.ts'
export type { CallDeps, Warning } from './deps.ts'
export {
  describeNumberProblem,
  isCountry,
  type NumberReader,
  phoneNumberReader,
  readingsOf,
  type UnusableNumber,
} from './phone-number.ts'
export { type CallRequest, connectRequest, type PlacedCall, placeCall, startRequest } from './place.ts'
export { callParams, describeExpressions, findUsedVariables } from './request.ts'
export { sendEventsTo } from './send-events-to.ts'
