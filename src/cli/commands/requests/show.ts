import type { Command } from 'commander'
import { printable } from '#platform/text/printable.ts'
import type { GenerationRecord } from '#spend/ledger/record.ts'
import { type ApiClient, createApiClient, managementKeyHelp, ServiceError } from '../../kit/api-client.ts'
import { formatRecord } from '../../kit/fields.ts'
import { usd } from '../../kit/format.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { milliseconds } from './list.ts'

type Options = { content?: boolean; json?: boolean }

export function showCommand(requests: Command, { env, out }: Terminal): void {
  requests
    .command('show')
    .description('Show one request: its attempts, its cost, and why it failed or was refused')
    .argument('<id>', 'ID of the request, from "requests list" or the response header X-Generation-Id')
    .option('--content', 'Include the prompt and the response, if the workspace stores them')
    .option('--json', 'Print JSON')
    .addHelpText('after', managementKeyHelp)
    .action(async (id: string, { content, json }: Options) => {
      const client = createApiClient(env)
      const query = `id=${encodeURIComponent(id)}`
      const { data } = await client.request<{ data: GenerationRecord }>('GET', `/generation?${query}`)
      const stored = content ? await readContent(client, query) : undefined
      if (json) return out(JSON.stringify(content ? { ...data, content: stored ?? null } : data, null, 2))
      out(requestText(data))
      if (content) out(`\nCONTENT\n${stored ? printable(JSON.stringify(stored, null, 2)) : 'Not stored.'}`)
    })
}

/** @returns undefined when the content is not stored */
async function readContent(client: ApiClient, query: string): Promise<unknown> {
  try {
    return (await client.request<{ data: unknown }>('GET', `/generation/content?${query}`)).data
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return undefined
    throw error
  }
}

function requestText(request: GenerationRecord): string {
  const { error, attempts, not_asked: skipped } = request
  const parts = [
    formatRecord({
      id: request.id,
      time: request.created_at,
      requested_model: request.requested_model,
      candidates: request.candidate_models?.join(', '),
      preset: request.preset && `${request.preset.slug}, version ${request.preset.version}`,
      ordered_by: request.ordered_by,
      answered_by: request.endpoint_id,
      outcome: request.outcome,
      finish_reason: request.finish_reason,
      streamed: request.streamed,
      first_token: milliseconds(request.latency),
      duration: milliseconds(request.generation_time),
      key: request.key_hash,
      member: request.user_id,
      session: request.session_id,
      program: request.app_title,
    }),
  ]
  if (error) parts.push(`ERROR\n${formatRecord({ ...error, excluded: undefined })}`)
  if (error?.excluded?.length) {
    const rows = error.excluded.map(({ endpoint, reason }) => [endpoint, reason])
    parts.push(table(['EXCLUDED ENDPOINT', 'REASON'], rows))
  }
  if (attempts.length > 0) parts.push(attemptTable(attempts))
  for (const attempt of attempts) if (attempt.error) parts.push(providerErrorText(attempt))
  if (skipped.length > 0) parts.push(skippedTable(skipped))
  if (request.content_findings.length > 0) parts.push(findingTable(request.content_findings))
  parts.push(`TOKENS AND COST\n${formatRecord(costsOf(request))}`)
  return parts.join('\n\n')
}

function attemptTable(attempts: GenerationRecord['attempts']): string {
  const rows = attempts.map(({ endpoint_id, outcome, duration, connect, first_byte, charged_usd, reason }) => [
    endpoint_id,
    outcome,
    milliseconds(connect),
    milliseconds(first_byte),
    milliseconds(duration),
    charged_usd ? usd(charged_usd) : '-',
    reason ?? '',
  ])
  return table(['ATTEMPT', 'OUTCOME', 'CONNECTED', 'FIRST BYTE', 'DURATION', 'CHARGED', 'REASON'], rows)
}

function providerErrorText({ endpoint_id, error }: GenerationRecord['attempts'][number]) {
  return `PROVIDER ERROR\n${formatRecord({ endpoint: endpoint_id, ...error })}`
}

function skippedTable(skipped: GenerationRecord['not_asked']): string {
  const rows = skipped.map(({ endpoint_id, standing, reason }) => {
    const state = standing === 'behind' ? 'lower rank' : 'excluded'
    return [endpoint_id, state, reason]
  })
  return table(['SKIPPED ENDPOINT', 'STATE', 'REASON'], rows)
}

function findingTable(findings: GenerationRecord['content_findings']): string {
  const rows = findings.map(({ rule, action, count, guardrail_id }) => [rule, action, String(count), guardrail_id])
  return table(['FILTER', 'ACTION', 'MATCHES', 'GUARDRAIL'], rows)
}

const costsOf = (request: GenerationRecord) => ({
  prompt: request.tokens_prompt,
  prompt_cached: request.tokens_cached || null,
  completion: request.tokens_completion,
  completion_reasoning: request.tokens_reasoning || null,
  estimated: request.tokens_estimated || null,
  total_cost_usd: request.total_cost,
  upstream_cost_usd: request.upstream_inference_cost,
  // Limits are charged more than the cost when the result is unknown: then the maximum counts.
  unconfirmed_usd: request.unconfirmed_usd || null,
  billed_more_than_bound: request.billed_more_than_bound || null,
  corrected_by: request.correction && `${request.correction.source} at ${request.correction.at}`,
  charged_to_limits_usd: request.unconfirmed_usd ? request.limit_cost : null,
})
