/** What was asked and answered, as it is kept. */
export type Content = {
  /** `parameters`: all else that the request said of how it is to be answered; null where that is too long. */
  input: { messages: readonly unknown[]; parameters?: object | null }
  output: { completion: string | null; reasoning: string | null; tool_calls: ToolCallText[] }
  error: ContentError | null
  /** Whether some of it was left out, as it was too long. */
  truncated: boolean
}

export type ToolCallText = { id: string; name: string; arguments: string }

/** Why there is no answer, or no whole one. `raw` is never kept. */
export type ContentError = {
  message: string | null
  status: number | null
  provider_name: string | null
  raw: null
  previous_errors: { code: number; message: string; provider_name: string | null; raw: null }[]
}

/** Whose content it is, and when it was asked. */
export type ContentOwner = {
  id: string
  organizationId: string
  workspaceId: string
  keyHash: string
  userId: string
  createdAt: number
}
