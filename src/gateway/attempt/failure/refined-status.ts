/** Statuses that providers report by the code of an error alone. */
const statusOfCode = new Map([
  ['model_not_found', 404],
  ['insufficient_quota', 402],
  ['invalid_api_key', 401],
  // Groq refuses a prompt above its rate with 413.
  ['rate_limit_exceeded', 429],
  ['ThrottlingException', 429],
  ['model_not_supported', 404],
  ['model_decommissioned', 404],
  // DashScope
  ['InvalidApiKey', 401],
  ['Arrearage', 402],
  // Moonshot, Volcengine, OpenAI, New API, DeepSeek
  ['exceeded_current_quota_error', 402],
  ['AccountOverdueError', 402],
  ['billing_not_active', 402],
  ['insufficient_user_quota', 402],
  ['insufficient_balance', 402],
])

/** Statuses that providers report by the message alone. */
const statusOfMessage: readonly [message: RegExp, status: number][] = [
  // Google
  [/^API key (?:not valid|expired|not found)/i, 401],
  [/^user location is not supported/i, 403],
  // xAI, DashScope
  [/^incorrect api key|^no api-key provided|^invalid api[- ]key/i, 401],
  // Zhipu and others
  [/余额不足|账户已?欠费|insufficient (?:account )?balance/i, 402],
  [/organization has been disabled|account (?:has been |is )?(?:disabled|suspended|deactivated)/i, 403],
  [/^(?:the )?model \S* ?(?:does not exist|not found|not exist|has been decommissioned)/i, 404],
  [/^(?:unknown|unsupported|invalid) model\b/i, 404],
  // Bedrock
  [/with on-demand throughput isn.t supported/i, 404],
  [/^too many requests|\b(?:rate|request|qps|rpm|tpm) limit (?:is |was )?(?:exceeded|reached)/i, 429],
  // Anthropic, xAI
  [/credit balance is too low|has (?:either )?used all available credits|doesn't have any credits/i, 402],
  [/^you have reached your specified (?:\S+ )?usage limits/i, 402],
]

/** Statuses of refusals whose cause can be the provider or its account instead of the request. */
const ambiguousStatuses: ReadonlySet<number> = new Set([400, 401, 403, 413, 422, 429])

/**
 * Corrects the status of an upstream error by its code or message. The result decides whether another endpoint is tried, and
 * which error the client receives.
 */
export function refineStatus(status: number, code: string | undefined, message: string): number {
  return ambiguousStatuses.has(status) ? (findImpliedStatus(code, message) ?? status) : status
}

/** Returns the status that the code or the message of an error implies; undefined if they imply none. */
export function findImpliedStatus(code: string | undefined, message: string): number | undefined {
  const statusFromCode = code === undefined ? undefined : statusOfCode.get(code)
  return statusFromCode ?? statusOfMessage.find(([pattern]) => pattern.test(message))?.[1]
}

/** Error codes of a provider's content policy, and of unusable output of its model. */
const modelSpecificCodes: ReadonlySet<string | undefined> = new Set([
  'content_filter',
  'content_policy_violation',
  'data_inspection_failed',
  'DataInspectionFailed',
  // Groq
  'tool_use_failed',
  'json_validate_failed',
])

/** Whether the provider or its model is the reason for a refusal, so that another endpoint can answer the request. */
export const isModelSpecificRefusal = (code: string | undefined) => modelSpecificCodes.has(code)
