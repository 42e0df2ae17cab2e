import type { CompletionEvent, Extras, TokenCounts, TokenParts } from '#chat/events.ts'

/** The unvalidated counts of a provider. A missing count is 0. */
export type ReportedCounts = {
  prompt: unknown
  completion: unknown
  /**
   * The prompt and completion that result if the server counts cached or reasoning tokens in the other way, within these counts or
   * separately. The values that match the total apply.
   */
  otherPrompt?: unknown
  otherCompletion?: unknown
  total?: unknown
  /** Describes how the counts of several events contradict each other. */
  mismatch?: string
} & Partial<Record<'cached' | 'cacheWritten' | 'reasoning' | keyof TokenParts, unknown>>

/** Billed units other than tokens, by name, and the service tier that answered. */
export type ReportedExtras = {
  pieces?: Record<string, unknown>
  serviceTier?: unknown
  /** Runs of other models, whose counts are parts of the counts of the response. */
  models?: readonly { name: string; counts: ReportedCounts }[]
}

/** More than any real count, and small enough for exact costs and sums. */
const maxCount = 1e9

type PromptAndCompletion = { prompt: number; completion: number; mismatch?: string }

/** The counts of a response, with each part limited to its whole. */
function limitParts(reported: ReportedCounts, { prompt, completion }: PromptAndCompletion): TokenCounts {
  const cached = Math.min(readCount(reported.cached) ?? 0, prompt)
  const parts = readParts(reported)
  return {
    prompt,
    completion,
    cached,
    cacheWritten: Math.min(readCount(reported.cacheWritten) ?? 0, prompt - cached),
    reasoning: Math.min(readCount(reported.reasoning) ?? 0, completion),
    ...(parts && { parts }),
  }
}

/**
 * Prompt and completion that match the total. If none match, the larger counts are billed. Undefined if one is invalid or
 * both are missing: then the usage is estimated.
 */
function reconcileTotals(reported: ReportedCounts): PromptAndCompletion | undefined {
  if (reported.prompt == null && reported.completion == null) return undefined
  const total = readCount(reported.total) || undefined
  const prompt = readCount(reported.prompt ?? remainder(total, reported.completion))
  const completion = readCount(reported.completion ?? remainder(total, reported.prompt))
  if (prompt === undefined || completion === undefined) return undefined
  const otherPrompt = readCount(reported.otherPrompt) ?? prompt
  const otherCompletion = readCount(reported.otherCompletion) ?? completion
  if (total === undefined) {
    // Reasoning within the completion cannot be longer than the completion.
    const isReasoningSeparate = (readCount(reported.reasoning) ?? 0) > completion
    return { prompt, completion: isReasoningSeparate ? otherCompletion : completion }
  }
  const possibleCounts: PromptAndCompletion[] = [
    { prompt, completion },
    { prompt, completion: otherCompletion },
    { prompt: otherPrompt, completion },
    { prompt: otherPrompt, completion: otherCompletion },
  ]
  const exact = possibleCounts.find((counts) => counts.prompt + counts.completion === total)
  if (exact) return exact
  const mismatch = `a total of ${total} tokens for a prompt of ${prompt} and a completion of ${completion}`
  return { prompt, completion: Math.max(completion, total - prompt), mismatch }
}

/** The tokens that a server reports only within its total. */
function remainder(total: number | undefined, other: unknown): number {
  return total === undefined ? 0 : Math.max(0, total - (readCount(other) ?? total))
}

const partNames = ['cacheWritten1h', 'audioPrompt', 'audioCompletion', 'imageCompletion'] as const

/** The reported parts. The price calculation limits them to their whole. */
function readParts(reported: ReportedCounts): TokenParts | undefined {
  let parts: TokenParts | undefined
  for (const name of partNames) {
    const count = readCount(reported[name])
    if (!count) continue
    parts ??= {}
    parts[name] = count
  }
  return parts
}

/** The usage event; none if the counts are invalid. */
export function usageEvents(reported: ReportedCounts, reportedExtras?: ReportedExtras): CompletionEvent[] {
  const totals = reconcileTotals(reported)
  if (!totals) return []
  const tokens = limitParts(reported, totals)
  const extras = reportedExtras && readExtras(reportedExtras)
  const mismatch = reported.mismatch ?? totals.mismatch
  return [{ type: 'usage', tokens, ...(extras && { extras }), ...(mismatch !== undefined && { mismatch }) }]
}

/** More than any provider uses for one request. */
const maxPieces = 100_000
/** Limits the kinds of units, which are stored with the request. */
const maxUnits = 100

function readExtras({ pieces, serviceTier, models: reportedModels }: ReportedExtras): Extras | undefined {
  const reported: Record<string, number> = {}
  let units = 0
  for (const unit in pieces) {
    const count = readCount(pieces[unit])
    if (count !== undefined && count <= maxPieces) reported[unit] = count
    if (++units === maxUnits) break
  }
  const tier = readTier(serviceTier)
  const models = reportedModels && readModels(reportedModels)
  const hasPieces = Object.keys(reported).length > 0
  if (!hasPieces && tier === undefined && !models) return undefined
  return {
    ...(hasPieces && { pieces: reported }),
    ...(tier !== undefined && { serviceTier: tier }),
    ...(models && { models }),
  }
}

function readModels(reported: NonNullable<ReportedExtras['models']>): Extras['models'] {
  const runs = reported.slice(0, maxUnits).flatMap(({ name, counts }) => {
    const totals = reconcileTotals(counts)
    return totals ? [{ name, tokens: limitParts(counts, totals) }] : []
  })
  return runs.length > 0 ? runs : undefined
}

/** The names of providers for their default service tier. */
const standardTiers: ReadonlySet<unknown> = new Set(['default', 'standard', 'on_demand'])
/** Limits the stored name of a tier. */
const maxTierLength = 40

/** The tier that served the request, including the default one, because another may have been requested. */
function readTier(reported: unknown): string | undefined {
  if (typeof reported !== 'string' || reported === '' || reported === 'auto') return undefined
  const name = reported.toLowerCase()
  return standardTiers.has(name) ? 'default' : name.slice(0, maxTierLength)
}

/** A valid count of tokens or units; undefined for other values. */
export function readCount(reported: unknown): number | undefined {
  return Number.isInteger(reported) && (reported as number) >= 0 && (reported as number) <= maxCount
    ? (reported as number)
    : undefined
}

/** The sum of separately reported counts; NaN if one is invalid. */
export function sumCounts(...reported: unknown[]): unknown {
  if (reported.every((count) => count == null)) return undefined
  return reported.reduce<number>((sum, count) => sum + (readCount(count ?? 0) ?? Number.NaN), 0)
}
