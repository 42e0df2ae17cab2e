import { choiceFilter, type Filter } from '../components/filters/filter-label.ts'
import type { ModelQuery } from './model-query.ts'

type TextOptions = { unit?: string; suggestions?: string[] }

const textFilter = (name: string, label: string, placeholder: string, options: TextOptions = {}): Filter => ({
  kind: 'text',
  name,
  label,
  placeholder,
  ...options,
})

/** Options whose label is the value. */
const sameLabels = (...values: string[]) => values.map((value): [string, string] => [value, value])

/** All sorts except `newest`, the default. `most-popular` is another name of `top-weekly`. */
type Sort = Exclude<NonNullable<ModelQuery['sort']>, 'newest' | 'most-popular'>

const sortNames: Record<Sort, string> = {
  'top-weekly': 'most used this week',
  'pricing-low-to-high': 'cheapest first',
  'pricing-high-to-low': 'most expensive first',
  'context-high-to-low': 'longest context',
  'throughput-high-to-low': 'highest throughput',
  'latency-low-to-high': 'lowest latency',
  'intelligence-high-to-low': 'intelligence',
  'coding-high-to-low': 'coding',
  'agentic-high-to-low': 'agentic',
  'design-arena-elo-high-to-low': 'design',
}

export const sort = choiceFilter('sort', 'sort', 'newest first', Object.entries(sortNames))

/** Suggestions for filters. */
type KnownValues = { authors: string[]; providers: string[]; parameters: string[] }

/** All filters of `GET /models`, and one for models that the session can use. */
export function modelFilters({ authors, providers, parameters }: KnownValues): Filter[] {
  return [
    { ...choiceFilter('mine', 'allowed', 'all models', [['true', 'available to me']]), omitsLabel: 'unset' },
    textFilter('model_authors', 'author', 'anthropic,openai', { suggestions: authors }),
    textFilter('providers', 'provider', 'azure,openai', { suggestions: providers }),
    { ...textFilter('max_price', 'prompt at most', '1', { unit: '$/M' }), unsetText: 'any price', omitsLabel: 'unset' },
    textFilter('min_price', 'prompt at least', '0.1', { unit: '$/M' }),
    textFilter('max_output_price', 'completion at most', '5', { unit: '$/M' }),
    textFilter('min_output_price', 'completion at least', '0.5', { unit: '$/M' }),
    textFilter('context', 'context at least', '128000', {
      unit: 'tokens',
      suggestions: ['32000', '128000', '200000', '1000000'],
    }),
    textFilter('supported_parameters', 'parameter', 'tools,reasoning', { suggestions: parameters }),
    choiceFilter('input_modalities', 'input', 'any', sameLabels('text', 'image', 'audio', 'file')),
    choiceFilter('output_modalities', 'output', 'text', sameLabels('image', 'audio', 'embeddings', 'all')),
    choiceFilter('zdr', 'zero data retention', 'any', [['true', 'required']]),
    choiceFilter('region', 'region', 'any', [['eu', 'in the EU']]),
    choiceFilter('distillable', 'distillable', 'any', [
      ['true', 'yes'],
      ['false', 'no'],
    ]),
    choiceFilter(
      'category',
      'category',
      'any',
      sameLabels(
        'programming',
        'roleplay',
        'marketing',
        'marketing/seo',
        'technology',
        'science',
        'translation',
        'legal',
        'finance',
        'health',
        'trivia',
        'academia',
      ),
    ),
    textFilter('arch', 'family', 'GPT'),
    textFilter('max_age_days', 'age at most', '90', { unit: 'days' }),
    textFilter('min_age_days', 'age at least', '30', { unit: 'days' }),
    textFilter('min_intelligence_index', 'intelligence at least', '40'),
    textFilter('max_intelligence_index', 'intelligence at most', '60'),
    textFilter('min_coding_index', 'coding at least', '40'),
    textFilter('max_coding_index', 'coding at most', '60'),
    textFilter('min_agentic_index', 'agentic at least', '40'),
    textFilter('max_agentic_index', 'agentic at most', '60'),
    textFilter('min_tool_success_rate', 'tool success rate at least', '0.9'),
    textFilter('max_tool_success_rate', 'tool success rate at most', '0.99'),
  ]
}
