import type { HeadersRequest, RequestHeaders } from '../../protocol/client-protocol.ts'

/**
 * Betas that do not raise the cost above the reservation. Under a spending limit no others are sent, because a longer
 * context or a faster model has another price.
 */
const priceNeutralBetas =
  /^(?:claude-code|oauth|interleaved-thinking|fine-grained-tool-streaming|prompt-caching|prompt-caching-scope|extended-cache-ttl|token-efficient-tools|output-128k|max-tokens-3-5-sonnet|computer-use|pdfs|structured-outputs|files-api|tool-search-tool|tool-examples|advanced-tool-use|effort|web-search|web-fetch|code-execution|context-management|redact-thinking|adaptive-thinking|search-results|token-counting|thinking-token-count|thinking-display-updates|mid-conversation-(?:system|tool-changes|output-config)|per-turn-control|cache-diagnosis|model-context-window-exceeded|output-300k|inline-tools|message-batches)-\d{4}-?\d{2}-?\d{2}$/

/** The last version of the API that accepts sampling fields. A preset can add them to a request of a newer client. */
const versionWithSampling = '2023-06-01'
const samplingFields = ['temperature', 'top_p', 'top_k']

/** The client's headers for an upstream of the same protocol. */
export function toUpstreamHeaders(
  headers: RequestHeaders,
  { body, isLimited }: HeadersRequest,
): Record<string, string> {
  const hasSampling = samplingFields.some((name) => body[name] != null)
  const version = hasSampling ? versionWithSampling : headers['anthropic-version']
  const betas = String(headers['anthropic-beta'] ?? '')
    .split(',')
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '' && (!isLimited || priceNeutralBetas.test(beta)))
  const upstreamHeaders: Record<string, string> = {}
  if (typeof version === 'string') upstreamHeaders['anthropic-version'] = version
  if (betas.length > 0) upstreamHeaders['anthropic-beta'] = betas.join(',')
  return upstreamHeaders
}
