/** The call log of this machine: calls before and after their request, their outcomes, and decisions about approvals. Nothing here prints. */
export {
  callLogStatuses,
  findLoggedNumbers,
  type LoggedCall,
  logCall,
  logDecision,
  loggedCallSchema,
  pruneCallLog,
  type RequestedCall,
  readCallLog,
} from './call-log.ts'
