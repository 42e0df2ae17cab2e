import { hasTokenIds } from '#chat/tokens/token-ids.ts'
import type { Fault } from '#platform/core/fault.ts'
import type { BlockedResult, Finding } from '../../filters/filter-bodies.ts'
import { compileFilters, type FilterRule } from '../../filters/filter-rule.ts'
import type { Scanner } from '../../filters/scanner.ts'
import type { ScanRequest } from '../../filters/worker-pool.ts'
import type { GuardrailRecord } from '../guardrail.ts'
import { createRefusal } from './refusal.ts'

/** The matches that did not block a request, for its record. */
export type ContentFinding = { guardrailId: string; rule: string; action: 'redact' | 'flag'; count: number }

/** Compiled filters by list of guardrails. The list is the same object until a guardrail changes. */
const compiledFilters = new WeakMap<readonly GuardrailRecord[], readonly FilterRule[]>()

const filtersOf = (guardrails: readonly GuardrailRecord[]): readonly FilterRule[] =>
  compiledFilters.getOrInsertComputed(guardrails, compileFilters)

type ScreenedRequest<Bodies> = { bodies: Bodies; findings: ContentFinding[] }

/**
 * Filters the forms of a request and replaces redacted text by the filter's label.
 * @throws Fault `forbidden` if a filter blocks or cannot finish. The message never contains the matched text.
 */
export async function screenRequest<Bodies extends Record<string, object>>(
  scanner: Pick<Scanner, 'scanRequest'>,
  guardrails: readonly GuardrailRecord[],
  bodies: Bodies,
  request: ScanRequest,
): Promise<ScreenedRequest<Bodies>> {
  const filters = filtersOf(guardrails)
  if (filters.length === 0) return { bodies, findings: [] }
  refuseTokenIds(filters, bodies)
  const result = await scanner.scanRequest(filters, bodies, request)
  if (result.outcome === 'blocked') throw blockedFault(result)
  return { bodies: result.content, findings: result.findings.map(toContentFinding) }
}

/** @throws Fault `forbidden` if the request contains token ids, and a filter that cannot read them would block or redact. */
function refuseTokenIds([strictest]: readonly FilterRule[], bodies: Record<string, object>): void {
  if (!strictest || strictest.action === 'flag' || !Object.values(bodies).some(hasTokenIds)) return
  throw createRefusal(strictest, 'the input consists of token ids, which this filter cannot read. Send the text')
}

/** Filters a single text: a prompt or the answer to a question. */
export async function screenText(
  scanner: Pick<Scanner, 'scanText' | 'scanAnswer'>,
  guardrails: readonly GuardrailRecord[],
  text: string,
  kind: 'prompt' | 'answer',
  request: ScanRequest,
): Promise<string> {
  const filters = filtersOf(guardrails)
  if (filters.length === 0) return text
  const scan = kind === 'prompt' ? scanner.scanText : scanner.scanAnswer
  const result = await scan(filters, text, request)
  if (result.outcome === 'blocked') throw blockedFault(result)
  return result.content
}

function blockedFault({ guardrail, rule, reason }: BlockedResult): Fault {
  const explanation =
    reason === 'found'
      ? 'the request contains text that this filter blocks'
      : 'this filter could not finish, and unchecked text is not sent'
  return createRefusal({ guardrail, rule }, explanation)
}

function toContentFinding({ guardrail, rule, action, count }: Finding): ContentFinding {
  return { guardrailId: guardrail.id, rule, action, count }
}
