/** The call log of this machine: calls before and after their request, their outcomes, and the decisions about approvals. */
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
