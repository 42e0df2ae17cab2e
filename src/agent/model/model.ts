/** A tool call of the model. `arguments` is the JSON that the model wrote, which can be invalid. */
export type ToolCall = { id: string; name: string; arguments: string }

export type AssistantMessage = {
  role: 'assistant'
  text: string
  reasoning?: string
  calls?: ToolCall[]
  /** Data that the provider requires unchanged in the next request, such as signed reasoning. */
  details?: unknown[]
}

/** `data` is base64. */
export type Image = { mimeType: string; data: string }

/** A message of a conversation, independent of any provider's format. */
export type Message =
  | { role: 'system'; text: string }
  /** `isReminder`: written by the agent itself instead of the user. */
  | { role: 'user'; text: string; images?: Image[]; isReminder?: true }
  | AssistantMessage
  | { role: 'tool'; callId: string; text: string; images?: Image[] }

export type ToolDescription = { name: string; description: string; parameters: Record<string, unknown> }

/** A request without tools asks for text only; compaction makes such requests. */
export type ModelRequest = { messages: Message[]; tools: ToolDescription[]; signal: AbortSignal }

/** The usage of one model call: tokens, and the cost in USD if the provider reports it. */
export type Usage = {
  promptTokens: number
  completionTokens: number
  cachedTokens?: number
  reasoningTokens?: number
  costUsd?: number
}

export type Finish = 'stop' | 'tool_calls' | 'length' | 'refusal'

export type ModelEvent =
  | { type: 'text.added'; text: string }
  | { type: 'reasoning.added'; text: string }
  /** Always the last event. `model` is the name that the provider reported. */
  | { type: 'message.completed'; message: AssistantMessage; finish: Finish; usage?: Usage; model?: string }

/** A model is a function that yields the events of its response. It throws `ModelFault` if the model does not answer. */
export type Model = (request: ModelRequest) => AsyncIterable<ModelEvent>

/** The reason why the model gave no response. Its message is for the user. `isContextTooLong`: the context did not fit. */
export class ModelFault extends Error {
  override readonly name = 'ModelFault'
  readonly retryable: boolean
  readonly status: number | undefined
  readonly isContextTooLong: boolean
  /** The usage of an incomplete response, if known. */
  usage: Usage | undefined
  /** The delay before the next attempt that the service asked for, in milliseconds. */
  retryAfterMs: number | undefined

  constructor(message: string, details: { retryable: boolean; status?: number; isContextTooLong?: boolean }) {
    super(message)
    this.retryable = details.retryable
    this.status = details.status
    this.isContextTooLong = details.isContextTooLong ?? false
  }
}
