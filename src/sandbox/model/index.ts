/** Models that speak the chat completions protocol: the client that sandboxes, judges and simulated callers share. */

export {
  type ChatMessage,
  type ChatModel,
  type ChatRequest,
  type ChatToolCall,
  type CompleteResponse,
  completeResponse,
  ModelFailure,
  type ModelRequest,
  type ModelUse,
} from './chat-model.ts'
export { parseArguments } from './chat-wire.ts'
export { createOpenAiModel } from './lazy-model.ts'
