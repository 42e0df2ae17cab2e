/** The counts of a response that Bedrock adds to its last event, beside or instead of usage. */
export type WithBedrockMetrics = { 'amazon-bedrock-invocationMetrics'?: Record<string, unknown> | null }

/** Reads Bedrock's counts. `input` does not include the cached tokens. */
export function readBedrockMetrics({ 'amazon-bedrock-invocationMetrics': metrics }: WithBedrockMetrics) {
  return (
    metrics && {
      input: metrics.inputTokenCount,
      output: metrics.outputTokenCount,
      cacheRead: metrics.cacheReadInputTokenCount,
      cacheWritten: metrics.cacheWriteInputTokenCount,
    }
  )
}
