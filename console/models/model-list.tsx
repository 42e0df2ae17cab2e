import { useLocation } from 'preact-iso/router'
import { queryOf } from '../api/address/address.ts'
import { useGet } from '../api/resource.ts'
import type { Model } from '../api/types.ts'
import type { Filter } from '../components/filters/filter-label.ts'
import { type Filters, useFilters } from '../components/filters/filters.ts'
import { SearchField } from '../components/filters/search-field.tsx'
import { AddFilter, Chip, Chips } from '../components/form/chips.tsx'
import { Heading } from '../components/page/heading.tsx'
import { EmptyState, FailureState, Loading, Progress } from '../components/page/page-states.tsx'
import { Table } from '../components/table/table.tsx'
import { countText } from '../format/count.ts'
import { columnsOf, intelligenceOf, NarrowRow } from './columns.tsx'
import { modelFilters, sort } from './filters.ts'
import { type MeasurementsByModel, useMeasurements } from './model-measurements.ts'
import { isFiltered, modelQuery } from './model-query.ts'
import { blendedPrice } from './pareto.ts'
import { Scatter } from './scatter.tsx'

/** All models as a table or as plots. Filters are in the address. */
export function ModelList() {
  const filters = useFilters()
  const { values } = filters
  const { route } = useLocation()
  const query = modelQuery(values)
  const allModels = useGet('GET /models', values.mine ? undefined : { query })
  const ownModels = useGet('GET /models/user', values.mine ? { query } : undefined)
  const { data, failure, isLoading, isCurrent, reload } = values.mine ? ownModels : allModels
  const measurements = useMeasurements()
  const models: Model[] = data?.data ?? []
  const pathOf = (id: string) => `/models/${id}${queryOf(values)}`
  return (
    <div class="screen">
      <Heading isHidden>Models</Heading>
      <Progress isOn={isLoading && !isCurrent} />
      <Bar filters={filters} models={models} count={data ? data.total_count : undefined} />
      {failure && <FailureState failure={failure} onRetry={reload} />}
      {!failure && !data && <Loading />}
      {!failure && data && models.length === 0 && <NoModels filters={filters} />}
      {!failure && models.length > 0 && values.view === 'plots' && (
        <Plots models={models} measurements={measurements} pathOf={pathOf} />
      )}
      {!failure && models.length > 0 && values.view !== 'plots' && (
        <Table<Model>
          label="Models"
          rows={models}
          columns={columnsOf(
            measurements,
            models.some((model) => intelligenceOf(model) !== undefined),
          )}
          keyOf={({ id }) => id}
          onOpen={({ id }) => route(pathOf(id))}
          narrow={(model) => <NarrowRow model={model} measurements={measurements} />}
        />
      )}
    </div>
  )
}

function NoModels({ filters }: { filters: Filters }) {
  if (!isFiltered(filters.values)) {
    return (
      <EmptyState title="The catalogue is empty" command="npx signalbox catalogue sync">
        <p>To fetch the models of well-known providers:</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No models match these filters">
      <button type="button" onClick={filters.clear}>
        Clear filters
      </button>
    </EmptyState>
  )
}

/** Options from the whole catalogue, so that a filter does not remove its own options. */
function useFilterOptions(models: Model[]) {
  const providers = useGet('GET /providers', {}).data?.data ?? []
  const uniqueSorted = (values: string[]) => [...new Set(values)].sort()
  return {
    providers: providers.map(({ slug }) => slug),
    authors: uniqueSorted(models.map(({ id }) => id.split('/')[0]!)),
    parameters: uniqueSorted(models.flatMap(({ supported_parameters }) => supported_parameters)),
  }
}

/** Filters that are always visible; others appear when set. */
const pinnedNames = ['mine', 'model_authors', 'max_price']

function Bar({ filters, models, count }: { filters: Filters; models: Model[]; count: number | undefined }) {
  const allFilters = modelFilters(useFilterOptions(models))
  const isVisible = ({ name }: Filter) => pinnedNames.includes(name) || filters.values[name] !== undefined
  const showsPlots = filters.values.view === 'plots'
  return (
    <div class="bar">
      <Chips>
        <Chip filter={sort} filters={filters} />
        {allFilters.filter(isVisible).map((filter) => (
          <Chip key={filter.name} filter={filter} filters={filters} />
        ))}
        <AddFilter availableFilters={allFilters.filter((filter) => !isVisible(filter))} filters={filters} />
      </Chips>
      <SearchField label="Find models" placeholder="Name or ID" />
      <span class="dim count" role="status">
        {count === undefined ? '' : countText(count, 'model')}
      </span>
      <fieldset class="views">
        <legend class="visually-hidden">View</legend>
        <button type="button" aria-pressed={!showsPlots} onClick={() => filters.set({ view: undefined })}>
          Table
        </button>
        <button type="button" aria-pressed={showsPlots} onClick={() => filters.set({ view: 'plots' })}>
          Plots
        </button>
      </fieldset>
    </div>
  )
}

type PlotsProps = { models: Model[]; measurements: MeasurementsByModel; pathOf: (id: string) => string }

function Plots({ models, measurements, pathOf }: PlotsProps) {
  const pointsOf = (metricOf: (model: Model) => number | null | undefined) =>
    models.flatMap((model) => {
      const score = metricOf(model)
      return score ? [{ id: model.id, price: blendedPrice(model.pricing), score }] : []
    })
  const scored = pointsOf(intelligenceOf)
  return (
    <div class="model-plots">
      {scored.length > 0 ? (
        <Scatter title="Price and intelligence" valueName="intelligence index" points={scored} pathOf={pathOf} />
      ) : (
        <section class="no-scores">
          <h2>Price and intelligence</h2>
          <p class="dim">The catalogue has no scores for these models. Add them to your catalogue file:</p>
          <pre>{'"benchmarks": { "intelligence": 57.3, "coding": 44, "agentic": 31 }'}</pre>
        </section>
      )}
      <Scatter
        title="Price and measured speed, your requests of the last 30 days"
        valueName="tokens/s p50"
        points={pointsOf(({ id }) => measurements.get(id)?.throughput)}
        pathOf={pathOf}
      />
    </div>
  )
}
