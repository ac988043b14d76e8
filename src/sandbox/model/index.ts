/** Client of models that speak the chat completions protocol: for replies, judges and simulated callers. */

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
