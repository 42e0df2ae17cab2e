import type { Model } from '../api/types.ts'
import type { Column } from '../components/table/table.tsx'
import { count, exactCount } from '../format/count.ts'
import { duration } from '../format/time.ts'
import type { MeasurementsByModel } from './model-measurements.ts'
import { PerMillion } from './price.tsx'

const dash = <span class="dim">–</span>

export const intelligenceOf = ({ benchmarks }: Model) => benchmarks?.artificial_analysis.intelligence_index ?? undefined

/** The day of the release in UTC, such as `2026-11-30`. */
export const dayOf = ({ created }: Model) => new Date(created * 1000).toISOString().slice(0, 10)

/** The input modalities other than text, such as `image, file`. */
const extraInputs = ({ architecture }: Model) =>
  architecture.input_modalities.filter((one) => one !== 'text').join(', ')

function Context({ model }: { model: Model }) {
  return <span title={`${exactCount(model.context_length)} tokens`}>{count(model.context_length)}</span>
}

/** @param hasScores whether any model has a score; otherwise the column is omitted. */
export function columnsOf(measurements: MeasurementsByModel, hasScores: boolean): Column<Model>[] {
  const numberColumn = (
    name: string,
    title: string,
    width: string,
    cell: Column<Model>['cell'],
    from = 0,
  ): Column<Model> => ({
    name,
    title,
    width,
    isNumber: true,
    from,
    cell,
  })
  return [
    {
      name: 'model',
      title: 'model',
      width: 'minmax(200px, 2fr)',
      cell: ({ id, name }) => <span title={name}>{id}</span>,
    },
    numberColumn('prompt', 'prompt, $/M', '92px', ({ pricing }) => <PerMillion usd={pricing.prompt} />),
    numberColumn('completion', 'completion, $/M', '112px', ({ pricing }) => <PerMillion usd={pricing.completion} />),
    numberColumn('cached', 'cached, $/M', '92px', ({ pricing }) => <PerMillion usd={pricing.input_cache_read} />, 980),
    numberColumn('context', 'context', '76px', (model) => <Context model={model} />),
    ...(hasScores
      ? [numberColumn('intelligence', 'intelligence', '92px', (model) => intelligenceOf(model) ?? dash, 760)]
      : []),
    numberColumn(
      'first',
      'first token',
      '88px',
      ({ id }) => formatOrDash(measurements.get(id)?.firstToken, duration),
      640,
    ),
    numberColumn(
      'speed',
      'tokens/s',
      '76px',
      ({ id }) => formatOrDash(measurements.get(id)?.throughput, (speed) => speed.toFixed(0)),
      640,
    ),
    numberColumn(
      'requests',
      'requests, 30 d',
      '108px',
      ({ id }) => formatOrDash(measurements.get(id)?.requests, exactCount),
      860,
    ),
    {
      name: 'input',
      title: 'additional input',
      width: 'minmax(150px, 1fr)',
      from: 1080,
      cell: (model) => <span class="dim">{extraInputs(model) || '–'}</span>,
    },
    {
      name: 'created',
      title: 'released',
      width: '92px',
      from: 1180,
      cell: (model) => <span class="dim">{dayOf(model)}</span>,
    },
  ]
}

const formatOrDash = (value: number | null | undefined, format: (value: number) => string) =>
  value ? format(value) : dash

export function NarrowRow({ model, measurements }: { model: Model; measurements: MeasurementsByModel }) {
  const speed = measurements.get(model.id)?.throughput
  return (
    <div class="two-lines">
      <div>
        <span>{model.id}</span>
        <span class="dim">
          <Context model={model} />
        </span>
      </div>
      <div>
        <span>
          <PerMillion usd={model.pricing.prompt} /> → <PerMillion usd={model.pricing.completion} />{' '}
          <span class="dim">per million</span>
        </span>
        <span class="dim">{speed ? `${speed.toFixed(0)} tokens/s` : extraInputs(model)}</span>
      </div>
    </div>
  )
}
