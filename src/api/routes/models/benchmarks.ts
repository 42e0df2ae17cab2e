import type { Model } from '#catalogue/index/model.ts'
import { isoTime } from '#platform/core/clock.ts'
import { z } from '#platform/json/schema.ts'
import { wholeNumber } from '#platform/json/whole-number.ts'
import { route } from '../route.ts'

const Query = z.object({
  source: z
    .enum(['artificial-analysis', 'design-arena', 'openrouter'])
    .optional()
    .describe('The catalogue has scores of `artificial-analysis`; the list of another source is empty.'),
  task_type: z
    .enum(['coding', 'intelligence', 'agentic', 'search'])
    .optional()
    .describe('Only models with this score, best first; `search` is empty.'),
  benchmark_type: z.string().optional().describe('A benchmark of OpenRouter. Those of searches make the list empty.'),
  max_results: wholeNumber({ min: 1, max: 1000 }).optional().describe('Maximum number of models.'),
})

const Index = z.number().nullable()

const BenchmarkItem = z
  .object({
    source: z.literal('artificial-analysis'),
    model_permaslug: z.string(),
    display_name: z.string(),
    intelligence_index: Index,
    coding_index: Index,
    agentic_index: Index,
    pricing: z.object({ prompt: z.string(), completion: z.string() }).nullable().describe('USD per token.'),
  })
  .meta({ id: 'BenchmarkItem', description: 'The scores of a model.' })

export const listBenchmarks = route({
  method: 'get',
  path: '/benchmarks',
  tag: 'models',
  key: 'any',
  mayBePublic: true,
  summary: 'List the benchmark scores of models',
  description: 'Returns the scores of the catalogue by which `GET /models` sorts and filters, best intelligence first.',
  request: { query: Query },
  response: z.object({
    data: z.array(BenchmarkItem),
    meta: z.object({
      as_of: z.string(),
      version: z.literal('v1'),
      model_count: z.int(),
      source: z.string().nullable(),
      task_type: z.string().nullable(),
      source_url: z.null(),
      citation: z.null(),
    }),
  }),
  faults: ['invalid', 'unauthenticated'],
  handler: ({ query: { source, task_type: task, benchmark_type: benchmark, max_results: limit } }, deps) => {
    const isEmpty =
      (source !== undefined && source !== 'artificial-analysis') ||
      task === 'search' ||
      benchmark?.startsWith('search_')
    const models = isEmpty ? [] : scored(deps.catalogue.current().models, task)
    const data = models.slice(0, limit).map(itemOf)
    const about = { source: source ?? null, task_type: task ?? null, source_url: null, citation: null }
    return { data, meta: { as_of: isoTime(deps.now()), version: 'v1' as const, model_count: data.length, ...about } }
  },
})

type Score = 'coding' | 'intelligence' | 'agentic'

function scored(models: readonly Model[], task: Score | undefined): Model[] {
  const has = ({ benchmarks: { intelligence, coding, agentic } }: Model) =>
    task === undefined
      ? (intelligence ?? coding ?? agentic) !== undefined
      : { intelligence, coding, agentic }[task] !== undefined
  const value = ({ benchmarks }: Model) => benchmarks[task ?? 'intelligence'] ?? -1
  return models.filter(has).sort((a, b) => value(b) - value(a))
}

function itemOf({ id, name, benchmarks, endpoints }: Model): z.infer<typeof BenchmarkItem> {
  const cheapest = endpoints.toSorted((a, b) => Number(a.prices.prompt) - Number(b.prices.prompt))[0]
  return {
    source: 'artificial-analysis',
    model_permaslug: id,
    display_name: name,
    intelligence_index: benchmarks.intelligence ?? null,
    coding_index: benchmarks.coding ?? null,
    agentic_index: benchmarks.agentic ?? null,
    pricing: cheapest ? { prompt: cheapest.prices.prompt, completion: cheapest.prices.completion } : null,
  }
}
