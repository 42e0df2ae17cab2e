/** The stored content of a request and its response. */
export type Content = {
  /** `parameters`: all other fields of the request; null if they are too long. */
  input: { messages: readonly unknown[]; parameters?: object | null }
  output: { completion: string | null; reasoning: string | null; tool_calls: ToolCallText[] }
  error: ContentError | null
  /** Whether some content was cut. */
  truncated: boolean
}

export type ToolCallText = { id: string; name: string; arguments: string }

/** The error of a failed or incomplete response. `raw` is never stored. */
export type ContentError = {
  message: string | null
  status: number | null
  provider_name: string | null
  raw: null
  previous_errors: { code: number; message: string; provider_name: string | null; raw: null }[]
}

/** The owner and the time of the content. */
export type ContentOwner = {
  id: string
  organizationId: string
  workspaceId: string
  keyHash: string
  userId: string
  createdAt: number
}
