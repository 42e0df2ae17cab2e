import { useGet } from '../../api/resource.ts'
import { hasWords } from '../filters/has-words.ts'
import { SearchAndAdd, type SearchResult, SelectedItems } from '../filters/search-and-add.tsx'

const maxSuggestions = 12

type Props = { label: string; models: string[]; choose: (models: string[]) => void }

/** Selects models by words of their name. The list of models is loaded when something is typed. */
export function ModelPicker({ label, models, choose }: Props) {
  const add = (model: string) => {
    if (!models.includes(model)) choose([...models, model])
  }
  return (
    <fieldset class="picker">
      <legend>{label}</legend>
      <SelectedItems
        label={label}
        selected={models.map((id) => ({ id, label: id }))}
        remove={(id) => choose(models.filter((one) => one !== id))}
      />
      <ModelSearch label={label} models={models} add={add} />
    </fieldset>
  )
}

/** A field that finds models by words of their name. @param models the selected ones, which are not found. */
export function ModelSearch({ label, models, add }: Omit<Props, 'choose'> & { add: (model: string) => void }) {
  return (
    <SearchAndAdd
      label={`Add to ${label.toLowerCase()}`}
      placeholder="Find a model to add, such as claude opus"
      resultsLabel="Matching models"
      noResults="No matching model."
      useSearch={(typed) => {
        const available = useGet('GET /models/user', typed === '' ? undefined : {}).data?.data
        return available && matchingModels(available, typed, models)
      }}
      add={({ id }) => add(id)}
      // The service also accepts aliases, which the list does not have.
      addTyped={add}
    />
  )
}

/** The models whose ID or name has all words, without the selected ones. */
const matchingModels = (available: { id: string; name: string }[], typed: string, selected: string[]): SearchResult[] =>
  available
    .filter(({ id, name }) => hasWords(`${id} ${name}`, typed) && !selected.includes(id))
    .slice(0, maxSuggestions)
    .map(({ id }) => ({ id, label: id }))
