import type { Caller } from '#identity/accounts/caller.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'
import { filterActions } from '../../filters/detectors/builtins.ts'
import type { BlockedResult } from '../../filters/filter-bodies.ts'
import { compileFilters } from '../../filters/filter-rule.ts'
import type { Scanner } from '../../filters/scanner.ts'
import { GuardrailPatch } from '../guardrail-patch.ts'
import type { NormaliseDeps } from '../normalise-policy.ts'
import { proposeGuardrail } from '../propose-guardrail.ts'

/** The longest text, in characters: enough for a long prompt. */
const maxText = 100_000

export const TextTrial = strictFields({
  text: text({ min: 1, max: maxText }).describe('A prompt, as a user would write it. It is not stored.'),
  policy: GuardrailPatch.optional().describe('Changes to the guardrail for the test. They are not stored.'),
}).meta({ id: 'TextTrial' })
export type TextTrial = z.infer<typeof TextTrial>

const rule = z.string().describe('`content_filter_builtins.email`, `content_filters[2]`.')

export const TriedText = z
  .object({
    outcome: z
      .enum(['passed', 'redacted', 'blocked', 'failed'])
      .describe('`failed`: a filter could not finish, so the request is blocked.'),
    rule: rule.nullable().describe('The filter that blocks or failed.'),
    text_sent: z.string().nullable().describe('The text that would be sent; null if the request would be blocked.'),
    found: z
      .array(
        z.object({
          rule,
          action: z.enum(filterActions),
          start: z.int().describe('In UTF-16 code units.'),
          end: z.int().describe('Exclusive.'),
        }),
      )
      .describe('Every match in the order of the text, including matches that do not change it.'),
  })
  .meta({ id: 'TriedText', description: 'The result of the content filters of a guardrail for a text.' })
export type TriedText = z.infer<typeof TriedText>

type TryDeps = NormaliseDeps & { db: Db; now: Now; scanner: Pick<Scanner, 'scanText' | 'findText'> }

/**
 * Lists the matches of a guardrail's content filters in a text, for the stored or a proposed guardrail. Nothing is
 * stored. @throws Fault `not_found`, `invalid`.
 */
export async function tryText(deps: TryDeps, caller: Caller, id: string, trial: TextTrial): Promise<TriedText> {
  const { guardrail } = await proposeGuardrail(deps, caller, id, trial.policy)
  const filters = compileFilters([guardrail])
  if (filters.length === 0) return { outcome: 'passed', rule: null, text_sent: trial.text, found: [] }
  const request = { requester: caller }
  const scanResult = await deps.scanner.scanText(filters, trial.text, request)
  const searchResult = await deps.scanner.findText(filters, trial.text, request)
  const failure = [scanResult, searchResult].find(isFailed)
  if (failure) return { outcome: 'failed', rule: failure.rule, text_sent: null, found: [] }
  const found = searchResult.outcome === 'found' ? searchResult.matches.map(({ guardrail: _, ...match }) => match) : []
  if (scanResult.outcome === 'blocked') return { outcome: 'blocked', rule: scanResult.rule, text_sent: null, found }
  const isSame = scanResult.content === trial.text
  return { outcome: isSame ? 'passed' : 'redacted', rule: null, text_sent: scanResult.content, found }
}

function isFailed(result: { outcome: string; reason?: BlockedResult['reason'] }): result is BlockedResult {
  return result.outcome === 'blocked' && result.reason === 'failed'
}
