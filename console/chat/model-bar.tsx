import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { queryOf } from '../api/address/address.ts'
import type { Failure } from '../api/failure.ts'
import { useAllRows } from '../api/pages.ts'
import { useGet } from '../api/resource.ts'
import type { Filter } from '../components/filters/filter-label.ts'
import type { Filters } from '../components/filters/filters.ts'
import { matchesAllWords } from '../components/filters/matches-all-words.ts'
import { Chip, Menu } from '../components/form/chips.tsx'
import { isBusy, presetRevision, turns } from './conversation.ts'
import { startNewChat } from './new-chat.tsx'
import { maxModels, modelsFromQuery } from './request.ts'

/** The models in the address. */
export function useSelectedModels(): { models: string[]; setModels: (models: string[]) => void } {
  const { query, path, route } = useLocation()
  return {
    models: modelsFromQuery(query.model),
    setModels: (models) => route(path + queryOf({ model: models.join(',') }), true),
  }
}

/** All allowed models, and active presets. */
export function useModelChoices(): { choices: string[] | undefined; failure: Failure | undefined; reload: () => void } {
  const { data: response, failure, reload: reloadModels } = useGet('GET /models/user', {})
  const models = response?.data
  const { data: presets = [], reload } = useAllRows('GET /presets', {})
  const revision = presetRevision.value
  useEffect(() => {
    if (revision > 0) reload()
  }, [revision, reload])
  const activePresets = presets.filter(({ status }) => status === 'active')
  const choices = models && [...activePresets.map(({ slug }) => `@preset/${slug}`), ...models.map(({ id }) => id)]
  return { choices, failure, reload: reloadModels }
}

type BarProps = {
  models: string[]
  onChange: (models: string[]) => void
  choices: string[]
  isSettingsOpen: boolean
  onToggleSettings: () => void
}

/** The selected models and the actions of the chat. */
export function ModelBar({ models, onChange, choices, isSettingsOpen, onToggleSettings }: BarProps) {
  const others = choices.filter((one) => !models.includes(one))
  const filter: Filter = {
    kind: 'text',
    name: 'model',
    label: 'model',
    unsetText: 'not chosen',
    placeholder: 'model, or @preset/…',
    suggestions: others,
  }
  const replaceModel = (index: number) => (next: string | undefined) => {
    const changed = [...models]
    changed.splice(index, 1, ...(next ? [next] : []))
    onChange(changed)
  }
  /** The model at a position as a filter, so that the chip of a list can change and remove it. */
  const filtersAt = (index: number): Filters => ({
    values: models[index] ? { model: models[index] } : {},
    set: ({ model }) => replaceModel(index)(model),
    clear: () => replaceModel(index)(undefined),
  })
  return (
    <div class="bar">
      {models.map((model, index) => (
        <Chip key={model} filter={{ ...filter, omitsLabel: 'always' }} filters={filtersAt(index)} />
      ))}
      {models.length === 0 && <Chip filter={filter} filters={filtersAt(0)} />}
      {models.length > 0 && models.length < maxModels && (
        <Compare candidates={others} onSelect={(one) => onChange([...models, one])} />
      )}
      <span class="gap" />
      <button type="button" aria-expanded={isSettingsOpen} onClick={onToggleSettings}>
        Settings
      </button>
      <button type="button" disabled={turns.value.length === 0 && !isBusy.value} onClick={() => startNewChat()}>
        New chat
      </button>
    </div>
  )
}

const maxSuggestions = 12

/** A menu that adds a model to compare with. */
function Compare({ candidates, onSelect }: { candidates: string[]; onSelect: (model: string) => void }) {
  const [searchText, setSearchText] = useState('')
  const matches = candidates.filter((one) => matchesAllWords(one, searchText)).slice(0, maxSuggestions)
  return (
    <Menu button="+ compare" label="Compare with another model">
      {(close) => {
        const select = (one: string | undefined) => {
          setSearchText('')
          close()
          if (one) onSelect(one)
        }
        return (
          <form
            onSubmit={(event) => {
              event.preventDefault()
              select(matches[0] ?? searchText.trim())
            }}
          >
            <input
              aria-label="Add a model or preset"
              placeholder="model, or @preset/…"
              value={searchText}
              onInput={(event) => setSearchText(event.currentTarget.value)}
            />
            {matches.map((one) => (
              <button key={one} type="button" onClick={() => select(one)}>
                {one}
              </button>
            ))}
          </form>
        )
      }}
    </Menu>
  )
}
