import type { CostLookupKind } from '#catalogue/index/model.ts'
import type { CompletionEvent, TokenCounts } from '#chat/events.ts'
import { type PicoUsd, toPicoUsd } from '#platform/core/pico-usd.ts'
import type { ProviderProtocol } from '../protocol/provider-protocol.ts'

/** A later report of a provider about a response: its bill or its tokens. */
export type ReportedBill = { cost?: PicoUsd | undefined; tokens?: TokenCounts | undefined }

type CostLookupProtocol = {
  /** @param id the provider's id of the response. */
  path: (id: string) => string
  /** @returns undefined if the response has no bill yet. */
  read: (body: unknown, protocol: Pick<ProviderProtocol, 'readBody'>) => ReportedBill | undefined
}

/** The APIs with which providers report the cost of an earlier response. A new API is a line here and a word in the catalogue. */
export const costLookupProtocols: Record<CostLookupKind, CostLookupProtocol> = {
  openrouter: { path: (id) => `/generation?id=${encodeURIComponent(id)}`, read: openRouterBill },
  'openai-responses': { path: (id) => `/responses/${encodeURIComponent(id)}`, read: responseBill },
}

/** The states of a response whose usage is complete. */
const finishedStates = new Set<unknown>(['completed', 'incomplete', 'failed', 'cancelled'])

function openRouterBill(body: unknown): ReportedBill | undefined {
  const { data } = Object(body) as { data?: unknown }
  const bill = Object(data) as Record<string, unknown>
  const total = readAmount(bill.total_cost)
  if (total === undefined) return undefined
  // With a key of its customer, OpenRouter bills its fee, and the provider the inference.
  const inference = bill.is_byok === true ? (readAmount(bill.upstream_inference_cost) ?? 0) : 0
  return { cost: toPicoUsd(total + inference), tokens: openRouterTokens(bill) }
}

function openRouterTokens(bill: Record<string, unknown>): TokenCounts | undefined {
  const prompt = readTokenCount(bill.native_tokens_prompt)
  const completion = readTokenCount(bill.native_tokens_completion)
  if (prompt === undefined || completion === undefined) return undefined
  return {
    prompt,
    completion,
    cacheWritten: 0,
    cached: Math.min(readTokenCount(bill.native_tokens_cached) ?? 0, prompt),
    reasoning: Math.min(readTokenCount(bill.native_tokens_reasoning) ?? 0, completion),
  }
}

function responseBill(body: unknown, { readBody }: Pick<ProviderProtocol, 'readBody'>): ReportedBill | undefined {
  const { status, usage } = Object(body) as { status?: unknown; usage?: unknown }
  if (!finishedStates.has(status) || !usage) return undefined
  const report = readBody(body).find(
    (event): event is Extract<CompletionEvent, { type: 'usage' }> => event.type === 'usage',
  )
  return report && { tokens: report.tokens }
}

/** Reads an amount in USD. An amount of a million or more for one response is not plausible. */
const readAmount = (value: unknown) => (typeof value === 'number' && value >= 0 && value < 1e6 ? value : undefined)
const readTokenCount = (value: unknown) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined
