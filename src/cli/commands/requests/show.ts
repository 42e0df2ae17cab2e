import type { Command } from 'commander'
import { printable } from '#platform/text/printable.ts'
import type { GenerationRecord } from '#spend/ledger/record.ts'
import { type ApiClient, apiClient, clientHelp, ServiceRefused } from '../../kit/api-client.ts'
import { listing } from '../../kit/fields.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { milliseconds } from './list.ts'

type Options = { content?: boolean; json?: boolean }

export function showCommand(requests: Command, { env, out }: Terminal): void {
  requests
    .command('show')
    .description('tell all of one request: which way it went, what it cost, why it was refused')
    .argument('<id>', 'as "requests list" and the header X-Generation-Id tell it')
    .option('--content', 'with prompt and answer, where its workspace keeps them')
    .option('--json', 'print it as JSON')
    .addHelpText('after', clientHelp)
    .action(async (id: string, { content, json }: Options) => {
      const client = apiClient(env)
      const query = `id=${encodeURIComponent(id)}`
      const { data } = await client.ask<{ data: GenerationRecord }>('GET', `/generation?${query}`)
      const kept = content ? await contentOf(client, query) : undefined
      if (json) return out(JSON.stringify(content ? { ...data, content: kept ?? null } : data, null, 2))
      out(story(data))
      if (content) out(`\nCONTENT\n${kept ? printable(JSON.stringify(kept, null, 2)) : 'Nothing of it is kept.'}`)
    })
}

/** @returns undefined where nothing is kept. */
async function contentOf(client: ApiClient, query: string): Promise<unknown> {
  try {
    return (await client.ask<{ data: unknown }>('GET', `/generation/content?${query}`)).data
  } catch (error) {
    if (error instanceof ServiceRefused && error.status === 404) return undefined
    throw error
  }
}

function story(request: GenerationRecord): string {
  const { error, attempts } = request
  const parts = [
    listing({
      id: request.id,
      when: request.created_at,
      asked_for: request.requested_model,
      candidates: request.candidate_models?.join(', '),
      preset: request.preset && `${request.preset.slug}, version ${request.preset.version}`,
      ordered_by: request.ordered_by,
      answered_by: request.endpoint_id,
      outcome: request.outcome,
      finish_reason: request.finish_reason,
      streamed: request.streamed,
      first_token: milliseconds(request.latency),
      in_all: milliseconds(request.generation_time),
      key: request.key_hash,
      member: request.user_id,
      session: request.session_id,
      program: request.app_title,
    }),
    error && `WHY\n${listing({ ...error, excluded: undefined })}`,
    error?.excluded?.length &&
      table(
        ['NOT ASKED', 'BECAUSE'],
        error.excluded.map(({ endpoint, reason }) => [endpoint, reason]),
      ),
    attempts.length > 0 && attemptTable(attempts),
    request.not_asked.length > 0 && notAskedTable(request.not_asked),
    request.content_findings.length > 0 && findingTable(request.content_findings),
    `TOKENS AND COST\n${listing(costsOf(request))}`,
  ]
  return parts.filter(Boolean).join('\n\n')
}

function attemptTable(attempts: GenerationRecord['attempts']): string {
  const rows = attempts.map(({ endpoint_id, outcome, duration, connect, first_byte, reason }) => [
    endpoint_id,
    outcome,
    milliseconds(connect),
    milliseconds(first_byte),
    milliseconds(duration),
    reason ?? '',
  ])
  return table(['ATTEMPT', 'OUTCOME', 'CONNECTED', 'FIRST BYTE', 'TOOK', 'WHY'], rows)
}

function notAskedTable(notAsked: GenerationRecord['not_asked']): string {
  const rows = notAsked.map(({ endpoint_id, standing, reason }) => [endpoint_id, standing.replace('_', ' '), reason])
  return table(['NOT ASKED', 'STANDING', 'BECAUSE'], rows)
}

function findingTable(findings: GenerationRecord['content_findings']): string {
  const rows = findings.map(({ rule, action, count, guardrail_id }) => [rule, action, String(count), guardrail_id])
  return table(['FOUND BY', 'ACTION', 'TIMES', 'GUARDRAIL'], rows)
}

const costsOf = (request: GenerationRecord) => ({
  prompt: request.tokens_prompt,
  of_it_cached: request.tokens_cached || null,
  completion: request.tokens_completion,
  of_it_reasoning: request.tokens_reasoning || null,
  estimated: request.tokens_estimated || null,
  total_cost_usd: request.total_cost,
  upstream_cost_usd: request.upstream_inference_cost,
  // What is charged of limits, where it is more: what came of it is not known, and the most of it counts.
  charged_to_limits_usd: request.limit_cost === request.upstream_inference_cost ? null : request.limit_cost,
})
