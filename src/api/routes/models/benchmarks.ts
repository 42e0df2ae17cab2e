import type { Model } from '#catalogue/index/model.ts'
import { ArtificialAnalysis, hasScore, toArtificialAnalysis } from '#catalogue/index/model-item.ts'
import { cheapestEndpoint } from '#catalogue/index/prices/cheapest.ts'
import { modelsAt } from '#catalogue/index/select.ts'
import type { Snapshot } from '#catalogue/index/snapshot.ts'
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
    .describe(
      'Only models with this score, best first. The catalogue has no scores of `search`, so its list is empty.',
    ),
  benchmark_type: z
    .string()
    .optional()
    .describe('Accepted for compatibility with OpenRouter. A value that starts with `search_` returns an empty list.'),
  max_results: wholeNumber({ min: 1, max: 1000 }).optional().describe('Maximum number of models.'),
})

const BenchmarkItem = z
  .object({
    source: z.literal('artificial-analysis'),
    model_permaslug: z.string(),
    display_name: z.string(),
    ...ArtificialAnalysis.shape,
    pricing: z.object({ prompt: z.string(), completion: z.string() }).describe('USD per token.'),
  })
  .meta({ id: 'BenchmarkItem', description: 'The scores of a model.' })

export const listBenchmarks = route({
  method: 'get',
  path: '/benchmarks',
  tag: 'models',
  key: 'any',
  canBePublic: true,
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
    const models = isEmpty ? [] : modelsByScore(deps.catalogue.current(), task)
    const data = models.slice(0, limit).map(benchmarkItem)
    const meta = { source: source ?? null, task_type: task ?? null, source_url: null, citation: null }
    return { data, meta: { as_of: isoTime(deps.now()), version: 'v1' as const, model_count: data.length, ...meta } }
  },
})

/** Models with a score in a task, or in any task, best first. */
function modelsByScore(snapshot: Snapshot, task: 'coding' | 'intelligence' | 'agentic' | undefined): Model[] {
  const order = snapshot.orderOf(`${task ?? 'intelligence'}-high-to-low`) ?? []
  return modelsAt(snapshot, order).filter((model) =>
    task === undefined ? hasScore(model) : model.benchmarks[task] !== undefined,
  )
}

function benchmarkItem(model: Model): z.infer<typeof BenchmarkItem> {
  const { prompt, completion } = cheapestEndpoint(model).endpoint.prices
  return {
    source: 'artificial-analysis',
    model_permaslug: model.id,
    display_name: model.name,
    ...toArtificialAnalysis(model),
    pricing: { prompt, completion },
  }
}
