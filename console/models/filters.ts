import type { Filter } from '../components/chips.tsx'
import type { ModelQuery } from './model-query.ts'

const choice = (name: string, label: string, any: string, options: [value: string, label: string][]): Filter => ({
  kind: 'choice',
  name,
  label,
  any,
  options: options.map(([value, optionLabel]) => ({ value, label: optionLabel })),
})
/** @param title the label and, after a comma, the unit. */
const text = (name: string, title: string, placeholder: string, suggestions?: string[]): Filter => ({
  kind: 'text',
  name,
  label: title.split(', ')[0]!,
  ...(title.includes(', ') && { unit: title.split(', ')[1]! }),
  placeholder,
  ...(suggestions && { suggestions }),
})
const sameLabels = (...values: string[]) => values.map((value): [string, string] => [value, value])

/** All sorts except `newest`, the default. `most-popular` is another name of `top-weekly`. */
type Sort = Exclude<NonNullable<ModelQuery['sort']>, 'newest' | 'most-popular'>

const sortNames: Record<Sort, string> = {
  'top-weekly': 'most used this week',
  'pricing-low-to-high': 'cheapest first',
  'pricing-high-to-low': 'most expensive first',
  'context-high-to-low': 'longest context',
  'throughput-high-to-low': 'fastest',
  'latency-low-to-high': 'quickest first token',
  'intelligence-high-to-low': 'intelligence',
  'coding-high-to-low': 'coding',
  'agentic-high-to-low': 'agentic work',
  'design-arena-elo-high-to-low': 'design',
}

export const sort = choice('sort', 'sort', 'newest first', Object.entries(sortNames))

/** Suggestions for filters. */
type KnownValues = { authors: string[]; providers: string[]; parameters: string[] }

/** All filters of `GET /models`, and one for models that the session can use. */
export function modelFilters({ authors, providers, parameters }: KnownValues): Filter[] {
  return [
    { ...choice('mine', 'allowed', 'all models', [['true', 'for me']]), bare: 'any' },
    text('model_authors', 'author', 'anthropic,openai', authors),
    text('providers', 'provider', 'azure,openai', providers),
    { ...text('max_price', 'prompt at most, $/M', '1'), any: 'any price', bare: 'any' },
    text('min_price', 'prompt at least, $/M', '0.1'),
    text('max_output_price', 'completion at most, $/M', '5'),
    text('min_output_price', 'completion at least, $/M', '0.5'),
    text('context', 'context at least, tokens', '128000', ['32000', '128000', '200000', '1000000']),
    text('supported_parameters', 'parameter', 'tools,reasoning', parameters),
    choice('input_modalities', 'input', 'any', sameLabels('text', 'image', 'audio', 'file')),
    choice('output_modalities', 'output', 'text', sameLabels('image', 'audio', 'embeddings', 'all')),
    choice('zdr', 'retains data', 'any', [['true', 'no']]),
    choice('region', 'region', 'any', [['eu', 'in the EU']]),
    choice('distillable', 'distillable', 'any', [
      ['true', 'yes'],
      ['false', 'no'],
    ]),
    choice(
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
    text('arch', 'family', 'GPT'),
    text('max_age_days', 'age at most, days', '90'),
    text('min_age_days', 'age at least, days', '30'),
    text('min_intelligence_index', 'intelligence at least', '40'),
    text('max_intelligence_index', 'intelligence at most', '60'),
    text('min_coding_index', 'coding at least', '40'),
    text('max_coding_index', 'coding at most', '60'),
    text('min_agentic_index', 'agentic at least', '40'),
    text('max_agentic_index', 'agentic at most', '60'),
    text('min_tool_success_rate', 'tool success rate at least', '0.9'),
    text('max_tool_success_rate', 'tool success rate at most', '0.99'),
  ]
}
