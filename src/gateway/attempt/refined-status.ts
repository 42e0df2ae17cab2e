/** Statuses that providers report by the code of an error alone. */
const statusOfCode = new Map([
  ['model_not_found', 404],
  ['insufficient_quota', 402],
  ['invalid_api_key', 401],
  // Groq refuses a prompt above its rate with 413.
  ['rate_limit_exceeded', 429],
  ['ThrottlingException', 429],
])

/** Statuses that providers report by the message alone. */
const statusOfMessage: readonly [message: RegExp, status: number][] = [
  // Google
  [/^API key (?:not valid|expired|not found)/i, 401],
  [/^user location is not supported/i, 403],
  // Anthropic, xAI
  [/credit balance is too low|has used all available credits/i, 402],
]

/** Statuses of refusals whose cause can be the provider or its account instead of the request. */
const ambiguousStatuses: ReadonlySet<number> = new Set([400, 403, 413, 422, 429])

/** The status that a refusal should have. It decides whether another endpoint is tried, and which fault counts. */
export function refineStatus(status: number, code: string | undefined, message: string): number {
  if (!ambiguousStatuses.has(status)) return status
  const ofCode = code === undefined ? undefined : statusOfCode.get(code)
  return ofCode ?? statusOfMessage.find(([pattern]) => pattern.test(message))?.[1] ?? status
}

/** Error codes of a provider's content policy, and of unusable output of its model. */
const modelSpecificCodes: ReadonlySet<string | undefined> = new Set([
  'content_filter',
  'content_policy_violation',
  'data_inspection_failed',
  // Groq
  'tool_use_failed',
  'json_validate_failed',
])

/** Whether the provider or its model is the reason for a refusal, so that another endpoint can answer the request. */
export const isModelSpecificRefusal = (code: string | undefined) => modelSpecificCodes.has(code)
