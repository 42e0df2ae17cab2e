/** A tool call of the model. `arguments` is JSON as the model wrote it: it may be invalid. */
export type ToolCall = { id: string; name: string; arguments: string }

export type AssistantMessage = {
  role: 'assistant'
  text: string
  reasoning?: string
  calls?: ToolCall[]
  /** Data that a provider wants back unchanged with the next request, such as signed thoughts. */
  details?: unknown[]
}

/** `data` is base64. */
export type Image = { mimeType: string; data: string }

/** One turn of a conversation, in no provider's shape. */
export type Message =
  | { role: 'system'; text: string }
  /** `isReminder`: said by the agent itself, in the place of the user. */
  | { role: 'user'; text: string; images?: Image[]; isReminder?: true }
  | AssistantMessage
  | { role: 'tool'; callId: string; text: string; images?: Image[] }

export type ToolDescription = { name: string; description: string; parameters: Record<string, unknown> }

/** A request without tools asks for text only; compaction makes such requests. */
export type ModelRequest = { messages: Message[]; tools: ToolDescription[]; signal: AbortSignal }

/** The usage of one call of the model: tokens, and the cost in USD if the provider names it. */
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
  /** Always the last event. `model` is the name the provider answered under. */
  | { type: 'answer.completed'; message: AssistantMessage; finish: Finish; usage?: Usage; model?: string }

/** A model is a function: it yields its answer piece by piece, and throws `ModelFault` when there is none. */
export type Model = (request: ModelRequest) => AsyncIterable<ModelEvent>

/** Why the model gave no answer, in words for the person who waits for it. `tooLong`: the context did not fit. */
export class ModelFault extends Error {
  override readonly name = 'ModelFault'
  readonly retryable: boolean
  readonly status: number | undefined
  readonly tooLong: boolean
  /** The usage of an answer before it broke off, if known. */
  usage: Usage | undefined

  constructor(message: string, about: { retryable: boolean; status?: number; tooLong?: boolean }) {
    super(message)
    this.retryable = about.retryable
    this.status = about.status
    this.tooLong = about.tooLong ?? false
  }
}
